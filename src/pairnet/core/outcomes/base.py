"""What every kind of outcome defines: its losses, its mean, and the words for it."""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import equinox as eqx
import numpy as np
from jaxtyping import Float

from pairnet.core.types import AbstractWithin, Array, Scalar

Means = TypeVar("Means", bound=Any)  # arrays of numpy or of JAX


@dataclass(frozen=True)
class OutcomeWords:
    """How outcomes of a kind are shown: a factor that multiplies them, and words around them."""

    scale: float = 1.0
    of: str = ""  # "it raises [the chance of ]sales by 2"
    level: str = "expected "  # "[expected ]sales"
    level_unit: str = ""  # "chance of sales[ (%)]"
    difference_unit: str = ""  # "by 2[ percentage points]"
    short_unit: str = ""  # "2[ points]"
    large: str = "large"  # "a [large] number of sales is good"
    small: str = "small"


class AbstractOutcome(eqx.Module):
    """How a network's score relates to an observed outcome; all functions work elementwise."""

    name: ClassVar[str]
    has_unit: ClassVar[bool]  # whether it can be measured in other units, as cents or dollars
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)  # of the mean
    penalty_share: ClassVar[float] = 1.0  # a factor of the default penalty: see docs/plans.md
    words: ClassVar[OutcomeWords] = OutcomeWords()
    needs: ClassVar[str] = "numbers"  # what y must be
    about: ClassVar[str] = ""  # what a report writes behind the outcome's name

    @abc.abstractmethod
    def loss(self, score: Float[Array, "*n"], y: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """Return the loss of one row alone."""

    @abc.abstractmethod
    def pair_loss(
        self,
        score: Float[Array, "*#n"],
        y: Float[Array, "*#n"],
        partner_score: Float[Array, "*#n"],
        partner_y: Float[Array, "*#n"],
        alpha: Scalar,
    ) -> Float[Array, "*#n"]:
        """Return the loss of a pair of rows.

        At alpha = 2 it is the loss of the difference of their outcomes, at alpha = 0 that of both
        rows alone.
        """

    @abc.abstractmethod
    def mean_pair_loss(
        self,
        score: Float[Array, " b"],
        y: Float[Array, " b"],
        within: AbstractWithin,
        alpha: Scalar,
    ) -> Float[Array, " b"]:
        """Return each row's pair loss averaged over its partners j: sum_j q(j | i) pair_loss."""

    @abc.abstractmethod
    def mean(self, score: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """Return the expected outcome that a score stands for."""

    @abc.abstractmethod
    def location(self, y: Float[Array, " n"], weight: Float[Array, " n"]) -> Scalar:
        """Return the score from which every network starts."""

    @classmethod
    def allows(cls, y: Float[np.ndarray, "*n"]) -> bool:
        """Tell whether outcomes can be of this kind."""
        return True

    @classmethod
    def claims(cls, y: Float[np.ndarray, "*n"]) -> bool:
        """Tell whether outcomes are taken for this kind if the user does not name one."""
        return False

    def inside(self, mean: Means) -> Means:
        """Keep expected outcomes inside what is possible."""
        return mean.clip(*self.bounds)

    def effect_inside(self, effect: Means) -> Means:
        """Keep effects, which are differences of two means, inside what is possible."""
        low, high = self.bounds
        return effect.clip(low - high, high - low)

    def summary(self, y: Float[np.ndarray, "*n"]) -> dict[str, Any]:
        """Return what a model remembers about its outcomes, as plain JSON."""
        return {"kind": self.name, "mean": float(y.mean()), "sd": float(y.std())}

    def table(self, summary: dict[str, Any]) -> tuple[tuple[str, ...], tuple[Any, ...]]:
        """Return a summary as a table for people: its header and its row."""
        return ("mean", "standard deviation"), (float(summary["mean"]), float(summary["sd"]))
