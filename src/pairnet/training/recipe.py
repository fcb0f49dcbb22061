"""A method as a sentence: this network, this loss, these rows, these partners, in these stages."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping

import equinox as eqx
from jaxtyping import Float

from pairnet.losses import AbstractLoss
from pairnet.networks import AbstractNetwork, Build
from pairnet.outcomes import AbstractOutcome
from pairnet.pairing import AbstractPairing, NoPairing
from pairnet.training.spaces import AbstractSpace, Nowhere
from pairnet.types import Array, Scalar

Networks = Mapping[str, AbstractNetwork]


class Stage(eqx.Module):
    """One training: a network, the loss it descends, and the score by which it is stopped."""

    name: str = eqx.field(static=True)
    network: Build
    outcome: AbstractOutcome
    loss: AbstractLoss
    score: AbstractLoss  # measured on the validation rows; for most stages the loss itself, penalties included
    pairing: AbstractPairing = NoPairing()
    space: AbstractSpace = Nowhere()

    def nameless(self) -> Stage:
        """Return the stage without its name, so that stages that differ in name alone share a compiled program."""
        return dataclasses.replace(self, name="")


class AbstractReading(eqx.Module):
    """How outcomes and effects are read off the fitted networks, for one individual."""

    kind: eqx.AbstractVar[AbstractOutcome]

    @abc.abstractmethod
    def outcome(self, networks: Networks, x: Float[Array, " d"], t: Scalar) -> Scalar:
        """Return mu(x, t)."""

    @abc.abstractmethod
    def effect(self, networks: Networks, x: Float[Array, " d"], t0: Scalar, t1: Scalar) -> Scalar:
        """Return tau(x, t1, t0)."""


class Difference(AbstractReading):
    """The effect as a difference of two outcomes of one network: mu(x, t1) - mu(x, t0)."""

    stage: str = eqx.field(static=True)
    kind: AbstractOutcome

    def outcome(self, networks, x, t):
        """Return the mean outcome under t."""
        return self.kind.mean(networks[self.stage](x, t).y)

    def effect(self, networks, x, t0, t1):
        """Return the difference of the two mean outcomes."""
        return self.outcome(networks, x, t1) - self.outcome(networks, x, t0)


class Recipe(eqx.Module):
    """Stages in order, how to read the effect, and the factual stage that measures the outcome's noise."""

    stages: tuple[Stage, ...]
    reading: AbstractReading
    outcome: AbstractOutcome
    pilot: Stage
    arms: int = eqx.field(static=True)
