"""Held-out losses of methods over folds, and how sure their differences are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from pairnet.core.words import in_full
from pairnet.metrics import PairScore

NOISE = 2.0  # a difference of fewer standard errors may be chance


@dataclass(frozen=True, eq=False)
class Standing:
    """What was measured of one method: its held-out pair loss, and its distance from the best.

    loss, error: in the outcome's units squared, and its standard error over rows. behind,
    behind_error: the loss less that of the best method, and the standard error of this difference,
    which is smaller than that of either loss, since both were measured on the same rows. explained:
    by which share the loss is smaller than that of a model that says 0 of every row. r, r_error:
    for arms, the R-loss of effects (compare/effects.py), and its standard error.
    """

    method: str
    loss: float
    error: float
    behind: float
    behind_error: float
    explained: float
    r: float | None = None
    r_error: float | None = None

    @property
    def noise(self) -> bool:
        """Whether the difference from the best may be chance."""
        return self.behind <= NOISE * self.behind_error

    @property
    def loss_in_words(self) -> str:
        """The loss and its error, as people read numbers."""
        return f"{in_full(self.loss)} ± {in_full(self.error, 2)}"

    @property
    def behind_in_words(self) -> str:
        """How far it is behind the best."""
        return f"{in_full(self.behind, 3)} ± {in_full(self.behind_error, 2)}"

    @property
    def r_in_words(self) -> str:
        """The R-loss; "" for doses."""
        if self.r is None or self.r_error is None:
            return ""
        return f"{in_full(self.r)} ± {in_full(self.r_error, 2)}"


@dataclass(frozen=True, eq=False)
class HeldOutLosses:
    """Losses of methods on the same rows, of one kind, and how much each row changes each loss.

    nothing: the loss of a model that says 0 of every row.
    """

    losses: Mapping[str, float]
    moves: Mapping[str, Float[np.ndarray, " n"]]
    nothing: float
    nothing_moves: Float[np.ndarray, " n"]

    @classmethod
    def over_folds(
        cls,
        scores: Mapping[str, Sequence[PairScore]],
        nothing: Sequence[PairScore],
        weights: Sequence[np.ndarray],
    ) -> HeldOutLosses:
        """Combine the scores of folds; each fold weighs as much as its rows."""
        total = sum(weight.sum() for weight in weights)
        share = np.array([weight.sum() for weight in weights]) / total
        by_row = np.concatenate(weights) / total
        loss = lambda folds: float(share @ [score.loss for score in folds])
        moves = lambda folds: by_row * np.concatenate([score.influence for score in folds])
        return cls(
            {name: loss(folds) for name, folds in scores.items()},
            {name: moves(folds) for name, folds in scores.items()},
            loss(nothing),
            moves(nothing),
        )

    @property
    def best(self) -> str:
        """The method with the smallest loss."""
        return min(self.losses, key=lambda name: self.losses[name])

    @property
    def learned(self) -> bool:
        """Whether the best method is surely better than a model that says 0 of every row."""
        error = length(self.nothing_moves - self.moves[self.best])
        return bool(self.nothing - self.losses[self.best] > NOISE * error)

    def lead(self, name: str, rival: str) -> tuple[float, float]:
        """Return by how much a method is better than another, and the standard error of that."""
        gain = self.losses[rival] - self.losses[name]
        return gain, length(self.moves[rival] - self.moves[name])

    def standings(self, of_effects: HeldOutLosses | None = None) -> tuple[Standing, ...]:
        """Return all methods from the best to the worst; `of_effects` are their R-losses."""
        best = self.best
        r = of_effects
        return tuple(
            Standing(
                method=name,
                loss=loss,
                error=length(self.moves[name]),
                behind=loss - self.losses[best],
                behind_error=length(self.moves[name] - self.moves[best]),
                explained=1 - loss / self.nothing,
                r=None if r is None else r.losses[name],
                r_error=None if r is None else length(r.moves[name]),
            )
            for name, loss in sorted(self.losses.items(), key=lambda item: item[1])
        )


def length(moves: Float[np.ndarray, " n"]) -> float:
    """Return the standard error of a loss, given how much each row changes it."""
    return float(np.sqrt(np.sum(moves**2)))
