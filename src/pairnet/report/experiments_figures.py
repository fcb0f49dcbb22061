"""The figures of experiments, drawn from their results: one function a kind of drawing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pairnet.bench.claims import BEYOND_CHANCE
from pairnet.bench.drawing import Gains, OverColumns, OverRows, Spread
from pairnet.bench.results import Results
from pairnet.bench.table import Column
from pairnet.report.charts import Chart, Curve, Point, dots, heat, histogram, lines
from pairnet.report.entries import NAMES, entries

Drawn = list[tuple[Chart, str]]  # charts with their captions
AROUND = "means, with two standard errors to either side."
MOST_COLUMNS = 4  # up to which each column has a chart of every row


def figures(results: Results) -> Drawn:
    """Return the figures of an experiment; most have one chart a column, of every row beside the
    paper's number."""
    match results.experiment.figure:
        case OverColumns() as drawing:
            return _over_columns(results, drawing)
        case OverRows() as drawing:
            return _over_rows(results, drawing)
        case Spread():
            return _spread(results)
        case Gains() as drawing:
            return _gains(results, drawing)
        case _:
            return _means(results)


def _means(results: Results) -> Drawn:
    """Means with twice their standard errors, ours and the paper's, a chart a column."""
    metric, columns = results.experiment.metrics[0], results.experiment.columns
    cells = entries(results, metric)
    drawn: Drawn = []
    for column in columns if len(columns) <= MOST_COLUMNS else ():
        marks = []
        for row in results.experiment.rows:
            if (row, column) in cells:
                mean, paper = cells[row, column].mean, cells[row, column].paper
                marks.append(Point(row, mean, *_ends(results, row, column, metric), "ours"))
                if paper is not None:
                    marks.append(Point(row, paper.value, group="the paper's"))
        if len(marks) > 1:
            says = f"{column}: {metric} of every row"
            chart = dots(marks, x=NAMES.get(metric, metric), reference=None, says=says)
            drawn.append((chart, f"{column}: {AROUND}"))
    return drawn


def _over_columns(results: Results, drawing: OverColumns) -> Drawn:
    """Rows as lines over a value of the columns, a chart for each metric and each part."""
    parts: dict[Any, list[Column]] = {}
    for column in results.experiment.columns.values():
        if drawing.x in column.values:
            parts.setdefault(column.values.get(drawing.split), []).append(column)
    drawn: Drawn = []
    for metric in drawing.metrics or results.experiment.metrics[:1]:
        name = NAMES.get(metric, metric)
        for part, columns in parts.items():
            places = _places([column.values[drawing.x] for column in columns], drawing.sizes)
            scale = _logarithm if drawing.logarithms else np.asarray
            series = _lines(results, metric, dict(zip(places, columns, strict=True)), scale)
            if series:
                y = f"log10 of {name}" if drawing.logarithms else name
                chart = lines(series, x=drawing.axis, y=y, named=places)
                which = f"{drawing.split.capitalize()} {part}, {name}" if drawing.split else name
                drawn.append((chart, f"{which}: {AROUND}"))
    return drawn


def _places(values: list[Any], sizes: bool) -> dict[float, str]:
    """Return where values stand on an axis, and what is written there."""
    if sizes:
        return {float(np.log10(value)): f"{value:,}" for value in values}
    return {float(step): f"{value:g}" for step, value in enumerate(values, start=1)}


def _logarithm(values: Any) -> np.ndarray:
    return np.log10(np.maximum(values, 1e-9))


def _lines(
    results: Results, metric: str, columns: dict[float, Column], scale: Callable[[Any], np.ndarray]
) -> list[Curve]:
    """Return a line for each row that has results in two of the columns or more."""
    series = []
    for row in results.experiment.rows:
        there = {
            place: column.label
            for place, column in columns.items()
            if results.mean(row, column.label, metric) is not None
        }
        if len(there) > 1:
            means = [results.mean(row, label, metric) for label in there.values()]
            ends = np.array([_ends(results, row, label, metric) for label in there.values()])
            curves = (scale(values) for values in (means, ends[:, 0], ends[:, 1]))
            series.append(Curve(row, list(there), *curves))
    return series


def _over_rows(results: Results, drawing: OverRows) -> Drawn:
    """Lines over a value of the rows, a chart for each column; one row as a level."""
    metric = results.experiment.metrics[0]
    rows = [row for row in results.experiment.rows.values() if drawing.x in row.values]
    drawn: Drawn = []
    for column in results.experiment.columns:
        there = [row for row in rows if results.mean(row.label, column, metric) is not None]
        steps = list(dict.fromkeys(row.values[drawing.x] for row in there))
        points: dict[str, list[tuple]] = {}
        for row in there:
            label = ", ".join(row.values[name] for name in drawing.lines)
            mean, ends = results.mean(row.label, column, metric), _ends(results, row.label, column)
            points.setdefault(label, []).append((steps.index(row.values[drawing.x]), mean, *ends))
        series = [_line(label, line) for label, line in points.items() if len(line) > 1]
        if series:
            level = results.mean(drawing.level, column, metric)
            chart = lines(
                series,
                x=drawing.axis,
                y=NAMES[metric],
                level=None if level is None else {drawing.level: level},
                named={float(place): f"{step:g}" for place, step in enumerate(steps, start=1)},
            )
            drawn.append((chart, f"{column}: {drawing.caption}"))
    return drawn


def _line(label: str, points: list[tuple]) -> Curve:
    place, mean, low, high = np.array(points, float).T
    return Curve(label, place + 1, mean, low, high)


def _spread(results: Results) -> Drawn:
    """How a metric is spread over replications, row by row."""
    metric = results.experiment.metrics[0]
    drawn: Drawn = []
    for column in results.experiment.columns:
        groups = {row: results.known(row, column, metric) for row in results.experiment.rows}
        groups = {row: values for row, values in groups.items() if len(values)}
        if groups:
            x = NAMES.get(metric, metric)
            chart = histogram(groups, x=x, ends=(-1.0, 1.0), of="replications")
            count = len(next(iter(groups.values())))
            drawn.append((chart, f"Of {count} replications; the paper shows one."))
    return drawn


def _gains(results: Results, drawing: Gains) -> Drawn:
    """Where pairs pay: the change of the error by the pair loss, in per cent, as squares."""
    places = (drawing.split, drawing.down, drawing.across)
    parts: dict[Any, dict[tuple, Column]] = {}
    for column in results.experiment.columns.values():
        inside = all(name in column.values for name in places)
        if inside and _gain(results, drawing, column) is not None:
            part, down, across = (column.values[name] for name in places)
            parts.setdefault(part, {})[down, across] = column
    return [
        _squares(results, drawing, f"{part} {drawing.split}", columns)
        for part, columns in parts.items()
    ]


def _squares(
    results: Results, drawing: Gains, part: str, columns: dict[tuple, Column]
) -> tuple[Chart, str]:
    downs, acrosses = (list(dict.fromkeys(place[k] for place in columns)) for k in (0, 1))
    gain = lambda place: _gain(results, drawing, columns[place]) if place in columns else np.nan
    names = {down: f"{down:.0%} {drawing.down}" for down in downs}
    chart = heat(
        [[gain((down, across)) for across in acrosses] for down in downs],
        rows=list(names.values()),
        columns=[f"{across:g}" for across in acrosses],
        x=drawing.across,
        y=drawing.down,
        unit="% less error",
        says=part,
    )
    sure = [
        f"{names[down]}, {drawing.across} {across:g}"
        for down in downs
        for across in acrosses
        if (down, across) in columns and _sure(results, drawing, columns[down, across])
    ]
    caption = (
        f"{part}: by how many per cent the pair loss lowers the error (blue, above 0) or "
        "raises it (orange)."
    )
    more = f"More than chance: {'; '.join(sure)}." if sure else "None is more than chance."
    return chart, f"{caption} {more}"


def _gain(results: Results, drawing: Gains, column: Column) -> float | None:
    """Return by how many per cent the row's error is below its rival's, None without results."""
    metric = results.experiment.metrics[0]
    own, rival = (results.mean(row, column.label, metric) for row in (drawing.row, drawing.rival))
    return None if own is None or rival is None else 100 * (1 - own / rival)


def _sure(results: Results, drawing: Gains, column: Column) -> bool:
    metric = results.experiment.metrics[0]
    test = results.test(drawing.row, drawing.rival, column.label, metric)
    return test is not None and not BEYOND_CHANCE <= test.p_value <= 1 - BEYOND_CHANCE


def _ends(
    results: Results, row: str, column: str, metric: str | None = None
) -> tuple[float, float]:
    """Return a cell's mean less and plus two standard errors."""
    values = results.known(row, column, metric or results.experiment.metrics[0])
    error = 2 * float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(values.mean() - error), float(values.mean() + error)
