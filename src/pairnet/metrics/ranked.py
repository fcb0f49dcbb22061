"""Rows in an order of priority, and numbers that are weighted sums of their scores.

The first rows, up to the share q of all, gain G(q) = E[score; among the first q] on average over
all rows. Each number here is a sum of scores in which a row counts by its place: the area under G,
the area between G and the line of a random order, and others. Rows of the same priority are in no
order: they share their places evenly.

How sure such a number is, is told by half-samples: it is worked out anew for many random halves of
the rows, or of the clusters, which vary as the estimate itself does (Yadlowsky et al., 2021).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import BadInput
from pairnet.core.types import is_number
from pairnet.metrics.least_squares import Coefficient, units_of
from pairnet.metrics.passed import numbers, weights

HALVES = 200  # random halves of the rows
CELLS = 1_000_000  # numbers that are held in memory at a time
ROUNDING = 1e-12  # of the largest score

Shares = Float[np.ndarray, "d n"]
# (how much rows count, as shares; the shares up to and with each row) -> how much scores count
Measure = Callable[[Shares, Shares], Shares]
# (weighted sums of the scores [k n]) -> the variance that other luck leaves in each
Luck = Callable[[Float[np.ndarray, "k n"]], Float[np.ndarray, " k"]]


def everyone(share: Shares, upto: Shares) -> Shares:
    """Return the weights of the mean score of all rows."""
    return share


def area(share: Shares, upto: Shares) -> Shares:
    """Return the weights of the area under G."""
    return share * (1 - upto + share / 2)


def qini(share: Shares, upto: Shares) -> Shares:
    """Return the weights of the area between G and the line of a random order: int q TOC(q) dq."""
    return share * ((1 + share) / 2 - upto)


def autoc(share: Shares, upto: Shares) -> Shares:
    """Return the weights of the area under TOC(q) = G(q) / q - G(1)."""
    each = share / np.maximum(upto, np.finfo(float).tiny)
    later = np.cumsum(each[:, ::-1], axis=1)[:, ::-1]
    return share * (later - 1)


def gain_of_first(q: float) -> Measure:
    """Return the measure G(q)."""
    return lambda share, upto: np.clip(q - (upto - share), 0, share)


def mean_of_first(q: float) -> Measure:
    """Return the measure G(q) / q: the mean score of the first rows."""
    return lambda share, upto: gain_of_first(q)(share, upto) / q


def toc_of_first(q: float) -> Measure:
    """Return the measure TOC(q): by how much the mean of the first rows is above that of all."""
    return lambda share, upto: mean_of_first(q)(share, upto) - share


@dataclass(frozen=True, eq=False)
class Ranked:
    """Rows with their scores, those of the highest priority first.

    first: where each group of rows of the same priority begins. unit: the cluster of each row, as a
    number (None: every row stands for itself). place: where each row stood in what was passed.
    """

    score: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]
    first: Int[np.ndarray, " g"]
    unit: Int[np.ndarray, " n"] | None
    place: Int[np.ndarray, " n"]
    rows: int

    @classmethod
    def of(cls, scores: Any, priority: Any, weight: Any = None, clusters: Any = None) -> Ranked:
        """Put the rows in their order; those of weight 0 are left out."""
        score = numbers("scores", scores)
        ahead = numbers("priority", priority, len(score))
        own = weights(weight, len(score))
        unit = None if clusters is None else units_of(clusters, len(score))
        order = np.argsort(-ahead, kind="stable")
        order = order[own[order] > 0]
        units = len(order) if unit is None else len(np.unique(unit[order]))
        if units < 2:
            what = "rows that count" if unit is None else "clusters"
            raise BadInput("scores", f"must be those of two or more {what}, got {units}")
        first = np.flatnonzero(np.append(True, np.diff(ahead[order]) != 0))
        some = None if unit is None else np.unique(unit[order], return_inverse=True)[1]
        return cls(score[order], own[order] / own.max(), first, some, order, len(score))

    @property
    def units(self) -> int:
        """How many independent rows, or clusters, there are."""
        return len(self.score) if self.unit is None else int(self.unit.max()) + 1

    def estimates(
        self, measures: list[Measure], alpha: float = 0.05, luck: Luck | None = None
    ) -> list[Coefficient]:
        """Return several numbers, each with its error, interval and p-value.

        luck: the variance that other luck than that of the rows leaves in sums of the scores.
        """
        from scipy import stats

        counts = np.concatenate(list(self._counts(measures, self.weight[None])))
        variance = self._variance(measures)
        if luck is not None:
            of_rows = np.zeros((len(counts), self.rows))
            of_rows[:, self.place] = counts
            variance = variance + luck(of_rows)
        nothing = ROUNDING * float(np.abs(self.score).max())
        found, reach = [], float(stats.t.ppf(1 - alpha / 2, self.units - 1))
        for value, error in zip((counts @ self.score).tolist(), np.sqrt(variance), strict=True):
            value, error = (0.0 if abs(v) <= nothing else float(v) for v in (value, error))
            size = abs(value) / error if error > 0 else np.inf
            p = 1.0 if value == 0 else 2 * float(stats.t.sf(size, self.units - 1))
            far = reach * error if error > 0 else 0.0
            ends = value - far, value + far
            found.append(Coefficient(value, error, *ends, p))
        return found

    def _counts(
        self, measures: list[Measure], weight: Float[np.ndarray, "d n"]
    ) -> Iterator[Shares]:
        """Yield how much each score counts in each number; those of the same priority alike."""
        share = weight / weight.sum(axis=1, keepdims=True)
        upto = np.cumsum(share, axis=1)
        if len(self.first) == len(self.score):
            yield from (measure(share, upto) for measure in measures)
            return
        size = np.diff(np.append(self.first, len(self.score)))
        own = np.maximum(np.add.reduceat(share, self.first, axis=1), np.finfo(float).tiny)
        for measure in measures:
            total = np.add.reduceat(measure(share, upto), self.first, axis=1)
            yield share * np.repeat(total / own, size, axis=1)

    def _variance(self, measures: list[Measure]) -> Float[np.ndarray, " k"]:
        """Return the variance of each number, by random halves of the units."""
        values = np.concatenate(
            [
                np.stack([counts @ self.score for counts in self._counts(measures, half)], axis=1)
                for half in self._halves()
            ]
        )
        taken = (self.units // 2) / self.units
        return np.asarray(values.var(axis=0, ddof=1) * taken / (1 - taken))

    def _halves(self) -> Iterator[Float[np.ndarray, "d n"]]:
        """Yield the weights of the rows in random halves, so many at a time as memory holds."""
        rng, units = np.random.default_rng(0), self.units
        at_once = max(1, min(HALVES, CELLS // len(self.score)))
        for start in range(0, HALVES, at_once):
            lots = rng.random((min(at_once, HALVES - start), units))
            last = np.partition(lots, units // 2 - 1, axis=1)[:, units // 2 - 1]
            taken = lots <= last[:, None]
            yield self.weight * (taken if self.unit is None else taken[:, self.unit])


def share_of_rows(name: str, value: Any) -> float:
    """Return a share of the rows, above 0 and at most 1, or raise."""
    if not (is_number(value) and 0 < value <= 1):
        raise BadInput(name, f"must be a share of the rows, above 0 and at most 1, got {value!r}")
    return float(value)
