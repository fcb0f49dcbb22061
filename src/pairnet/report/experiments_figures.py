"""The figures of experiments, drawn from their results: one function for each kind of drawing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pairnet.bench.claims import BEYOND_CHANCE
from pairnet.bench.drawing import Gains, OverColumns, OverRows, Spread
from pairnet.bench.results import Results
from pairnet.bench.table import Column, Row
from pairnet.report.charts import Chart, Curve, Point, dots, heat, histogram, lines
from pairnet.report.entries import NAMES, entries

Drawn = list[tuple[Chart, str]]  # charts with their captions
AROUND = "means, with two standard errors to either side."
MOST_COLUMNS = 4  # with more columns, there is no chart of every row for each


def figures(results: Results) -> Drawn:
    """Return the figures of an experiment.

    Most experiments have one chart a column, with every row beside the paper's number.
    """
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
    """Draw means with twice their standard errors, ours and the paper's, one chart a column."""
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
    """Draw rows as lines over a value of the columns, one chart for each metric and part."""
    parts: dict[Any, list[Column]] = {}
    for column in results.experiment.columns.values():
        if drawing.x in column.values:
            part = column.values[drawing.split] if drawing.split else None
            parts.setdefault(part, []).append(column)
    drawn: Drawn = []
    for metric in drawing.metrics or results.experiment.metrics[:1]:
        name = NAMES.get(metric, metric)
        y = f"log10 of {name}" if drawing.logarithms else name
        for part, columns in parts.items():
            ticks = _ticks([column.values[drawing.x] for column in columns], drawing.sizes)
            series = _rows_over(results, metric, dict(zip(ticks, columns, strict=True)), drawing)
            if series:
                chart = lines(series, x=drawing.axis, y=y, named=ticks)
                which = f"{drawing.split.capitalize()} {part}, {name}" if drawing.split else name
                drawn.append((chart, f"{which}: {AROUND}"))
    return drawn


def _rows_over(
    results: Results, metric: str, columns: dict[float, Column], drawing: OverColumns
) -> list[Curve]:
    """Return a line for each row, over the columns at their places."""
    scale = _logarithm if drawing.logarithms else np.asarray
    series = []
    for row in results.experiment.rows:
        cells = {place: (row, column.label) for place, column in columns.items()}
        cells = {place: cell for place, cell in cells.items() if _has(results, cell, metric)}
        if len(cells) > 1:
            series.append(_line(results, row, cells, metric, scale))
    return series


def _over_rows(results: Results, drawing: OverRows) -> Drawn:
    """Draw lines over a value of the rows, one chart for each column; one row is a level."""
    metric = results.experiment.metrics[0]
    drawn: Drawn = []
    for column in results.experiment.columns:
        rows = [
            row
            for row in results.experiment.rows.values()
            if drawing.x in row.values and _has(results, (row.label, column), metric)
        ]
        ticks = _ticks(list(dict.fromkeys(row.values[drawing.x] for row in rows)))
        series = [
            _line(results, label, cells, metric)
            for label, cells in _cells_of_lines(rows, column, drawing).items()
            if len(cells) > 1
        ]
        if series:
            level = results.mean(drawing.level, column, metric)
            levels = None if level is None else {drawing.level: level}
            chart = lines(series, x=drawing.axis, y=NAMES[metric], level=levels, named=ticks)
            drawn.append((chart, f"{column}: {drawing.caption}"))
    return drawn


def _cells_of_lines(
    rows: list[Row], column: str, drawing: OverRows
) -> dict[str, dict[float, tuple[str, str]]]:
    """Return, for each line, the cells that it goes through, by their places."""
    steps = list(dict.fromkeys(row.values[drawing.x] for row in rows))
    cells: dict[str, dict[float, tuple[str, str]]] = {}
    for row in rows:
        label = ", ".join(row.values[name] for name in drawing.lines)
        place = float(steps.index(row.values[drawing.x]) + 1)
        cells.setdefault(label, {})[place] = (row.label, column)
    return cells


def _line(
    results: Results,
    label: str,
    cells: dict[float, tuple[str, str]],
    metric: str,
    scale: Callable[[Any], np.ndarray] = np.asarray,
) -> Curve:
    """Return a line through the means of cells, with a band of two standard errors."""
    means = [results.mean(*cell, metric) for cell in cells.values()]
    lows, highs = np.array([_ends(results, *cell, metric) for cell in cells.values()]).T
    return Curve(label, list(cells), scale(means), scale(lows), scale(highs))


def _ticks(values: list[Any], sizes: bool = False) -> dict[float, str]:
    """Return the places of values on an axis, and their labels."""
    if sizes:
        return {float(np.log10(value)): f"{value:,}" for value in values}
    return {float(step): f"{value:g}" for step, value in enumerate(values, start=1)}


def _logarithm(values: Any) -> np.ndarray:
    return np.log10(np.maximum(values, 1e-9))


def _has(results: Results, cell: tuple[str, str], metric: str) -> bool:
    return results.mean(*cell, metric) is not None


def _spread(results: Results) -> Drawn:
    """Draw how a metric is spread over replications, row by row."""
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
    """Draw where pairs pay: the change of the error by the pair loss, in per cent, as squares."""
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
    gains = {place: _gain(results, drawing, column) for place, column in columns.items()}
    chart = heat(
        [[gains.get((down, across), np.nan) for across in acrosses] for down in downs],
        rows=[f"{down:.0%} {drawing.down}" for down in downs],
        columns=[f"{across:g}" for across in acrosses],
        x=drawing.across,
        y=drawing.down,
        unit="% less error",
        says=part,
    )
    sure = [
        f"{down:.0%} {drawing.down}, {drawing.across} {across:g}"
        for (down, across), column in columns.items()
        if _sure(results, drawing, column)
    ]
    caption = (
        f"{part}: by how many per cent the pair loss lowers the error (blue, above 0) or raises it "
        "(orange)."
    )
    more = f"More than chance: {'; '.join(sure)}." if sure else "None is more than chance."
    return chart, f"{caption} {more}"


def _gain(results: Results, drawing: Gains, column: Column) -> float | None:
    """Return by how many per cent the row's error is below its rival's; None without results."""
    metric = results.experiment.metrics[0]
    own, rival = (results.mean(row, column.label, metric) for row in (drawing.row, drawing.rival))
    return None if own is None or rival is None else 100 * (1 - own / rival)


def _sure(results: Results, drawing: Gains, column: Column) -> bool:
    metric = results.experiment.metrics[0]
    test = results.test(drawing.row, drawing.rival, column.label, metric)
    return test is not None and not BEYOND_CHANCE <= test.p_value <= 1 - BEYOND_CHANCE


def _ends(results: Results, row: str, column: str, metric: str) -> tuple[float, float]:
    """Return a cell's mean less and plus two standard errors."""
    values = results.known(row, column, metric)
    error = 2 * float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(values.mean() - error), float(values.mean() + error)
