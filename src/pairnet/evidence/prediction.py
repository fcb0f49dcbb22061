"""How exactly a column, or two columns together, tell the outcome or the treatment of unseen rows.

One half of the rows teaches, the other is predicted, and the other way round. A column alone is
looked up: a row is predicted from the rows with the same value or, where nearly every row has a
value of its own, from the two nearest values. So curves, steps and categories are found, not only
lines. Two columns are tried in a line. All of it is cheap: a sample of the rows is looked at.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # scikit-learn brings it

UNEXPLAINED = 1e-3  # of the variance of a number's ranks: what a column that tells it leaves over
MISSED = 5e-3  # of the rows of a class: what a column that tells the class misses
MISSED_OF_ARM = 2e-2  # of the rows of an arm: if so few are left, hardly anybody alike is compared
ENOUGH, ENOUGH_NUMBERS = 200, 30  # rows that are needed; fewer where most rows have other numbers
OF_A_CLASS = 10  # rows of each class that are needed
FEW_VALUES = 50  # a column with more values is not looked up value by value
ROWS, COLUMNS = 2000, 500  # the most rows that are looked at, fewer if there are more columns
LEAST_ROWS, SCREENED = 300, 500  # rows by which pairs of columns are chosen that are tried
TRIED = 6  # pairs of columns that are tried, the most promising ones
PROMISING = 0.3  # of the variance that a pair must explain in a line to be tried


class Column(NamedTuple):
    """One column of a table as a number for each row, and which rows lack it.

    is_number: whether it makes sense to add it to another one.
    """

    key: Float[np.ndarray, " n"]
    missing: Bool[np.ndarray, " n"]
    is_number: bool

    def take(self, rows: np.ndarray) -> Column:
        """Return some rows."""
        return Column(self.key[rows], self.missing[rows], self.is_number)


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be told: a number, or classes.

    rows: those that are looked at, of all. values: their number, or a flag for each class. missed:
    the share of a class that a column that tells it may miss.
    """

    rows: Int[np.ndarray, " s"]
    values: Float[np.ndarray, "s c"]
    is_number: bool
    missed: float = MISSED

    @classmethod
    def number(cls, values: Float[np.ndarray, " n"], columns: int) -> Target:
        """Return a number as a target; one with two values is two classes."""
        levels = np.unique(values)
        if len(levels) <= 2:
            return cls.classes((values == levels[-1]).astype(int), columns)
        rows = _evenly(np.arange(len(values)), _most(columns))
        return cls(rows, values[rows, None].astype(np.float64), True)

    @classmethod
    def classes(cls, group: Int[np.ndarray, " n"], columns: int, missed: float = MISSED) -> Target:
        """Return classes as a target, as many rows of each as there are, or as of the others."""
        groups = np.unique(group)
        each = max(_most(columns) // len(groups), 2 * OF_A_CLASS)
        rows = np.sort(np.concatenate([_evenly(np.flatnonzero(group == g), each) for g in groups]))
        flags = group[rows, None] == groups[-1 if len(groups) == 2 else None :]
        return cls(rows, flags * 1.0, is_number=False, missed=missed)

    def told_by(self, column: Column) -> bool:
        """Tell whether a column predicts unseen rows almost perfectly.

        Rows that lack the column are a group of their own. If they are few, the others alone do.
        """
        column = column.take(self.rows)
        if self._is_told(_looked_up(column, self._scored(slice(None))), slice(None)):
            return True
        there = np.flatnonzero(~column.missing)
        if not len(self.rows) / 2 <= len(there) < len(self.rows):
            return False
        return self._is_told(_looked_up(column.take(there), self._scored(there)), there)

    def told_by_two(self, columns: list[Column]) -> Iterator[tuple[int, int]]:
        """Yield the positions of two columns that predict unseen rows almost perfectly together."""
        usable = [k for k, column in enumerate(columns) if column.is_number]
        if len(usable) < 2 or not self._is_enough(slice(None)):
            return
        some = [columns[k].take(self.rows) for k in usable]
        found: set[int] = set()
        for values in self.values.T:
            for first, second in _promising(some, values):
                if not {first, second} & found and self._is_in_line(
                    some[first], some[second], values
                ):
                    found |= {first, second}
                    yield usable[first], usable[second]

    def _is_in_line(self, first: Column, second: Column, values: np.ndarray) -> bool:
        there = np.flatnonzero(~(first.missing | second.missing))
        if not self._is_enough(there):
            return False
        z = _standard(np.stack([first.key[there], second.key[there]], axis=1))
        y, half = values[there], _halves(len(there))
        told = np.empty(len(there))
        for unseen in (half, ~half):
            told[unseen] = _line(z[~unseen], y[~unseen], z[unseen], self.is_number)
        if not self.is_number:
            return _hits(told[:, None] > 0, y[:, None] > 0, self.missed, spare=0)
        exact = np.mean((y - told) ** 2) <= UNEXPLAINED * y.var()
        return bool(exact) and _explains(_ranks(told), _ranks(y))

    def _is_told(self, told: np.ndarray, rows: np.ndarray | slice) -> bool:
        if not self._is_enough(rows):
            return False
        truth = self._scored(rows)
        if self.is_number:
            return _explains(told, truth)
        return _hits(told > 0.5, truth > 0.5, self.missed, spare=1)

    def _scored(self, rows: np.ndarray | slice) -> np.ndarray:
        """Return what is predicted: ranks, so that a few huge numbers do not count for the rest."""
        values = self.values[rows]
        return _ranks(values[:, 0])[:, None] if self.is_number else values

    def _is_enough(self, rows: np.ndarray | slice) -> bool:
        """Tell whether so few rows could be told by chance, or by a column that is merely good."""
        values = self.values[rows]
        if len(values) >= ENOUGH or not self.is_number:
            return len(values) >= ENOUGH
        return len(values) >= ENOUGH_NUMBERS and len(np.unique(values)) > len(values) / 2


def _most(columns: int) -> int:
    """Return how many rows are looked at in a table of so many columns."""
    return max(LEAST_ROWS, ROWS * COLUMNS // max(columns, COLUMNS))


def _evenly(rows: np.ndarray, most: int) -> np.ndarray:
    """Return at most so many rows, at even steps."""
    return rows[np.linspace(0, len(rows) - 1, min(len(rows), most)).astype(int)]


def _halves(rows: int) -> Bool[np.ndarray, " n"]:
    """Return a half of the rows, drawn by lot, always the same."""
    return np.random.default_rng(0).permutation(rows) % 2 == 0


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks between 0 and 1; equal values have the same one."""
    _, level, count = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - count / 2)[level] / len(values)


def _standard(columns: np.ndarray) -> np.ndarray:
    """Return columns with mean 0 and spread 1; constant ones become 0."""
    centred = columns - columns.mean(axis=0)
    spread = centred.std(axis=0)
    return centred / np.where(spread > 0, spread, np.inf)


def _looked_up(column: Column, values: np.ndarray) -> np.ndarray:
    """Return the values of each row as the half of the rows that it is not in predicts them.

    If a column has many values, rows with the same one are in the same half, unless they are many.
    So a column that only tells who a row is, as of a person with several rows, predicts nothing.
    """
    _, level, count = np.unique(column.key, return_inverse=True, return_counts=True)
    half = _halves(len(values))
    if len(count) > FEW_VALUES:
        many = count[level] > len(values) / FEW_VALUES
        half = np.where(column.missing | many, half, level % 2 == 0)
    told = np.empty_like(values)
    for unseen in (half, ~half):
        for asked in (unseen & column.missing, unseen & ~column.missing):
            known = ~unseen & (column.missing == column.missing[asked].any())
            if known.any():
                told[asked] = _interpolated(column.key[known], values[known], column.key[asked])
            else:
                told[asked] = values.mean(axis=0)
    return told


def _interpolated(key: np.ndarray, values: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Return the mean values at the key asked about, on the line between the two nearest keys."""
    order = np.argsort(key, kind="stable")
    levels, start, count = np.unique(key[order], return_index=True, return_counts=True)
    means = np.add.reduceat(values[order], start, axis=0) / count[:, None]
    after = np.clip(np.searchsorted(levels, asked), 1, max(1, len(levels) - 1))
    after = np.minimum(after, len(levels) - 1)
    before = np.maximum(after - 1, 0)
    gap = levels[after] - levels[before]
    weight = np.clip((asked - levels[before]) / np.where(gap > 0, gap, 1.0), 0, 1)[:, None]
    return (1 - weight) * means[before] + weight * means[after]


def _explains(told: np.ndarray, truth: np.ndarray) -> bool:
    return bool(np.mean((truth - told) ** 2) <= UNEXPLAINED * truth.var())


def _hits(told: np.ndarray, truth: np.ndarray, missed: float, spare: int) -> bool:
    """Tell whether some class is told almost perfectly, in the rows in it and in the others.

    missed: the share of the rows of either side that may be missed. spare: rows that may be missed
    on either side besides, as those at the edge of a step are.
    """
    for mine, really in zip(told.T, truth.T, strict=True):
        sides = [(mine != really)[side] for side in (really, ~really)]
        if all(len(s) >= OF_A_CLASS and s.sum() <= spare + missed * len(s) for s in sides):
            return True
    return False


def _promising(columns: list[Column], y: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs of columns that explain most of a number in a line, the best first.

    Each pair is judged by the rows that lack neither of the two.
    """
    rows = _evenly(np.arange(len(y)), SCREENED)
    columns, y = [column.take(rows) for column in columns], _standard(y[rows, None])
    z = _standard(np.stack([column.key for column in columns], axis=1))
    some = np.sort(np.argsort(-np.abs(z.T @ y)[:, 0], kind="stable")[:COLUMNS])
    there = ~np.stack([columns[k].missing for k in some], axis=1) * 1.0
    z = z[:, some] * there
    both = np.maximum(there.T @ there, 1)
    mean = z.T @ there / both  # [k l]: of column k in the rows that lack neither k nor l
    mean_y = (y * there).T @ there / both
    variance = (z**2).T @ there / both - mean**2
    variance_y = (y**2 * there).T @ there / both - mean_y**2
    together = z.T @ z / both - mean * mean.T
    with_y = (z * y).T @ there / both - mean * mean_y
    left = variance * variance.T - together**2
    share = with_y**2 * variance.T + with_y.T**2 * variance - 2 * with_y * with_y.T * together
    usable = (left > 1e-9 * variance * variance.T) & (variance_y > 1e-9)
    explained = np.where(usable, share / np.where(usable, left * variance_y, 1.0), 0.0)
    first, second = np.triu_indices(len(some), 1)
    best = np.argsort(-explained[first, second], kind="stable")[:TRIED]
    best = best[explained[first, second][best] > PROMISING]
    return list(zip(some[first[best]].tolist(), some[second[best]].tolist(), strict=True))


def _line(z: np.ndarray, y: np.ndarray, asked: np.ndarray, is_number: bool) -> np.ndarray:
    """Return what a line through some rows says of others; above 0 means the class."""
    if is_number:
        with_one = lambda z: np.column_stack([np.ones(len(z)), z])
        return with_one(asked) @ np.linalg.lstsq(with_one(z), y, rcond=None)[0]
    if np.ptp(y) == 0:
        return np.full(len(asked), y[0] - 0.5)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # nearly right will do
        return LogisticRegression(C=1e4, max_iter=200).fit(z, y).decision_function(asked)
