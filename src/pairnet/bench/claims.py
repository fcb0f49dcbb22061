"""What a table is said to show, as values that look at the results and say whether it did."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from pairnet.bench.results import Results

SURE = 0.05  # p-values below it are called more than chance


class Verdict(NamedTuple):
    """Whether a claim held, and a plain sentence with the counts."""

    held: Literal["held", "held in part", "did not hold", "not run"]
    sentence: str


@dataclass(frozen=True, kw_only=True)
class AbstractClaim(abc.ABC):
    """A claim, in words that a reader understands."""

    text: str
    metric: str | None = None  # left out: the experiment's first
    columns: tuple[str, ...] | None = None  # those that it speaks of; left out: all

    @abc.abstractmethod
    def judge(self, results: Results) -> Verdict:
        """Look at the results."""

    def columns_of(self, results: Results, row: str, metric: str) -> list[str]:
        """Return the columns that it speaks of in which the row has the metric."""
        known = results.columns(row, metric)
        return (
            known
            if self.columns is None
            else [column for column in known if column in self.columns]
        )


@dataclass(frozen=True, kw_only=True)
class Best(AbstractClaim):
    """A row has the smallest mean of all rows, in every column."""

    row: str
    among: tuple[str, ...] | None = None  # left out: all rows

    def judge(self, results):
        """Count the columns in which it is the smallest, and those in which a rival is more than
        chance better."""
        metric = self.metric or results.experiment.metrics[0]
        first: list[str] = []
        ahead: list[str] = []
        beaten: list[str] = []
        columns: list[str] = []
        rivals = [row for row in self.among or results.experiment.rows if row != self.row]
        for column in self.columns_of(results, self.row, metric):
            means = {row: results.mean(row, column, metric) for row in rivals}
            means = {row: mean for row, mean in means.items() if mean is not None}
            mine = results.mean(self.row, column, metric)
            if not means or mine is None:
                continue
            columns.append(column)
            tests = {
                row: results.test(self.row, row, column, metric)
                for row in sorted(means, key=means.__getitem__)
            }
            nearest = next(iter(tests))
            if mine < means[nearest]:
                first.append(column)
                if (tested := tests[nearest]) is not None and tested.p_value < SURE:
                    ahead.append(column)
            if surely := [
                row for row, test in tests.items() if test is not None and test.p_value > 1 - SURE
            ]:
                beaten.append(f"{_few(surely)} on {column}")
        if not columns:
            return Verdict("not run", "No results yet.")
        said = f"{self.row} has the smallest mean in {_of(first, columns)}"
        said += f", more than chance below the next best in {_of(ahead, columns)}" if first else ""
        said += (
            f"; surely better than it: {'; '.join(beaten)}."
            if beaten
            else "; no rival is surely better."
        )
        held = "held" if len(first) == len(columns) else "held in part" if first else "did not hold"
        return Verdict(held, said)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Better(AbstractClaim):
    """Rows have smaller values than their rivals (row: rival), in every column; larger ones where
    `larger`."""

    than: Mapping[str, str]
    larger: bool = False

    def judge(self, results):
        """Count the cells that are better, worse, or not told apart."""
        metric = self.metric or results.experiment.metrics[0]
        better: list[str] = []
        worse: list[str] = []
        open_: list[str] = []
        for row, rival in self.than.items():
            for column in self.columns_of(results, row, metric):
                tested = results.test(row, rival, column, metric)
                if tested is None:
                    continue
                p = 1 - tested.p_value if self.larger else tested.p_value
                where = f"{row} on {column}"
                (better if p < SURE else worse if p > 1 - SURE else open_).append(where)
        total = len(better) + len(worse) + len(open_)
        if not total:
            return Verdict("not run", "No results yet.")
        said = (
            f"Better in {len(better)}, worse in {len(worse)}, not told apart in {len(open_)} "
            f"of {total} comparisons"
        )
        said += f" (worse: {_few(worse)})." if worse else "."
        in_part = "held in part" if len(better) > len(worse) else "did not hold"
        held = "held" if len(better) == total else in_part
        return Verdict(held, said)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Flat(AbstractClaim):
    """A choice matters little: means of the rows stay within a share of the smallest, in every
    column."""

    rows: tuple[str, ...]
    within: float = 0.1

    def judge(self, results):
        """Compare the largest mean with the smallest."""
        metric = self.metric or results.experiment.metrics[0]
        spreads = {}
        for column in self.columns_of(results, self.rows[0], metric):
            means = [results.mean(row, column, metric) for row in self.rows]
            known = [mean for mean in means if mean is not None]
            if len(known) > 1:
                spreads[column] = max(known) / min(known) - 1
        if not spreads:
            return Verdict("not run", "No results yet.")
        said = ", ".join(f"{column} {spread:.0%}" for column, spread in spreads.items())
        good = [spread <= self.within for spread in spreads.values()]
        held = "held" if all(good) else "held in part" if any(good) else "did not hold"
        return Verdict(held, f"The largest mean is above the smallest by: {said}.")  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Falls(AbstractClaim):
    """A row's values fall from the first column to the last."""

    row: str
    kind: str = ""  # how the names of the columns begin

    def judge(self, results):
        """Compare the first column with the last, and say all."""
        metric = self.metric or results.experiment.metrics[0]
        columns = [
            column for column in results.columns(self.row, metric) if column.startswith(self.kind)
        ]
        means = [results.mean(self.row, column, metric) for column in columns]
        known = [mean for mean in means if mean is not None]
        if len(known) < 2:
            return Verdict("not run", "No results yet.")
        falls = bool(np.all(np.diff(known) < 0))
        held = "held" if falls else "held in part" if known[-1] < known[0] else "did not hold"
        return Verdict(held, f"{self.row}: {', '.join(f'{mean:.3g}' for mean in known)}.")  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Above(AbstractClaim):
    """One metric is never below another: an inequality that a theorem states."""

    larger: str
    smaller: str

    def judge(self, results):
        """Look at every single replication."""
        count = broken = 0
        for row in results.experiment.rows:
            for column in results.columns(row, self.larger):
                high, low = (
                    results.values(row, column, metric) for metric in (self.larger, self.smaller)
                )
                known = np.isfinite(high) & np.isfinite(low)
                count += int(known.sum())
                broken += int((high[known] < low[known]).sum())
        if not count:
            return Verdict("not run", "No results yet.")
        said = (
            f"{self.larger} is at least {self.smaller} in {count - broken} of {count} replications."
        )
        return Verdict("held" if not broken else "did not hold", said)


@dataclass(frozen=True, kw_only=True)
class Pays(AbstractClaim):
    """A row lowers its rival's error: by how much, and how surely, for every kind of column."""

    row: str
    rival: str
    kinds: tuple[str, ...]  # how the names of a kind's columns begin

    def judge(self, results):
        """Say the range of changes of each kind, and count the sure ones."""
        metric = self.metric or results.experiment.metrics[0]
        said, good, bad, total = [], 0, 0, 0
        for kind in self.kinds:
            columns = [
                column for column in results.columns(self.row, metric) if column.startswith(kind)
            ]
            tests = [results.test(self.row, self.rival, column, metric) for column in columns]
            sure = [test.p_value for test in tests if test is not None]
            if not sure:
                continue
            means = [
                (results.mean(self.row, c, metric), results.mean(self.rival, c, metric))
                for c in columns
            ]
            changes = [
                100 * (mine / theirs - 1) for mine, theirs in means if mine is not None and theirs
            ]
            better, worse = sum(p < SURE for p in sure), sum(p > 1 - SURE for p in sure)
            good, bad, total = good + better, bad + worse, total + len(sure)
            said.append(
                f"{kind}: error changes by {min(changes):+.0f} to {max(changes):+.0f} %, surely "
                f"smaller in {better} "
                f"and surely larger in {worse} of {len(sure)}"
            )
        if not total:
            return Verdict("not run", "No results yet.")
        held = "held" if good == total else "held in part" if good else "did not hold"
        return Verdict(held, "; ".join(said) + ".")  # type: ignore[arg-type]


def _few(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _of(some: list[str], all_: list[str]) -> str:
    if len(all_) == 1:
        return "the one column" if some else "no column"
    named = f" ({', '.join(some)})" if some and len(some) < len(all_) else ""
    return f"{len(some)} of {len(all_)} columns{named}"
