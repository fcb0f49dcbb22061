"""Claims about a table of results, as values that check whether they hold."""

from __future__ import annotations

import abc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pairnet.bench.results import Results

BEYOND_CHANCE = 0.05  # p-values below it are called more than chance
MOST_LISTED = 4  # of a longer list, so many are named


class Verdict(NamedTuple):
    """Whether a claim held, and a plain sentence with the counts."""

    held: Literal["held", "held in part", "did not hold", "not run"]
    sentence: str


NOT_RUN = Verdict("not run", "No results yet.")


def verdict(wholly: bool, in_part: bool, sentence: str) -> Verdict:
    """Return the verdict on a claim that was looked at."""
    return Verdict("held" if wholly else "held in part" if in_part else "did not hold", sentence)


@dataclass(frozen=True, kw_only=True)
class AbstractClaim(abc.ABC):
    """A claim in words that a reader understands, and how it is checked."""

    text: str
    metric: str | None = None  # left out: the experiment's first
    columns: tuple[str, ...] | None = None  # the labels of those it speaks of; left out: all

    @abc.abstractmethod
    def judge(self, results: Results) -> Verdict:
        """Return whether the results bear the claim out."""

    def metric_of(self, results: Results) -> str:
        """Return the metric that the claim is about."""
        return self.metric or results.experiment.metrics[0]

    def columns_of(self, results: Results, row: str) -> list[str]:
        """Return the columns that the claim is about in which the row has the metric."""
        columns = results.columns(row, self.metric_of(results))
        return [label for label in columns if self.columns is None or label in self.columns]


class _Standing(NamedTuple):
    """How a row stands against its rivals in a column."""

    column: str
    first: bool  # it has the smallest mean
    ahead: bool  # by more than chance
    beaten_by: list[str]  # those that are better by more than chance


@dataclass(frozen=True, kw_only=True)
class Best(AbstractClaim):
    """A row has the smallest mean of all rows, in every column."""

    row: str
    among: tuple[str, ...] | None = None  # left out: all rows

    def judge(self, results):
        labels = self.columns_of(results, self.row)
        standings = [s for label in labels if (s := self._standing(results, label)) is not None]
        if not standings:
            return NOT_RUN
        columns = [standing.column for standing in standings]
        first = [standing.column for standing in standings if standing.first]
        ahead = [standing.column for standing in standings if standing.ahead]
        beaten = [f"{_few(s.beaten_by)} on {s.column}" for s in standings if s.beaten_by]
        sentence = f"{self.row} has the smallest mean in {_of(first, columns)}"
        if first:
            sentence += f", more than chance below the next best in {_of(ahead, columns)}"
        if beaten:
            sentence += f"; surely better than it: {'; '.join(beaten)}."
        else:
            sentence += "; no rival is surely better."
        return verdict(len(first) == len(columns), bool(first), sentence)

    def _standing(self, results: Results, column: str) -> _Standing | None:
        metric = self.metric_of(results)
        means = {
            row: mean
            for row in results.experiment.rows
            if (mean := results.mean(row, column, metric)) is not None
        }
        rivals = [row for row in self.among or means if row in means and row != self.row]
        if not rivals or self.row not in means:
            return None
        ranked = sorted(rivals, key=means.__getitem__)
        tests = {row: results.test(self.row, row, column, metric) for row in ranked}
        p_values = {row: test.p_value for row, test in tests.items() if test is not None}
        first = means[self.row] < means[ranked[0]]
        ahead = first and p_values.get(ranked[0], 1.0) < BEYOND_CHANCE
        beaten_by = [row for row, p in p_values.items() if p > 1 - BEYOND_CHANCE]
        return _Standing(column, first, ahead, beaten_by)


@dataclass(frozen=True, kw_only=True)
class Better(AbstractClaim):
    """Rows have smaller values than their rivals in every column.

    than: the rival of each row. larger: whether larger values are better instead.
    """

    than: Mapping[str, str]
    larger: bool = False

    def judge(self, results):
        p_values = self._p_values(results)
        if not p_values:
            return NOT_RUN
        better = [cell for cell, p in p_values.items() if p < BEYOND_CHANCE]
        worse = [cell for cell, p in p_values.items() if p > 1 - BEYOND_CHANCE]
        untold = len(p_values) - len(better) - len(worse)
        sentence = (
            f"Better in {len(better)}, worse in {len(worse)}, not told apart in {untold} of "
            f"{len(p_values)} comparisons"
        )
        sentence += f" (worse: {_few(worse)})." if worse else "."
        return verdict(len(better) == len(p_values), len(better) > len(worse), sentence)

    def _p_values(self, results: Results) -> dict[str, float]:
        """Return, for each comparison, the p-value of the test that the row is better."""
        metric = self.metric_of(results)
        p_values = {}
        for row, rival in self.than.items():
            for column in self.columns_of(results, row):
                test = results.test(row, rival, column, metric)
                if test is not None:
                    p = 1 - test.p_value if self.larger else test.p_value
                    p_values[f"{row} on {column}"] = p
        return p_values


@dataclass(frozen=True, kw_only=True)
class Flat(AbstractClaim):
    """A choice matters little: means stay within a share of the smallest, in every column."""

    rows: tuple[str, ...]
    within: float = 0.1

    def judge(self, results):
        spreads = {}
        for column in self.columns_of(results, self.rows[0]):
            means = _means(results, [(row, column) for row in self.rows], self.metric_of(results))
            if len(means) > 1:
                spreads[column] = max(means) / min(means) - 1
        if not spreads:
            return NOT_RUN
        listed = ", ".join(f"{column} {spread:.0%}" for column, spread in spreads.items())
        flat = [spread <= self.within for spread in spreads.values()]
        sentence = f"The largest mean is above the smallest by: {listed}."
        return verdict(all(flat), any(flat), sentence)


@dataclass(frozen=True, kw_only=True)
class Falls(AbstractClaim):
    """A row's values fall from the first column to the last.

    over: a value of the columns; columns without it are left out.
    """

    row: str
    over: str | None = None

    def judge(self, results):
        columns = results.experiment.columns
        cells = [
            (self.row, label)
            for label in self.columns_of(results, self.row)
            if self.over is None or self.over in columns[label].values
        ]
        means = _means(results, cells, self.metric_of(results))
        if len(means) < 2:
            return NOT_RUN
        sentence = f"{self.row}: {', '.join(f'{mean:.3g}' for mean in means)}."
        return verdict(bool(np.all(np.diff(means) < 0)), means[-1] < means[0], sentence)


@dataclass(frozen=True, kw_only=True)
class Above(AbstractClaim):
    """One metric is never below another: an inequality that a theorem states."""

    larger: str
    smaller: str

    def judge(self, results):
        count = broken = 0
        for row in results.experiment.rows:
            for column in results.columns(row, self.larger):
                high, low = (
                    results.values(row, column, metric) for metric in (self.larger, self.smaller)
                )
                there = np.isfinite(high) & np.isfinite(low)
                count += int(there.sum())
                broken += int((high[there] < low[there]).sum())
        if not count:
            return NOT_RUN
        sentence = (
            f"{self.larger} is at least {self.smaller} in {count - broken} of {count} replications."
        )
        return verdict(not broken, False, sentence)


class _Gain(NamedTuple):
    """How a row stands against its rival in the columns of one kind."""

    changes: list[float]  # of the error, in per cent
    p_values: list[float]

    @property
    def better(self) -> int:
        """In how many columns the row is surely better."""
        return sum(p < BEYOND_CHANCE for p in self.p_values)

    @property
    def worse(self) -> int:
        """In how many columns the row is surely worse."""
        return sum(p > 1 - BEYOND_CHANCE for p in self.p_values)


@dataclass(frozen=True, kw_only=True)
class Pays(AbstractClaim):
    """A row has a smaller error than its rival; tells by how much, for every kind of column.

    kind: the value of the columns that says of which kind they are.
    """

    row: str
    rival: str
    kind: str

    def judge(self, results):
        columns = results.experiment.columns
        kinds = dict.fromkeys(column.values[self.kind] for column in columns.values())
        gains = {kind: self._gain(results, kind) for kind in kinds}
        gains = {kind: gain for kind, gain in gains.items() if gain.p_values}
        if not gains:
            return NOT_RUN
        sentence = "; ".join(
            f"{kind}: error changes by {min(gain.changes):+.0f} to {max(gain.changes):+.0f} %, "
            f"surely smaller in {gain.better} and surely larger in {gain.worse} of "
            f"{len(gain.p_values)}"
            for kind, gain in gains.items()
        )
        better = sum(gain.better for gain in gains.values())
        total = sum(len(gain.p_values) for gain in gains.values())
        return verdict(better == total, better > 0, f"{sentence}.")

    def _gain(self, results: Results, kind: str) -> _Gain:
        metric, columns = self.metric_of(results), results.experiment.columns
        labels = [
            label
            for label in self.columns_of(results, self.row)
            if columns[label].values[self.kind] == kind
        ]
        means = [[results.mean(row, c, metric) for row in (self.row, self.rival)] for c in labels]
        tests = [results.test(self.row, self.rival, label, metric) for label in labels]
        return _Gain(
            [100 * (own / rival - 1) for own, rival in means if own is not None and rival],
            [test.p_value for test in tests if test is not None],
        )


def _means(results: Results, cells: Iterable[tuple[str, str]], metric: str) -> list[float]:
    """Return the means of the cells that have one."""
    means = [results.mean(row, column, metric) for row, column in cells]
    return [mean for mean in means if mean is not None]


def _few(names: Sequence[str]) -> str:
    more = len(names) - MOST_LISTED
    return ", ".join(names[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")


def _of(some: Sequence[str], columns: Sequence[str]) -> str:
    if len(columns) == 1:
        return "the one column" if some else "no column"
    names = f" ({', '.join(some)})" if some and len(some) < len(columns) else ""
    return f"{len(some)} of {len(columns)} columns{names}"
