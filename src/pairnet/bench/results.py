"""The results of an experiment, gathered from a store: values by cell, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pairnet.bench.experiment import Experiment
from pairnet.bench.job import Job
from pairnet.bench.store import MADE, Corrupt, Record, Store
from pairnet.metrics import PairedTest, paired_test, welch_test


@dataclass(frozen=True)
class Cell:
    """One cell: every metric by replication, NaN where there is no result, and what is missing."""

    metrics: Mapping[str, np.ndarray]
    asked: int
    failed: int
    missing: int
    seconds: float
    errors: tuple[str, ...] = ()

    @property
    def done(self) -> int:
        """How many replications have results."""
        return self.asked - self.failed - self.missing


@dataclass(frozen=True)
class Results:
    """All cells of an experiment, by (row, column)."""

    experiment: Experiment
    cells: Mapping[tuple[str, str], Cell]
    made: tuple[dict[str, Any], ...] = field(default=())

    def columns(self, row: str, metric: str) -> list[str]:
        """Return the columns in which the row has the metric."""
        return [
            column
            for column in self.experiment.columns
            if self.mean(row, column, metric) is not None
        ]

    def values(self, row: str, column: str, metric: str) -> np.ndarray:
        """Return the metric by replication, NaN where there is no result."""
        cell = self.cells.get((row, column))
        return np.zeros(0) if cell is None or metric not in cell.metrics else cell.metrics[metric]

    def known(self, row: str, column: str, metric: str) -> np.ndarray:
        """Return the values of those replications that have results."""
        values = self.values(row, column, metric)
        return values[np.isfinite(values)]

    def mean(self, row: str, column: str, metric: str) -> float | None:
        """Return the mean of the known values, or None if there are none."""
        values = self.known(row, column, metric)
        return float(values.mean()) if len(values) else None

    def test(self, reference: str, rival: str, column: str, metric: str) -> PairedTest | None:
        """Test that the reference has smaller values, on the replications that both have.

        Without two such replications there is no test.
        """
        both = self._both(reference, rival, column, metric)
        return None if both is None else paired_test(*both)

    def papers_test(self, reference: str, rival: str, column: str, metric: str) -> float | None:
        """Return the p-value of the unpaired test that the paper's code uses."""
        both = self._both(reference, rival, column, metric)
        return None if both is None else welch_test(*both)

    def _both(
        self, reference: str, rival: str, column: str, metric: str
    ) -> tuple[np.ndarray, np.ndarray] | None:
        a, b = self.values(reference, column, metric), self.values(rival, column, metric)
        if len(a) != len(b) or reference == rival:
            return None
        there = np.isfinite(a) & np.isfinite(b)
        return (a[there], b[there]) if there.sum() >= 2 else None


def gather(experiment: Experiment, store: Store, *, replications: int | None = None) -> Results:
    """Read the results of an experiment from a store; damaged files count as missing."""
    if experiment.derive is not None:
        return Results(experiment, experiment.derive(store))
    made: dict[str, dict[str, Any]] = {}
    cells = {}
    for row in experiment.rows:
        for column in experiment.columns:
            jobs = experiment.jobs(row, column, replications)
            if jobs:
                cells[row, column] = _cell(jobs, store, made)
    return Results(experiment, cells, tuple(made.values()))


def _cell(jobs: list[Job], store: Store, made: dict[str, dict[str, Any]]) -> Cell:
    records = [read_or_none(store, job) for job in jobs]
    there = [record for record in records if record is not None]
    for record in there:
        how = {name: record.made[name] for name in MADE}
        made[str(how)] = how
    errors = tuple(record.error for record in there if record.error is not None)
    return Cell(
        metrics=_by_metric(records),
        asked=len(jobs),
        failed=len(errors),
        missing=len(records) - len(there),
        seconds=float(sum(record.seconds for record in there)),
        errors=errors,
    )


def _by_metric(records: Sequence[Record | None]) -> dict[str, np.ndarray]:
    """Return the values of each metric by replication, NaN where there is none."""
    metrics = [(record.metrics if record is not None else None) or {} for record in records]
    names = sorted({name for values in metrics for name in values})
    return {name: np.asarray([values.get(name, np.nan) for values in metrics]) for name in names}


def read_or_none(store: Store, job: Job) -> Record | None:
    """Return a job's record, None for a damaged file: `pairnet run` reports and redoes it."""
    try:
        return store.read(job)
    except Corrupt:
        return None
