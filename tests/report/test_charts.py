"""Charts draw what they are given, say it when pointed at, and have it as numbers."""

import re

import numpy as np
import pytest

from blocks import every_chart
from pairnet.report import charts
from pairnet.report.charts.base import COLOURS, mark


def tips(chart: charts.Chart) -> list[str]:
    return re.findall('data-tip="([^"]*)"', chart.svg)


def names(chart: charts.Chart) -> list[str]:
    return [name for name, _ in chart.legend]


def places(chart: charts.Chart, tag: str, attribute: str) -> list[float]:
    return [float(value) for value in re.findall(rf'<{tag}[^>]*\b{attribute}="([^"]*)"', chart.svg)]


@pytest.mark.parametrize("name", every_chart())
def test_charts_say_their_numbers_and_what_they_are(name):
    chart = every_chart()[name]
    assert 'role="img"' in chart.svg
    assert "aria-label=" in chart.svg
    assert "data-tip=" in chart.svg
    assert "nan" not in chart.svg.lower()
    assert "effect (EUR)" in chart.svg
    assert all(len(row) == len(chart.header) for row in chart.rows)
    assert re.search(r'viewBox="0 0 560 [\d.]+"', chart.svg)


def test_long_labels_are_cut_and_say_all():
    label = "employment_status_at_first_interview=self-employed with staff"
    whole = charts.dots([charts.Point(label, 1.0)], x="effect").svg
    assert f'data-tip="{label}"' not in whole  # nothing was cut
    longer = " and ".join([label] * 6)
    assert f'data-tip="{longer}"' in charts.dots([charts.Point(longer, 1.0)], x="effect").svg


def test_series_differ_in_colour_and_in_marks_or_dashes():
    shapes = [re.sub(' class="[^"]*"', "", mark(0, 0, k, size=5.0)) for k in range(COLOURS)]
    assert len(set(shapes)) == COLOURS
    series = [charts.Curve(f"{k}", [0, 1], [k, k + 1]) for k in range(COLOURS)]
    drawn = charts.lines(series, x="x", y="y").svg
    assert len(set(re.findall('class="line (c[0-9])"', drawn))) == COLOURS
    assert len(set(re.findall('stroke-dasharray="([^"]*)"', drawn))) == COLOURS - 1  # one is whole


def test_more_series_than_colours_can_be_drawn():
    points = [charts.Point("a", 1, group=f"group {k}") for k in range(COLOURS + 2)]
    assert len(names(charts.dots(points, x="x", reference=None))) == COLOURS + 2


# Histograms


def test_a_histogram_of_one_group_counts():
    chart = charts.histogram({"effect": [0, 0, 1, 2, np.nan]}, x="effect", bins=2, ends=(0, 2))
    assert chart.header == ("effect", "rows")
    assert chart.rows == (("0 to 1.00", 2), ("1.00 to 2.00", 2))
    assert tips(chart) == ["0 to 1.00: 2 rows (50.0 %)", "1.00 to 2.00: 2 rows (50.0 %)"]
    assert chart.legend == ()


def test_a_histogram_of_several_groups_compares_shares():
    chart = charts.histogram({"a": [0, 0, 0, 1], "b": [1]}, x="x", bins=2, ends=(0, 1), of="people")
    assert chart.header == ("x", "a", "b")
    assert chart.rows == (("0 to 0.500", 3, 0), ("0.500 to 1.00", 1, 1))
    assert tips(chart) == [
        "a: 0 to 0.500: 3 people (75.0 %)",
        "a: 0.500 to 1.00: 1 people (25.0 %)",
        "b: 0.500 to 1.00: 1 people (100.0 %)",
    ]
    assert names(chart) == ["a", "b"]
    assert "share of people (%)" in chart.svg


def test_marks_of_a_histogram_are_in_the_legend_and_inside():
    chart = charts.histogram({"x": [0, 1]}, x="x", marks={"average": 5.0})
    assert names(chart) == ["average: 5.00"]
    assert "average: 5.00" in tips(chart)
    assert max(places(chart, "line", "x1")) < 560


# Lines


def test_the_numbers_of_lines_are_a_table():
    curve = charts.Curve("ours", [1, 2], [10, 20], [9, 18], [11, 22])
    chart = charts.lines([curve, charts.Curve("theirs", [1, 2], [5, np.nan])], x="dose", y="effect")
    assert chart.header == ("line", "dose", "effect", "from", "to")
    assert chart.rows == (
        ("ours", "1.00", "10.0", "9.00", "11.0"),
        ("ours", "2.00", "20.0", "18.0", "22.0"),
        ("theirs", "1.00", "5.00", "", ""),
    )
    assert "ours: dose 1.00, effect 10.0 (9.00 to 11.0)" in tips(chart)
    assert chart.svg.count('class="band') == 1


def test_lines_without_bands_have_no_columns_for_them():
    assert charts.lines([charts.Curve("a", [0], [1])], x="x", y="y").header == ("line", "x", "y")


def test_many_points_are_thinned_in_the_table_but_not_in_the_picture():
    x = np.arange(100.0)
    chart = charts.lines([charts.Curve("a", x, x)], x="x", y="y")
    assert len(chart.rows) == 24
    assert (chart.rows[0][1], chart.rows[-1][1]) == ("0", "99.0")
    assert chart.svg.count("<circle") == 100


def test_the_legend_of_lines_names_all_that_is_drawn():
    curve = charts.Curve("average", [0, 1], [0, 1])
    faint = [charts.Curve("one row", [0, 1], [1, 0])] * 3
    chart = charts.lines(
        [curve], x="x", y="y", level={"none": 0.5}, rug=[0.1, 0.2], rug_label="seen", faint=faint
    )
    assert names(chart) == ["average", "one row", "none", "seen"]
    assert chart.svg.count('class="rug"') == 2
    assert chart.svg.count('class="faint"') == 3
    assert "none: 0.500" in tips(chart)


def test_places_may_have_names():
    curve = charts.Curve("a", [1.0, 2.0], [3, 4])
    chart = charts.lines([curve], x="λ", y="y", named={1.0: "0", 2.0: "10"})
    assert [row[1] for row in chart.rows] == ["0", "10"]


# Scatter plots


def test_a_scatter_plot_leaves_out_what_is_missing():
    cloud = charts.Cloud("a", [1, 2, np.nan], [1, np.nan, 3])
    chart = charts.scatter([cloud], x="truth", y="estimate")
    assert tips(chart) == ["truth 1.00, estimate 1.00"]
    assert chart.legend == ()


def test_clouds_and_the_diagonal_are_in_the_legend():
    clouds = [charts.Cloud("a", [1, 2], [1, 2], ["first", "second"]), charts.Cloud("b", [3], [3])]
    chart = charts.scatter(clouds, x="x", y="y", diagonal=True)
    assert names(chart) == ["a", "b", "equal"]
    assert tips(chart) == ["first", "second", "x 3.00, y 3.00"]
    assert chart.svg.count('class="mark"') == 1


# Dots and bars


def test_dots_have_their_numbers_as_a_table():
    points = [charts.Point("a", 1, 0, 2, "ours"), charts.Point("a", 1.5, group="theirs")]
    chart = charts.dots(points, x="effect")
    assert chart.header == ("", "group", "effect", "from", "to")
    assert chart.rows == (("a", "ours", "1.00", "0", "2.00"), ("a", "theirs", "1.50", "", ""))
    assert names(chart) == ["ours", "theirs", "no effect"]
    assert "ours, a: 1.00 (0 to 2.00)" in tips(chart)
    assert chart.svg.count('class="whisker') == 1


def test_one_group_needs_no_column_and_no_colour_in_the_legend():
    chart = charts.dots([charts.Point("a", 1), charts.Point("b", 2)], x="x", reference=None)
    assert chart.header == ("", "x", "from", "to")
    assert chart.legend == ()


def test_a_missing_value_keeps_its_row_but_draws_no_dot():
    chart = charts.dots([charts.Point("a", np.nan), charts.Point("b", 1)], x="x", reference=None)
    assert [row[:2] for row in chart.rows] == [("a", "–"), ("b", "1.00")]
    assert chart.svg.count("<circle") == 1
    assert ">a<" in chart.svg


def test_dots_stand_in_the_order_of_their_values_along_the_axis():
    chart = charts.dots([charts.Point(f"{k}", k) for k in range(4)], x="x")
    across, down = places(chart, "circle", "cx"), places(chart, "circle", "cy")
    assert across == sorted(across)
    assert down == sorted(down)


def test_a_point_may_say_something_of_its_own():
    chart = charts.bars([charts.Point("a", 1, tip="five rows")], x="x")
    assert "five rows" in tips(chart)


def test_bars_begin_at_zero_whatever_their_sign():
    chart = charts.bars([charts.Point("up", 2.0), charts.Point("down", -2.0)], x="x")
    up, down = re.findall(r'<rect x="([\d.]+)" width="([\d.]+)"[^>]*class="bar', chart.svg)
    assert float(up[0]) == pytest.approx(float(down[0]) + float(down[1]), abs=0.2)
    assert up[1] == down[1]


def test_longer_labels_stand_above_their_rows():
    short = charts.dots([charts.Point("age", 1)], x="x")
    long = charts.dots([charts.Point("age at the first interview", 1)], x="x")
    assert 'text-anchor="end">age<' in short.svg
    assert 'class="blank"' not in short.svg
    assert 'class="blank"' in long.svg


# Heat maps


def test_a_heat_map_has_colours_by_sign_and_strength():
    chart = charts.heat(
        [[4.0, -2.0, np.nan]], rows=["r"], columns=["a", "b", "c"], y="row", unit="%"
    )
    assert tips(chart) == ["r, a: 4.00 %", "r, b: −2.00 %"]
    assert re.findall('class="(hot|cold)"', chart.svg) == ["hot", "cold"]
    strong, weak = map(float, re.findall('fill-opacity="([^"]*)"', chart.svg))
    assert strong > weak
    assert chart.header == ("row", "a", "b", "c")
    assert chart.rows == (("r", "4.00", "−2.00", "–"),)


def test_a_heat_map_without_numbers_can_be_drawn():
    empty = charts.heat([[np.nan]], rows=["r"], columns=["c"])
    assert tips(empty) == []
    assert empty.rows == (("r", "–"),)


def test_narrow_squares_hold_no_numbers_and_tilt_their_names():
    columns = [f"column {k}" for k in range(14)]
    chart = charts.heat(np.ones((1, 14)), rows=["r"], columns=columns)
    assert 'class="cell' not in chart.svg
    assert chart.svg.count("rotate(-35") == 14
