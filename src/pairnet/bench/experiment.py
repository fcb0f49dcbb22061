"""What an experiment is: a table of rows (what is measured) and columns (on which study), as
data."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pairnet.bench.claims import AbstractClaim
from pairnet.bench.measures import AbstractMeasure, Fit
from pairnet.methods import NetworkEstimator
from pairnet.studies import Study, load

COUNTED = (
    "confounded",
    "gaussians",
    "gp",
    "relevant-covariates",
)  # made here: `realisations` is how many
# Options of studies that leave the shapes of arrays alone, so that what differs in them alone is
# fitted together.
SAME_SHAPE = {"setting", "share", "version", "setup", "rho", "effect", "seed"} | {
    "treated",
    "confounding",
    "overlap",
    "complexity",
    "noise",
}
# Hyperparameters that came later, with the value that means what was done before: it does not count
# in a job's name.
LATER: dict[str, Any] = {"verbose": False, "bootstrap": False, "calibration": 0.0}


@dataclass(frozen=True)
class Draws:
    """Replications of a study, as `draws` makes them."""

    study: str
    count: int
    axis: str = "realisations"  # the option of the study that says which
    first: int = 1
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def shape(self) -> tuple:
        """What decides the shapes of the arrays: draws that are alike in it are fitted together."""
        scale = (
            dict(self.options).get("share") if self.study.startswith("tcga") else None
        )  # there, a share of the rows
        return (
            self.study,
            scale,
            *((name, value) for name, value in self.options if name not in SAME_SHAPE),
        )

    def load(self, replications: list[int]) -> Study:
        """Load these replications (0, 1, ...), in this order."""
        return _load(self).take(np.asarray(replications))


def draws(
    study: str, count: int, *, axis: str = "realisations", first: int = 1, **options: Any
) -> Draws:
    """Name replications of a study: `draws("acic2016", 10, axis="seeds", setting=2)` are seeds 1 to
    10 of setting 2."""
    return Draws(study, count, axis, first, tuple(sorted(options.items())))


@functools.lru_cache(maxsize=8)
def _load(draws: Draws) -> Study:
    options: dict[str, Any] = dict(draws.options)
    options[draws.axis] = (
        draws.count if draws.study in COUNTED else [draws.first + k for k in range(draws.count)]
    )
    return load(draws.study, **options)


class Job(NamedTuple):
    """One number of one cell: a measure of one replication of a study."""

    measure: AbstractMeasure
    draws: Draws
    replication: int

    def describe(self) -> dict[str, Any]:
        """Return everything that decides the result, as plain values."""
        return {
            "results": self.measure.results_version,
            "measure": describe(self.measure),
            "study": {
                "name": self.draws.study,
                **{name: describe(value) for name, value in self.draws.options},
            },
            "replication": self.replication + self.draws.first,
        }

    @property
    def key(self) -> str:
        """The name under which the result is stored: the digest of its description."""
        study = _text(
            {
                "name": self.draws.study,
                **{name: describe(value) for name, value in self.draws.options},
            }
        )
        version, replication = self.measure.results_version, self.replication + self.draws.first
        where = f'"replication":{replication},"results":{version},"study":{study}'
        return _short_hash(f'{{"measure":{_text_of_measure(self.measure)},{where}}}')


Row = (
    NetworkEstimator | AbstractMeasure | Callable[[str], NetworkEstimator] | None
)  # None: derived from others
Column = tuple[Draws, ...]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Rows x columns of measurements, the question they answer, and what the paper says.

    rows: what is measured: a method, a measure of its own, or a function that says which, given the
    column's name. columns: on which replications of which study; the numbers of the paper are found
    under the same names. metrics: what is shown, the first one is tested. reference: the row that
    the others are tested against, or for each row its own. cells: those to fill, where not all are.
    larger: whether large values are good. figure: how the report draws it."""

    name: str
    title: str
    asks: str
    rows: Mapping[str, Row]
    columns: Mapping[str, Column]
    metrics: tuple[str, ...] = ("pehe_out", "pehe_in")
    reference: str | Mapping[str, str] | None = None
    claims: tuple[AbstractClaim, ...] = ()
    cells: frozenset[tuple[str, str]] | None = None
    figure: str | None = (
        None  # "curves" (rows against columns in their order) or "map" (a square for each column)
    )
    axis: str = ""  # what the columns are, in a figure
    note: str = ""
    ours: bool = False  # not in the paper

    derive: Callable[[Any], Mapping] | None = (
        None  # makes the cells of other experiments' results, given the store
    )

    def rival_of(self, row: str) -> str | None:
        """Return the row that this one is tested against."""
        return self.reference.get(row) if isinstance(self.reference, Mapping) else self.reference

    def has(self, row: str, column: str) -> bool:
        """Tell whether a cell is to be filled."""
        return self.cells is None or (row, column) in self.cells

    def jobs(self, row: str, column: str, replications: int | None = None) -> list[Job]:
        """Return the jobs of a cell, or the first so many: one of each draw of the column in
        turn."""
        if self.derive is not None or not self.has(row, column):
            return []
        draws = self.columns[column]
        longest = max(each.count for each in draws)
        turns = [(each, k) for k in range(longest) for each in draws if k < each.count]
        measure = _measure(self.rows[row], column)
        return [Job(measure, each, k) for each, k in turns[:replications]]

    def all_jobs(
        self, replications: int | None = None, rows: Callable[[str], bool] | None = None
    ) -> Iterator[Job]:
        """Return the jobs of all cells, or of some rows."""
        for row in self.rows:
            if rows is None or rows(row):
                for column in self.columns:
                    yield from self.jobs(row, column, replications)


def describe(value: Any) -> Any:
    """Return a value as plain JSON that says all of it: what differs in any field is described
    differently."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        kept = {name: v for name, v in fields.items() if not (name in LATER and LATER[name] == v)}
        return {"is": type(value).__name__, **{name: describe(v) for name, v in kept.items()}}
    if isinstance(value, tuple | list):
        return [describe(each) for each in value]
    if isinstance(value, Mapping):
        return {str(name): describe(each) for name, each in value.items()}
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(
        f"Cannot name a job by {value!r}: expected numbers, text, tuples and dataclasses of them."
    )


def digest(value: Any) -> str:
    """Return a name for a described value."""
    return _short_hash(_text(value))


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


@functools.lru_cache(maxsize=4096)
def _text_of_measure(measure: AbstractMeasure) -> str:
    return _text(describe(measure))  # the same for all replications of a cell


def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _measure(row: Row, column: str) -> AbstractMeasure:
    if isinstance(row, AbstractMeasure):
        return row
    assert row is not None
    return Fit(row if isinstance(row, NetworkEstimator) else row(column))
