"""What was learned, whatever learned it: outcomes and effects of rows, member by member."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

STEP = 1e-3  # of the range of doses, by which a slope is taken where there is no better way


@dataclass(frozen=True, eq=False)
class Stored:
    """A predictor as plain values: JSON, and arrays by name. Nothing in it is ever executed."""

    json: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Log:
    """What there is to say of a training, one number a member."""

    rounds: dict[str, list[int]]  # by stage
    held_out_score: list[float]  # of the last stage on rows held out; smaller is better


class AbstractPredictor(abc.ABC):
    """What was learned; answers are in the outcome's units, with an axis of members first.

    Covariates are encoded numbers [n d]; treatments are inside numbers, the positions of arms or
    the places of doses between 0 and 1, one for all rows or one a row.
    """

    @abc.abstractmethod
    def outcome(self, x: Float[np.ndarray, "n d"], t: np.ndarray) -> Float[np.ndarray, "m n"]:
        """Return every member's expected outcome under t."""

    def effect(
        self, x: Float[np.ndarray, "n d"], t0: np.ndarray, t1: np.ndarray
    ) -> Float[np.ndarray, "m n"]:
        """Return every member's effect of t1 against t0."""
        return self.outcome(x, t1) - self.outcome(x, t0)

    def curve(self, x: Float[np.ndarray, "n d"], t: np.ndarray) -> Float[np.ndarray, "m n g"]:
        """Return expected outcomes under several treatments: [g], or others for each row [n g]."""
        each = np.broadcast_to(t, (len(x), np.shape(t)[-1]))
        return np.stack([self.outcome(x, each[:, k]) for k in range(each.shape[1])], axis=-1)

    def slope(self, x: Float[np.ndarray, "n d"], t: np.ndarray) -> Float[np.ndarray, "m n"]:
        """Return how fast outcomes change with the dose at t, over its whole range."""
        low, high = np.maximum(t - STEP, 0), np.minimum(t + STEP, 1)
        return np.asarray((self.outcome(x, high) - self.outcome(x, low)) / (high - low))

    def represent(self, x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "m n h"] | None:
        """Return where every member sees the rows, or None if it has no space of its own."""
        return None

    def program(self) -> Callable[[Any, Any, Any], Any] | None:
        """Return the mean effect as a function that JAX can compile, or None.

        It takes covariates [n d] and treatments T0 and T1 [n], all of them float32.
        """
        return None

    def log(self) -> Log | None:
        """Return what there is to say of the training, if anything."""
        return None

    @abc.abstractmethod
    def stored(self) -> Stored:
        """Return everything as plain values; the learner's `restore` makes it a predictor again."""
