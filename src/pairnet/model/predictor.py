"""What a method has learned: outcomes and effects of rows, member by member."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

STEP = 1e-3  # of the range of doses: the step of a difference quotient


@dataclass(frozen=True, eq=False)
class Stored:
    """A predictor as plain values: JSON, and arrays by name. Nothing in it is ever executed."""

    json: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


@dataclass(frozen=True)
class Log:
    """The log of a training, with one number for each member."""

    rounds: dict[str, list[int]]  # by stage
    held_out_score: list[float]  # of the last stage on rows held out; smaller is better


class AbstractPredictor(abc.ABC):
    """What was learned; answers are in the outcome's units, and members are their first axis.

    Covariates are encoded numbers [n d]; treatments are inside numbers, the positions of arms or
    the places of doses between 0 and 1, one for all rows or one a row.
    """

    is_stack: ClassVar[bool] = False  # whether `by_learner` has an answer

    @abc.abstractmethod
    def outcome(self, x: Float[np.ndarray, "n d"], t: np.ndarray) -> Float[np.ndarray, "m n"]:
        """Return every member's expected outcome under t."""

    def effect(
        self, x: Float[np.ndarray, "n d"], t0: np.ndarray, t1: np.ndarray
    ) -> Float[np.ndarray, "m n"]:
        """Return every member's effect of t1 against t0."""
        return self.outcome(x, t1) - self.outcome(x, t0)

    def curve(self, x: Float[np.ndarray, "n d"], t: np.ndarray) -> Float[np.ndarray, "m n g"]:
        """Return expected outcomes under several treatments: [g] for all rows, or [n g] by row."""
        by_row = np.broadcast_to(t, (len(x), np.shape(t)[-1]))
        return np.stack([self.outcome(x, by_row[:, k]) for k in range(by_row.shape[1])], axis=-1)

    def slope(self, x: Float[np.ndarray, "n d"], t: np.ndarray) -> Float[np.ndarray, "m n"]:
        """Return how fast outcomes change with the dose at t, per whole range of doses."""
        low, high = np.maximum(t - STEP, 0), np.minimum(t + STEP, 1)
        return np.asarray((self.outcome(x, high) - self.outcome(x, low)) / (high - low))

    def by_learner(
        self, x: Float[np.ndarray, "n d"], t0: np.ndarray, t1: np.ndarray
    ) -> tuple[Float[np.ndarray, "p n"], Float[np.ndarray, " p"]] | None:
        """Return the effects by each learner of a stack, and their weights; None for one method."""
        return None

    def speakers(self) -> tuple[tuple[AbstractPredictor, ...], Float[np.ndarray, " p"]] | None:
        """Return the learners of a stack that have a say, and their weights; None for one method.

        For arms, one effect for all rows may have a say beside them.
        """
        return None

    def represent(self, x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "m n h"] | None:
        """Return every member's representation of the rows, or None if the method has none."""
        return None

    def program(self) -> Callable[[Any, Any, Any], Any] | None:
        """Return the mean effect as a function that JAX can compile, or None.

        It takes covariates [n d] and treatments T0 and T1 [n], all of them float32.
        """
        return None

    def log(self) -> Log | None:
        """Return the log of the training, if there is one."""
        return None

    @abc.abstractmethod
    def stored(self) -> Stored:
        """Return everything as plain values; the learner's `restore` makes it a predictor again."""
