"""Figures of experiments stand at the values of rows and columns, whatever their labels say."""

import dataclasses

import numpy as np
import pytest

from pairnet.bench.drawing import Gains, OverColumns, OverRows, Spread
from pairnet.bench.experiment import Experiment
from pairnet.bench.results import Cell, Results
from pairnet.bench.table import Column, Row, labelled
from pairnet.report.experiments_figures import figures


def results_of(rows, columns, figure=None, mean=lambda row, column: 1.0):
    """Return results whose cells are near a mean that depends on the row and the column."""
    around = lambda row: np.array([-0.1, 0.0, 0.1]) + 0.001 * len(row.label) * np.array([1, 2, -3])
    experiment = Experiment(
        name="made",
        title="Made",
        asks="?",
        rows=labelled(rows),
        columns=labelled(columns),
        metrics=("pehe_out",),
        figure=figure,
    )
    cells = {
        (row.label, column.label): Cell({"pehe_out": mean(row, column) + around(row)}, 3, 0, 0, 0.0)
        for row in rows
        for column in columns
    }
    return Results(experiment, cells)


def captions(results):
    return [caption for _, caption in figures(results)]


PAIR = [Row("ours"), Row("theirs")]


def test_every_row_is_shown_for_each_of_few_columns():
    few = [Column(name, ()) for name in "abcd"]
    shown = captions(results_of(PAIR, few))
    assert shown == [f"{name}: means, with two standard errors to either side." for name in "abcd"]
    assert captions(results_of(PAIR, [*few, Column("e", ())])) == []


def test_lines_stand_over_the_columns_that_have_the_value_a_chart_for_each_part():
    columns = [
        Column(f"column {n}", (), {"step": step, "setup": setup})
        for n, (setup, step) in enumerate([("A", 0.1), ("A", 0.5), ("B", 0.1), ("B", 0.5)])
    ]
    drawing = OverColumns(x="step", axis="the step", split="setup")
    drawn = figures(results_of(PAIR, [*columns, Column("another", ())], drawing))
    assert [caption.partition(",")[0] for _, caption in drawn] == ["Setup A", "Setup B"]
    for chart, _ in drawn:
        assert ">0.1<" in chart.svg
        assert ">0.5<" in chart.svg
        assert "the step" in chart.svg


def test_sizes_stand_at_their_logarithms():
    columns = [Column(f"{n}", (), {"rows": n}) for n in (100, 10_000)]
    drawing = OverColumns(x="rows", axis="rows", sizes=True, logarithms=True)
    ((chart, caption),) = figures(results_of(PAIR, columns, drawing))
    assert "log10 of PEHE" in chart.svg
    assert ">10,000<" in chart.svg
    assert caption.startswith("PEHE, test rows: means")


def test_lines_stand_over_a_value_of_rows_and_one_row_is_a_level():
    rows = [
        Row(f"row {k}", None, {"lambda": k, "method": "PairNet", "units": "raw units"})
        for k in (0, 1, 5)
    ]
    drawing = OverRows(
        x="lambda", axis="λ", lines=("method", "units"), level="factual", caption="as said."
    )
    ((chart, caption),) = figures(
        results_of([*rows, Row("factual")], [Column("IHDP", ())], drawing)
    )
    assert caption == "IHDP: as said."
    assert "PairNet, raw units" in chart.svg
    assert "factual" in chart.svg
    assert "row 5" not in chart.svg


def test_gains_are_squares_of_two_values_and_say_which_are_more_than_chance():
    columns = [
        Column(f"{k}", (), {"rows": rows, "treated": share, "confounding": strength})
        for k, (rows, share, strength) in enumerate(
            [(200, 0.05, 0.0), (200, 0.5, 0.0), (1000, 0.05, 3.0)]
        )
    ]
    better = lambda row, column: 0.5 if row.label == "ours" and column.label == "1" else 1.0
    drawing = Gains("ours", "theirs", split="rows", down="treated", across="confounding")
    results = results_of(PAIR, [*columns, Column("none of these", ())], drawing, better)
    few, many = captions(results)
    assert few.startswith("200 rows: by how many per cent the pair loss lowers the error")
    assert many.startswith("1000 rows: ")
    assert many.endswith("None is more than chance.")


@pytest.mark.parametrize("count", [2, 3])
def test_a_spread_says_how_many_replications_it_is_of(count):
    results = results_of(PAIR, [Column("points", ())], Spread())
    cells = {
        place: dataclasses.replace(cell, metrics={"pehe_out": cell.metrics["pehe_out"][:count]})
        for place, cell in results.cells.items()
    }
    assert captions(Results(results.experiment, cells)) == [
        f"Of {count} replications; the paper shows one."
    ]
