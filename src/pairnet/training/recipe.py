"""A method as a recipe: which network, loss, rows and partners each of its stages has."""

from __future__ import annotations

import dataclasses

import equinox as eqx

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.types import Scalar
from pairnet.losses import AbstractLoss, has_chosen_penalty, with_strength
from pairnet.networks import Build
from pairnet.pairing.base import AbstractPairing, NoPairing
from pairnet.training.readings import AbstractReading
from pairnet.training.spaces import AbstractSpace, Nowhere
from pairnet.views import AbstractView, AsTheyAre


class Stage(eqx.Module):
    """One training: a network, the loss that it minimises, and the score that stops it early."""

    name: str = eqx.field(static=True)
    network: Build
    outcome: AbstractOutcome
    loss: AbstractLoss
    # measured on the validation rows; for most stages the loss itself, penalties included
    score: AbstractLoss
    pairing: AbstractPairing = NoPairing()
    space: AbstractSpace = Nowhere()
    view: AbstractView = AsTheyAre()

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the earlier stages whose networks this one uses."""
        return tuple(sorted({*self.view.needs, *self.space.needs}))

    @property
    def leaves_penalty_open(self) -> bool:
        """Whether held-out rows are to choose the strength of its penalty."""
        return has_chosen_penalty(self.loss)

    def with_strength(self, strength: Scalar | None) -> Stage:
        """Return the stage with its chosen penalty, if it has one, at this strength; None is 1."""
        if strength is None:
            return self
        settled = with_strength(self.loss, strength), with_strength(self.score, strength)
        return eqx.tree_at(lambda s: (s.loss, s.score), self, settled)

    def nameless(self) -> Stage:
        """Return the stage without its name: another name must not need another compilation."""
        return dataclasses.replace(self, name="")


class Recipe(eqx.Module):
    """Stages in order, how the effect is read, and the stage that measures the outcome's noise."""

    stages: tuple[Stage, ...]
    reading: AbstractReading
    outcome: AbstractOutcome
    pilot: Stage
    # groups that every split and minibatch takes in proportion: the arms, or 1 for doses
    strata: int = eqx.field(static=True)
