"""A method as a sentence: this network, this loss, these rows, these partners, in these stages."""

from __future__ import annotations

import dataclasses

import equinox as eqx

from pairnet.core.outcomes import AbstractOutcome
from pairnet.losses import AbstractLoss
from pairnet.networks import Build
from pairnet.pairing.base import AbstractPairing, NoPairing
from pairnet.training.readings import AbstractReading
from pairnet.training.spaces import AbstractSpace, Nowhere
from pairnet.views import AbstractView, AsTheyAre


class Stage(eqx.Module):
    """One training: a network, the loss it descends, and the score by which it is stopped."""

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
        """The earlier stages whose networks this one asks."""
        return tuple(sorted({*self.view.needs, *self.space.needs}))

    def nameless(self) -> Stage:
        """Return the stage without its name, which would cost another compilation."""
        return dataclasses.replace(self, name="")


class Recipe(eqx.Module):
    """Stages in order, how to read the effect, and the stage that measures the outcome's noise."""

    stages: tuple[Stage, ...]
    reading: AbstractReading
    outcome: AbstractOutcome
    pilot: Stage
    # groups of which a split and a minibatch take their share: arms; 1 for doses
    strata: int = eqx.field(static=True)
