"""The page and its charts: one file, no network, and whatever people call their columns stays
text."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from pairnet.report import charts
from pairnet.report.page import (
    Page,
    breakable,
    bullets,
    code,
    details,
    facts,
    figure,
    paragraph,
    table,
)
from pairnet.report.svg import Scale, say, wrapped

HOSTILE = "\"><script>alert(1)</script><b a='"
GRID = np.linspace(0, 60, 16)


def every_chart(name: str = "effect (EUR)") -> dict[str, charts.Chart]:
    rng = np.random.default_rng(0)
    curve = charts.Line(
        name, GRID, np.sin(GRID / 20), np.sin(GRID / 20) - 0.2, np.sin(GRID / 20) + 0.2
    )
    intervals = [charts.Interval(name, 1.0, 0.5, 2.0, group) for group in ("a", name)]
    return {
        "histogram": charts.histogram(
            {name: rng.normal(size=50), "b": [1, 2, 3]}, x=name, marks={name: 0}
        ),
        "lines": charts.lines(
            [curve, charts.Line("b", [0, 60], [1, 2])],
            x=name,
            y=name,
            level={name: 1},
            rug=[3, 4],
            faint=[curve],
        ),
        "scatter": charts.scatter(
            [charts.Cloud(name, [1, 2], [3.0, np.nan], [name, "b"])], x=name, y=name, diagonal=True
        ),
        "dots": charts.dots(
            [*intervals, charts.Interval("alone", -1)], x=name, reference_label=name
        ),
        "bars": charts.bars([*intervals, charts.Interval("alone", 3)], x=name),
        "heat": charts.heat(
            [[1.0, np.nan], [-2, 0.1]], rows=[name, "b"], columns=["a", name], x=name, unit=name
        ),
    }


def every_block(text: str):
    yield from (
        text,
        paragraph(text, kind="note"),
        bullets([text]),
        facts([(text, text, text)]),
        code(text),
    )
    yield table([text, "n"], [[text, 1], ["b", "2,000"]], text)
    yield details(text, text)
    yield from (figure(chart, text) for chart in every_chart(text).values())


def test_hostile_text_stays_text():
    page = Page(HOSTILE, HOSTILE).section(HOSTILE, *every_block(HOSTILE))
    html = page.html()
    assert html.count("<script") == 1  # the page's own
    assert "<b a" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_a_page_is_well_formed_and_asks_the_network_for_nothing():
    html = Page("t", "l").section("s", *every_block("x")).html()
    open_tags, void = [], {"meta", "link"}

    class Check(HTMLParser):
        def handle_starttag(self, tag, attributes):
            names = dict(attributes)
            assert not any(
                str(names.get(name, "")).startswith(("http", "//")) for name in ("src", "href")
            )
            open_tags.append(tag) if tag not in void else None

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

    Check().feed(html)
    assert open_tags == []
    assert "default-src 'none'" in html
    assert "url(" not in html
    assert "@import" not in html


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


def test_sections_with_one_title_have_their_own_places():
    page = Page("t", "l").section("A b").section("A b").section("!")
    assert [name for name, _, _ in page.sections] == ["a-b", "a-b-1", "section"]


def test_writing_is_whole_or_not_at_all(tmp_path):
    target = tmp_path / "page.html"
    assert Page("First", "l").write(target) == target
    broken = Page("Second", "l").section("s", table(["a"], [["1"]], "c"))
    broken.sections.append(("x", "y", None))  # cannot be drawn
    with pytest.raises(TypeError):
        broken.write(target)
    assert "First" in target.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(ValueError, match="does not exist"):
        Page("t", "l").write(tmp_path / "nowhere" / "page.html")
    with pytest.raises(ValueError, match="got the folder"):
        Page("t", "l").write(tmp_path)


def test_a_table_whose_rows_do_not_fit_is_refused():
    with pytest.raises(ValueError, match="2 cells, as the header has; got 1"):
        table(["a", "b"], [["1"]], "c")


def test_columns_of_a_table_are_set_by_what_they_hold():
    html = table(
        ["n", "level", "group"], [["1", "yes", "kidney is reduced"], ["−2.5", "no", "b"]], "c"
    ).__html__()
    assert html.count('class="right"') == 3
    assert html.count('class="wordy"') == 3  # short texts need no room that is kept for them


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0"),
        (1234.56, "1,235"),
        (-0.01234, "−0.0123"),
        (12.345, "12.3"),
        (3e-9, "3e-09"),
        (np.nan, "–"),
        (2e9, "2e+09"),
    ],
)
def test_numbers_are_written_for_people(value, said):
    assert say(value) == said


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
    whole = charts.dots([charts.Interval(label, 1.0)], x="effect").svg
    assert f'data-tip="{label}"' not in whole  # nothing was cut
    longer = " and ".join([label] * 6)
    assert f'data-tip="{longer}"' in charts.dots([charts.Interval(longer, 1.0)], x="effect").svg


def test_names_of_columns_may_be_broken_after_their_signs():
    assert (
        breakable("a_b <of> first_interview=yes__")
        == "a_b &lt;of&gt; first_<wbr>interview=<wbr>yes__"
    )


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-3e-5, 2e-5), (1e6, 3.2e6), (999.5, 1000.5), (-7, 13)]
)
def test_ticks_are_round_and_inside(low, high):
    scale = Scale(low, high, 0, 100)
    ticks = scale.ticks()
    assert 3 <= len(ticks) <= 8
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)
    assert len(set(scale.labels(ticks))) == len(ticks)
