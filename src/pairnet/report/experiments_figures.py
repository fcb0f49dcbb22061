"""The figures of experiments, drawn from their results: one function a kind of figure."""

from __future__ import annotations

import itertools
import re

import numpy as np

from pairnet.bench.claims import SURE
from pairnet.bench.results import Results
from pairnet.report.charts import Chart, dots, heat, histogram, lines
from pairnet.report.charts import Curve as Line
from pairnet.report.charts import Point as Interval
from pairnet.report.entries import NAMES, entries

Drawn = list[tuple[Chart, str]]  # charts with their captions


def figures(results: Results) -> Drawn:
    """Return the figures of an experiment; most have one chart a column, of every row beside the
    paper's number."""
    kinds = {"curves": _curves, "spread": _spread, "map": _map, "temperature": _temperature}
    return kinds.get(results.experiment.figure or "", _dots)(results)


def _dots(results: Results) -> Drawn:
    """Means with twice their standard errors, ours and the paper's, a chart a column."""
    metric = results.experiment.metrics[0]
    cells = entries(results, metric)
    drawn: Drawn = []
    for column in results.experiment.columns:
        found = []
        for row in results.experiment.rows:
            if (row, column) not in cells:
                continue
            e, low, high = cells[row, column], *_around(results.known(row, column, metric))
            found.append(Interval(row, e.mean, low, high, group="ours"))
            if e.paper is not None:
                found.append(Interval(row, e.paper.value, group="the paper's"))
        if len(found) > 1 and len(results.experiment.columns) <= 4:
            chart = dots(
                found,
                x=NAMES.get(metric, metric),
                reference=None,
                says=f"{column}: {metric} of every row",
            )
            drawn.append((chart, f"{column}: means, with two standard errors to either side."))
    return drawn


def _curves(results: Results) -> Drawn:
    """Rows as lines over the columns, at even steps in their order, or at the number of rows that a
    name holds.

    Columns called "A, 0.1" are steps of a setup A, and every setup has its own chart.
    """
    experiment = results.experiment
    sized = [column for column in experiment.columns if _rows_in(column)]
    setups: dict[str, list[str]] = {}
    for column in sized or experiment.columns:
        setups.setdefault("" if sized else _step(column)[0], []).append(column)
    metrics = [experiment.metrics[0], *(["risk"] if "risk" in experiment.metrics else [])]
    logs = "bound" in experiment.metrics
    scale = (lambda v: np.log10(np.maximum(v, 1e-9))) if logs else (lambda v: v)
    drawn: Drawn = []
    for what, (setup, columns) in itertools.product(metrics, setups.items()):
        series = []
        for row in experiment.rows:
            known = [column for column in columns if results.mean(row, column, what) is not None]
            if len(known) < 2:
                continue
            ends = np.array([_around(results.known(row, column, what)) for column in known])
            place = [_place(column, columns) for column in known]
            means = np.array([results.mean(row, column, what) for column in known], float)
            series.append(Line(row, place, scale(means), scale(ends[:, 0]), scale(ends[:, 1])))
        if series:
            name = NAMES.get(what, what)
            x = "rows, in steps of their logarithm" if sized else experiment.axis
            chart = lines(
                series,
                x=x,
                y=f"log10 of {name}" if logs else name,
                named={_place(c, columns): _tick(c) for c in columns},
            )
            which = f"Setup {setup}, {name}" if setup else name
            drawn.append((chart, f"{which}: means, with two standard errors to either side."))
    return drawn


def _place(column: str, columns: list[str]) -> float:
    size = _rows_in(column)
    return float(np.log10(size)) if size else float(columns.index(column) + 1)


def _rows_in(column: str) -> int | None:
    found = re.search(r"(\d+) rows", column)
    return int(found[1]) if found else None


def _tick(column: str) -> str:
    size = _rows_in(column)
    return f"{size:,}" if size else _step(column)[1]


def _step(column: str) -> tuple[str, str]:
    """Return the setup and the step that a column's name, or what it has in brackets, says: ticks
    have little room."""
    found = re.search(r"\((.+)\)", column)
    setup, _, step = (found[1] if found else column).rpartition(", ")
    return setup, step


def _spread(results: Results) -> Drawn:
    """How a metric is spread over replications, row by row."""
    metric = results.experiment.metrics[0]
    drawn: Drawn = []
    for column in results.experiment.columns:
        groups = {row: results.known(row, column, metric) for row in results.experiment.rows}
        groups = {row: values for row, values in groups.items() if len(values)}
        if groups:
            chart = histogram(
                groups, x=NAMES.get(metric, metric), ends=(-1.0, 1.0), of="replications"
            )
            drawn.append(
                (chart, f"Of {len(next(iter(groups.values())))} replications; the paper shows one.")
            )
    return drawn


def _temperature(results: Results) -> Drawn:
    """Error by λ, for PairNet and kNN, in raw units and in units of the spread; the factual network
    as a level."""
    metric = results.experiment.metrics[0]
    drawn: Drawn = []
    for column in results.experiment.columns:
        series: dict[str, list[tuple[float, float, float, float]]] = {}
        steps: list[str] = []
        for row in results.experiment.rows:
            found = re.fullmatch(r"(\w+), λ = ([\d.]+)( of the spread)?", row)
            mean = results.mean(row, column, metric)
            if found is None or mean is None:
                continue
            if found[2] not in steps:
                steps.append(found[2])
            label = found[1] + (", units of the spread" if found[3] else ", raw units")
            place = float(steps.index(found[2]) + 1)
            series.setdefault(label, []).append(
                (place, mean, *_around(results.known(row, column, metric)))
            )
        chosen = [
            Line(label, *np.array(points).T) for label, points in series.items() if len(points) > 1
        ]
        level = results.mean("factual", column, metric)
        if chosen:
            named = {float(place): step for place, step in enumerate(steps, 1)}
            chart = lines(
                chosen,
                x="λ",
                y=NAMES[metric],
                level=None if level is None else {"factual": level},
                named=named,
            )
            drawn.append(
                (chart, f"{column}: the larger λ, the nearer are partners; λ = 0 is random.")
            )
    return drawn


def _map(results: Results) -> Drawn:
    """Where pairs pay: the change of the error by the pair loss, in per cent, as squares."""
    experiment, metric = results.experiment, results.experiment.metrics[0]
    grid: dict[str, dict[tuple[str, str], float]] = {}
    for column in experiment.columns:
        found = re.fullmatch(r"(\d+ rows), (\d+%) treated, confounding ([\d.]+)", column)
        factual, pairs = (results.mean(row, column, metric) for row in ("Factual", "PairNet"))
        if found is not None and factual is not None and pairs is not None:
            grid.setdefault(found[1], {})[found[2], found[3]] = 100 * (1 - pairs / factual)
    drawn: Drawn = []
    for rows, values in grid.items():
        shares, strengths = (list(dict.fromkeys(key[k] for key in values)) for k in (0, 1))
        numbers = [
            [values.get((share, strength), np.nan) for strength in strengths] for share in shares
        ]
        names = [f"{share} treated" for share in shares]
        chart = heat(
            numbers,
            rows=names,
            columns=strengths,
            x="confounding",
            y="treated",
            unit="% less error",
            says=f"{rows}",
        )
        sure = [
            f"{share} treated, confounding {strength}"
            for share in shares
            for strength in strengths
            if _sure(results, f"{rows}, {share} treated, confounding {strength}", metric)
        ]
        said = (
            f"{rows}: by how many per cent the pair loss lowers the error (blue, above 0) or "
            "raises it (orange)."
        )
        drawn.append(
            (
                chart,
                said
                + (
                    f" More than chance: {'; '.join(sure)}."
                    if sure
                    else " None is more than chance."
                ),
            )
        )
    return drawn


def _sure(results: Results, column: str, metric: str) -> bool:
    tested = results.test("PairNet", "Factual", column, metric)
    return tested is not None and not SURE <= tested.p_value <= 1 - SURE


def _around(values: np.ndarray) -> tuple[float, float]:
    """Return the mean less and plus two standard errors."""
    error = 2 * float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(values.mean() - error), float(values.mean() + error)
