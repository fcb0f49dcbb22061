"""Drawing: what is written is escaped, and long texts find room."""

import numpy as np
import pytest
from markupsafe import Markup

from blocks import HOSTILE
from pairnet.report.charts.axes import Axes, Scale
from pairnet.report.svg import drawing, element, line, path, size, text_in_lines, wrapped


def test_text_and_attributes_are_escaped_but_elements_are_not():
    inner = element("text", HOSTILE, data_tip=HOSTILE)
    assert "<script>" not in inner
    assert "<b a" not in inner
    assert element("g", inner) == Markup("<g>") + inner + Markup("</g>")


def test_attributes_are_written_as_svg_has_them():
    drawn = element("path", stroke_width=2.0, class_="line", stroke_dasharray=None)
    assert drawn == '<path stroke-width="2" class="line"></path>'


def test_places_have_one_decimal():
    assert path([1.04, 2], [3.16, np.float64(4)]) == "M1 3.2L2 4"
    assert path([0, 1, 1], [0, 0, 1], closed=True).endswith("Z")
    assert line(0.123, 1, 2, 3).startswith('<line x1="0.1" y1="1"')


def test_a_drawing_says_what_it_shows():
    picture = drawing([line(0, 0, 1, 1)], 120.5, "Effects by age")
    assert 'viewBox="0 0 560 120.5"' in picture
    assert 'role="img"' in picture
    assert 'aria-label="Effects by age"' in picture


def test_long_labels_go_on_in_the_next_line_and_say_all_when_cut():
    label = "employment_status_at_first_interview=self-employed with staff"
    assert wrapped(label, 40, lines=2) == [
        "employment_status_at_first_interview=",
        "self-employed with staff",
    ]
    assert wrapped(label, 40) == ["employment_status_at_first_interview=se…"]
    assert wrapped("x" * 25, 10, lines=3) == ["x" * 10, "x" * 10, "x" * 5]
    assert wrapped("short", 10) == ["short"]
    assert wrapped("", 10) == []


def test_wide_letters_take_more_room():
    assert size("abc") == 3
    assert size("ABC") > size("abc")
    assert size("最終学歴") > 1.5 * size("abcd")
    assert len(wrapped("最終学歴" * 10, 20)[0]) < 20


def test_a_text_that_was_cut_says_all_of_itself():
    rows = wrapped("a long label", 8)
    assert 'data-tip="a long label"' in text_in_lines("a long label", rows, x=0, y=0)
    assert "data-tip" not in text_in_lines("short", ["short"], x=0, y=0)


def test_further_lines_stand_below_the_first():
    drawn = text_in_lines("a b", ["a", "b"], x=5, y=7)
    assert drawn == '<text x="5" y="7">a<tspan x="5" dy="21">b</tspan></text>'


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-3e-5, 2e-5), (1e6, 3.2e6), (999.5, 1000.5), (-7, 13)]
)
def test_ticks_are_round_and_inside(low, high):
    scale = Scale(low, high, 0, 100)
    ticks = scale.ticks()
    assert 3 <= len(ticks) <= 8
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)
    assert len(set(scale.labels(ticks))) == len(ticks)


def test_ticks_cover_the_range():
    ticks = Scale(0.3, 9.7, 0, 100).ticks()
    assert np.allclose(np.diff(ticks), ticks[1] - ticks[0])
    assert ticks[0] - 0.3 < ticks[1] - ticks[0]
    assert 9.7 - ticks[-1] < ticks[1] - ticks[0]


def test_a_scale_holds_its_values_with_a_little_room():
    scale = Scale.over([2, np.nan, 4, np.inf], 0, 100, room=0.1)
    assert (scale.low, scale.high) == pytest.approx((1.8, 4.2))
    assert 0 < scale(2) < scale(4) < 100
    tight = Scale.over([2, 4], 0, 100, room=0.1, ends=(False, True))
    assert tight(2) == 0


@pytest.mark.parametrize("values", [[], [np.nan], [0.0], [5, 5], [-3]])
def test_a_scale_of_one_value_or_none_can_be_drawn(values):
    scale = Scale.over(values, 0, 100)
    assert scale.low < scale.high
    assert len(scale.ticks()) >= 2


def test_scales_may_point_upwards():
    scale = Scale(0, 10, 200, 20)
    assert scale(0) == 200
    assert scale(10) == 20


def test_axes_name_places_where_they_are_no_numbers():
    drawn = Axes.around([1, 2], [0, 1], ("x", "y")).draw(named={1.0: "few", 2.0: "many"})
    assert ">few<" in drawn
    assert ">many<" in drawn
    assert ">1.5<" not in drawn


def test_a_long_name_of_x_makes_the_picture_higher():
    short = Axes.around([0, 1], [0, 1], ("dose", "y"))
    long = Axes.around([0, 1], [0, 1], ("a long name of an axis " * 5, "y"))
    assert short.whole == short.height
    assert long.whole > long.height
