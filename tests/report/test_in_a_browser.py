"""How a report looks to a browser, at every width."""

from itertools import combinations

import pytest

from browser import Browser, found
from pairnet.report.charts import Point, bars, dots, histogram
from pairnet.report.document import Document, figure
from report_helpers import SECTIONS


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if found() is None:
        pytest.skip("no Chromium on this machine")
    with Browser(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


@pytest.mark.parametrize("kind", SECTIONS)
def test_a_browser_shows_it_at_every_width_without_complaints(pages, browser, tmp_path, kind):
    path = pages[kind].write(tmp_path / "report.html")
    for width, dark in ((1200, False), (390, False), (390, True)):
        browser.show(path, width=width, dark=dark)
        assert browser.trouble == []
        assert browser.ask("document.documentElement.scrollWidth") <= width
        drawn = browser.ask(
            "[...document.querySelectorAll('svg.chart')].map(c => c.getBoundingClientRect().height)"
        )
        assert len(drawn) >= 8
        assert min(drawn) > 50
        letters = browser.ask(
            "Math.min(...[...document.querySelectorAll('svg.chart')].map(c => c.getBoundingClientRect().width / 560 * "
            "parseFloat(getComputedStyle(c.querySelector('text')).fontSize)))"
        )
        assert letters >= 11  # pixels: legible on a phone, too


@pytest.mark.parametrize("kind", SECTIONS)
def test_the_answer_is_on_the_first_screen_and_the_page_is_short(pages, browser, tmp_path, kind):
    browser.show(pages[kind].write(tmp_path / "report.html"), width=1200)
    assert browser.ask("document.documentElement.scrollHeight") <= 4000
    assert browser.ask("document.querySelector('.facts').getBoundingClientRect().bottom") <= 900
    assert browser.ask("[...document.querySelectorAll('main details')].some(d => d.open)") is False


def test_a_link_to_a_folded_part_opens_it(pages, browser, tmp_path):
    browser.show(pages["arms"].write(tmp_path / "report.html"), width=1200)
    is_open = "document.getElementById('the-data').closest('details').open"
    assert not browser.ask(is_open)
    browser.ask("document.querySelector('nav a[href=\"#the-data\"]').click()")
    browser.ask("new Promise(done => setTimeout(done, 50))", wait=True)
    assert browser.ask(is_open)


def test_on_paper_everything_is_unfolded_and_charts_are_whole(pages, browser, tmp_path):
    browser.show(pages["arms"].write(tmp_path / "report.html"), width=800)
    browser.call("Emulation.setEmulatedMedia", here=True, media="print")
    shown = (
        "[...document.querySelectorAll('main figure, main .scroll')]"
        ".filter(each => !each.closest('.numbers')).map(each => each.checkVisibility("
        "{contentVisibilityAuto: true}) && each.getBoundingClientRect().height > 20 && "
        "getComputedStyle(each).breakInside === 'avoid')"
    )
    assert len(browser.ask(shown)) > 10
    assert all(browser.ask(shown))
    browser.call("Emulation.setEmulatedMedia", here=True, media="")


WIDER = """[...document.querySelectorAll('.scroll')].filter(each => each.scrollWidth > each.clientWidth + 1)
    .map(each => [each.getAttribute('aria-label'), getComputedStyle(each).backgroundAttachment])"""


@pytest.mark.parametrize("kind", SECTIONS)
def test_tables_fit_a_phone_or_show_that_they_go_on(pages, browser, tmp_path, kind):
    path = pages[kind].write(tmp_path / "report.html")
    for width in (1200, 390):
        browser.show(path, width=width)
        for caption, background in browser.ask(WIDER):
            assert caption.startswith(
                ("A row with", "Covariates", "The best line")
            )  # many columns, or names and values that are long
            assert (
                background == "local, local, scroll, scroll"
            )  # covers that move away, and shadows that stay


LONG = [
    "household_income_before_taxes_and_transfers_eur at most 21,000 and lives_alone_or_with_children_only is no",
    "employment_status_at_first_interview=self-employed with staff",
    "HIGHEST_EDUCATIONAL_QUALIFICATION_OF_THE_HEAD_OF_THE_HOUSEHOLD",
    "最終学歴" * 20,
    "age",
]


PLACES = """[...document.querySelectorAll('svg.chart')].map(chart => {
    const box = each => { const r = each.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
    return [box(chart), [...chart.querySelectorAll('text')].map(box)];
})"""


@pytest.mark.parametrize("width", [1200, 500, 375])
def test_long_names_stay_in_their_chart_and_off_one_another(browser, tmp_path, width):
    points = [
        Point(name, k, k - 1, k + 1, group)
        for k, name in enumerate(LONG)
        for group in ("observed", "weighted")
    ]
    short = [Point(name, 1) for name in ("no", "smallest fifth")]
    name = f"effect on the chance of {LONG[1]} (percentage points)"
    drawn = [
        dots(points, x=name),
        bars(points, x=name),
        dots(short, x=name),
        histogram({"a": [1, 2, 3]}, x=name),
    ]
    page = Document("t", "l").section("s", *(figure(chart, "c") for chart in drawn))
    browser.show(page.write(tmp_path / "page.html"), width=width)
    assert browser.ask("document.documentElement.scrollWidth") <= width
    for (left, _, right, bottom), texts in browser.ask(PLACES):
        for text in texts:
            assert left - 2 <= text[0] < text[2] <= right + 2
            assert text[3] <= bottom + 2
        for first, second in combinations(texts, 2):
            aside = first[2] <= second[0] + 1 or second[2] <= first[0] + 1
            assert (
                aside or first[3] <= second[1] + 3 or second[3] <= first[1] + 3
            )  # boxes have room above letters


def test_pointing_at_a_chart_says_its_numbers(pages, browser, tmp_path):
    browser.show(pages["arms"].write(tmp_path / "report.html"), width=390)
    said = browser.ask(
        "(() => { const mark = document.querySelector('[data-tip]'); mark.scrollIntoView();"
        " mark.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, clientX: 300, clientY: 100}));"
        " const tip = document.getElementById('tip');"
        " return [tip.hidden, tip.textContent === mark.dataset.tip, tip.getBoundingClientRect().right]; })()"
    )
    assert said[:2] == [False, True]
    assert said[2] <= 390
