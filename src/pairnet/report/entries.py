"""The cells of an experiment's table: our numbers, their tests, and the paper's number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pairnet.bench.claims import BEYOND_CHANCE
from pairnet.bench.results import Results
from pairnet.paper.printed import Printed, printed

NAMES = {
    "pehe_out": "PEHE, test rows",
    "pehe_in": "PEHE, training rows",
    "pehe_by_row_out": "PEHE by row, test rows",
    "pehe_by_row_in": "PEHE by row, training rows",
    "mise_out": "integrated squared error, test rows",
    "policy_error_out": "dosage policy error, test rows",
    "correlation": "correlation with the true error",
    "regret": "regret of the chosen model",
    "models": "models ranked",
    "mmd": "MMD",
    "bound": "the bound",
    "risk": "risk of effects",
    "loss": "the loss in the bound",
    "distance": "the distance in the bound",
}
LARGER = ("correlation",)  # metrics of which large values are good
NEUTRAL = ("models",)  # metrics of which no value is good


@dataclass(frozen=True)
class Entry:
    """The content of a cell: mean, median, number of runs, tests, and the paper's number."""

    mean: float
    median: float
    done: int
    asked: int
    failed: int
    p_value: float | None  # paired: the reference is better
    p_paper: float | None  # unpaired, as the paper's code tests
    paper: Printed | None
    best: bool  # of its column
    tied: bool  # worse than the best by no more than chance


def entries(
    results: Results, metric: str, rows: Sequence[str] | None = None
) -> dict[tuple[str, str], Entry]:
    """Return the cells of a table of one metric."""
    shown = list(results.experiment.rows if rows is None else rows)
    cells = {}
    for column in results.experiment.columns:
        every_mean = {row: results.mean(row, column, metric) for row in shown}
        means = {row: mean for row, mean in every_mean.items() if mean is not None}
        best = _best(means, metric)
        for row, mean in means.items():
            cells[row, column] = _entry(results, metric, row, column, mean, best)
    return cells


def _best(means: Mapping[str, float], metric: str) -> str | None:
    """Return the row with the best mean, if values of the metric can be good."""
    if not means or metric in NEUTRAL:
        return None
    sign = -1 if metric in LARGER else 1
    return min(means, key=lambda row: sign * means[row])


def _entry(
    results: Results, metric: str, row: str, column: str, mean: float, best: str | None
) -> Entry:
    experiment, cell = results.experiment, results.cells[row, column]
    values = results.known(row, column, metric)
    rival = None if metric in NEUTRAL else experiment.rival_of(row)
    p_best = _paired(results, best, row, column, metric) if best != row else None
    return Entry(
        mean=mean,
        median=float(np.median(values)),
        done=len(values),
        asked=cell.asked,
        failed=cell.failed,
        p_value=_paired(results, rival, row, column, metric),
        p_paper=_unpaired(results, rival, row, column, metric),
        paper=printed(experiment.name, row, column, metric),
        best=row == best,
        tied=row == best or (p_best is not None and p_best >= BEYOND_CHANCE),
    )


def _paired(
    results: Results, reference: str | None, row: str, column: str, metric: str
) -> float | None:
    """Return the p-value that the reference is better, tested on the same replications."""
    tested = results.test(reference, row, column, metric) if reference else None
    return None if tested is None else _towards(tested.p_value, metric)


def _unpaired(
    results: Results, reference: str | None, row: str, column: str, metric: str
) -> float | None:
    """Return the p-value of the unpaired test that the paper's code uses."""
    p = results.papers_test(reference, row, column, metric) if reference else None
    return None if p is None else _towards(p, metric)


def _towards(p: float, metric: str) -> float:
    """Return the p-value for the better value: tests ask for the smaller one."""
    return 1 - p if metric in LARGER else p
