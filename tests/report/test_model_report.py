"""The report of a fitted model: its numbers, its words, and how it looks to a browser."""

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from browser import Browser, found
from checks import QUICK, SMALL
from pairnet import PairNet, TARNet, VCNet
from pairnet.evidence.support import support
from pairnet.inference import averages
from pairnet.inference.intervals import Estimate
from pairnet.model import question
from pairnet.report.charts import Point, bars, dots, histogram
from pairnet.report.document import Document, figure
from pairnet.report.model import model_report, scores
from pairnet.report.model.people import by_column, said_of
from pairnet.report.model.scores import Scored, calibration, gain_curve, scored
from pairnet.report.model.subject import subject_of as view
from pairnet.report.model.tree import Bounds, condition, leaves
from pairnet.tables.columns import Category, Quantity

HOSTILE = "<script>alert(1)</script>"


def table(n: int = 320, seed: int = 0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            HOSTILE: rng.normal(size=n),
            "region": rng.choice(["north", "<b>south"], n),
            "member": rng.random(n) < 0.5,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    frame.loc[rng.random(n) < 0.1, HOSTILE] = np.nan
    return rng, frame


def fitted(kind: str):
    rng, frame = table()
    member = frame["member"].to_numpy()
    if kind == "doses":
        dose = pd.Series(rng.uniform(0, 60, len(frame)), name="dose (mg)")
        y = pd.Series(
            20 + dose / 60 * (1 + 4 * member) + 0.2 * rng.normal(size=len(frame)), name="pressure"
        )
        base, t = VCNet(**SMALL, l2=0.1), dose
    else:
        arms = ["none", "small", HOSTILE] if kind == "arms" else [False, True]
        arm = rng.integers(0, len(arms), len(frame))
        score = arm * (1 + 4 * member)
        if kind == "yes or no":
            y = pd.Series(rng.random(len(frame)) < 1 / (1 + np.exp(1 - score)), name="came")
        else:
            y = pd.Series(20 + score + 0.2 * rng.normal(size=len(frame)), name="spend")
        base, t = TARNet(**SMALL, l2=0.1), pd.Series(np.asarray(arms)[arm], name="discount")
    model = PairNet(base=base, members=3, bootstrap=True, plan=QUICK)
    return model.fit(frame, y, treatment=t), frame, y, t


@pytest.fixture(scope="module")
def models():
    return {kind: fitted(kind) for kind in ("arms", "doses", "yes or no")}


@pytest.fixture(scope="module")
def pages(models):
    compared = {
        "arms": {"T0": "none", "T1": "small"},
        "doses": {"T0": 10, "T1": 50},
        "yes or no": {},
    }
    return {kind: model_report(model, **compared[kind]) for kind, (model, *_) in models.items()}


SECTIONS = {
    "arms": "Whom to treat",
    "doses": "Dose and response",
    "yes or no": "Whom to treat",
}


@pytest.mark.parametrize("kind", SECTIONS)
def test_a_report_has_its_sections_and_says_the_answer_first(pages, kind):
    page = pages[kind]
    titles = [title for _, title, _ in page.sections]
    for title in (
        "The answer",
        "How effects differ",
        "Who gains most",
        SECTIONS[kind],
        "Overlap and balance",
    ):
        assert title in titles
    for title in (
        "Evidence: who was compared with whom",
        "The data",
        "Training",
        "How to reproduce",
    ):
        assert title in titles
    assert re.match(
        r"What does .* instead of .* do to (spend|pressure|came)\? On average it (raises|lowers)",
        page.lead,
    )
    assert "95 % interval" in page.lead


@pytest.mark.parametrize("kind", SECTIONS)
def test_names_of_columns_and_arms_stay_text(pages, kind):
    html = pages[kind].html()
    assert html.count("<script") == 1
    assert "<b>south" not in html
    assert "alert(1)&lt;/script&gt;" in html
    assert not re.search(r">\s*nan\s*<", html)


def test_the_average_is_the_models_own(models, pages):
    model, frame, _, _ = models["arms"]
    average = model.ate(frame, T0="none", T1="small")
    low, high = model.ate_interval(frame, T0="none", T1="small")
    said = re.search(r"by ([\d.]+) \(95 % interval (−?[\d.]+) to ([\d.]+)\)", pages["arms"].lead)
    assert np.allclose(
        [float(number.replace("−", "-")) for number in said.groups()],
        [average, low, high],
        rtol=0.01,
    )


def test_rows_in_another_order_are_refused(models):
    model, frame, y, t = models["yes or no"]
    with pytest.raises(ValueError, match="treatment has the rows of X in another order"):
        model_report(model, frame, y, t[::-1])


def test_chances_are_in_percentage_points(models, pages):
    model, frame, _, _ = models["yes or no"]
    average = 100 * model.ate(frame)
    said = re.search(r"by ([\d.]+) percentage points", pages["yes or no"].lead)
    assert np.isclose(float(said[1]), abs(average), rtol=0.01)


def test_without_evidence_the_first_paragraph_says_so_and_warnings_come_first(monkeypatch):
    _, frame = table()
    arm = np.arange(len(frame)) % 2
    frame["copy"] = arm + 0.01 * np.random.default_rng(0).normal(size=len(frame))
    noise = np.random.default_rng(1).normal(size=len(frame))
    y, t = (
        pd.Series(20 + 7 * arm + 0.1 * noise, name="pain"),
        pd.Series(np.asarray(["control", "drug"])[arm], name="arm"),
    )
    model = PairNet(base=TARNet(**SMALL), members=2, bootstrap=True, plan=QUICK).fit(
        frame, y, treatment=t
    )
    asked = []
    monkeypatch.setattr(question, "support", lambda *given: asked.append(1) or support(*given))
    page = model_report(model)
    assert len(asked) == 1  # it is costly
    assert re.match(
        r"What does drug instead of control do to pain\? There is little evidence: for \d+ %",
        page.lead,
    )
    assert "rest on extrapolation" in page.lead
    assert "there is an effect" not in page.lead
    titles = [title for _, title, _ in page.sections]
    assert titles[0] == "What this rests on, and warnings"
    assert titles.count(titles[0]) == 1


def test_two_intervals_that_disagree_about_0_are_explained(models, monkeypatch):
    monkeypatch.setattr(averages, "of_members", lambda effects: Estimate(1.0, 1.0, 9))
    monkeypatch.setattr(scores, "of_scores", lambda score: Estimate(1.0, 0.1, 9))
    page = model_report(models["arms"][0], T0="none", T1="small")
    assert "The doubly robust interval says otherwise: see The answer." in page.lead
    html = page.html()
    assert "small against none: by the model&#39;s interval (" in html
    assert "The wider one is the safer reading" in html
    monkeypatch.setattr(scores, "of_scores", lambda score: Estimate(1.0, 1.0, 9))
    assert "safer reading" not in model_report(models["arms"][0], T0="none", T1="small").html()


def test_labels_that_say_nothing_come_with_the_name_of_the_treatment(pages):
    assert pages["yes or no"].lead.startswith(
        "What does discount = True instead of False do to came?"
    )
    assert "discount = True against False" in pages["yes or no"].html()
    assert pages["arms"].lead.startswith("What does small instead of none do to spend?")
    assert pages["doses"].lead.startswith("What does dose (mg) of 50 instead of 10 do to pressure?")


def test_only_what_the_table_has_is_explained(pages):
    assert "Not adjusted: " in pages["arms"].html()
    assert "Doubly robust: " in pages["arms"].html()
    assert "Model: " in pages["doses"].html()
    assert "Not adjusted: " not in pages["doses"].html()
    assert "Doubly robust: " not in pages["doses"].html()


def test_the_tree_finds_who_gains_most_and_says_it_in_words(models):
    seen = view(models["arms"][0], T0="none", T1="small")
    groups = leaves(seen)
    assert "member is yes" in groups[0].label
    assert "member is no" in groups[-1].label
    assert sum(len(group.rows) for group in groups) == len(seen.x)
    assert by_column(seen)[0].name == "member"


NUMBERS = np.array([[70.5, 0], [80.25, 0], [75, 0], [75, 1]])  # the missing one is filled with 75
ONE_OF_THREE = np.eye(3)[[0, 1, 1, 2]]
ONE_OF_FIVE = np.eye(5)


@pytest.mark.parametrize(
    ("column", "block", "bounds", "said"),
    [
        (
            Category("kidney", ("normal", "reduced"), missing=1),
            ONE_OF_THREE,
            {0: (None, 0.5), 1: (None, 0.5)},
            "is missing",
        ),
        (
            Category("kidney", ("normal", "reduced"), missing=1),
            ONE_OF_THREE,
            {0: (0.5, None), 1: (None, 0.5)},
            "is normal",
        ),
        (
            Category("kidney", ("normal", "reduced"), missing=1),
            ONE_OF_THREE,
            {1: (None, 0.5)},
            "is normal or missing",
        ),
        (Category("member", ("no", "yes")), np.eye(2), {0: (None, 0.5)}, "is yes"),
        (
            Category("member", ("no", "yes")),
            np.eye(3)[:, :2],
            {0: (None, 0.5)},
            "is yes or none of the known",
        ),
        (Category("region", tuple("abcde")), ONE_OF_FIVE, {0: (None, 0.5)}, "is not a"),
        (
            Category("region", tuple("abcde")),
            ONE_OF_FIVE,
            {0: (None, 0.5), 2: (None, 0.5)},
            "is b, d or e",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0),
            NUMBERS[:3, :1],
            {0: (70.4, 75.3)},
            "70.4 to 75.3",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0),
            NUMBERS[:3, :1],
            {0: (None, 75.3)},
            "at most 75.3",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0, 1),
            NUMBERS,
            {0: (70.4, None)},
            "above 70.4 or missing",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0, 1),
            NUMBERS,
            {0: (76.0, None)},
            "above 76.0",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0, 1),
            NUMBERS,
            {0: (70.4, None), 1: (None, 0.5)},
            "above 70.4",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0, 1),
            NUMBERS,
            {0: (70.4, 76.0), 1: (0.5, None)},
            "is missing",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0, 1),
            NUMBERS,
            {1: (None, 0.5)},
            "is not missing",
        ),
        (
            Quantity("age", "number", 50.0, 18.0, 80.0),
            np.arange(18.0, 80)[:, None],
            {0: (49.5, 60.5)},
            "50 to 60",
        ),
        (
            Quantity("age", "number", 50.0, 18.0, 80.0),
            np.arange(18.0, 80)[:, None],
            {0: (49.5, None)},
            "above 49",
        ),
        (
            Quantity("children", "number", 1.0, 0.0, 3.0),
            np.arange(4.0)[:, None],
            {0: (None, 0.5)},
            "is 0",
        ),
        (Quantity("smoker", "flag", 0.0, 0.0, 1.0), np.eye(2)[:, :1], {0: (None, 0.5)}, "is no"),
        (
            Quantity("since", "date", 0.0, 0.0, 9.0),
            np.arange(9.0)[:, None],
            {0: (2.5, None)},
            "after 1970-01-03",
        ),
    ],
)
def test_a_group_has_one_condition_a_column(column, block, bounds, said):
    assert (
        condition(column, block, {k: Bounds(*ends) for k, ends in bounds.items()})
        == f"{column.name} {said}"
    )


def test_who_gains_most_follows_the_goal(models):
    asked = {"T0": "none", "T1": "small", "goal": "min"}
    groups = leaves(view(models["arms"][0], **asked))
    assert "member is no" in groups[0].label
    assert "member is yes" in groups[-1].label
    page = model_report(models["arms"][0], **asked)
    assert "(a small spend is good)" in page.lead
    html = page.html()
    assert "Those who gain most come first: a small spend is good." in html
    assert "it counts where the curve lies below the straight line" in html
    assert "gain per row" not in html


def test_a_row_is_said_in_its_own_words(models):
    model, frame, _, _ = models["arms"]
    words = said_of(
        model.schema_, model.schema_.encode(frame.head(1))[0], ["age", "region", "member", "since"]
    )
    first = frame.iloc[0]
    expected = [
        str(first["age"]),
        first["region"],
        "yes" if first["member"] else "no",
        str(first["since"].date()),
    ]
    assert words == expected


def test_rows_judge_only_members_that_have_not_seen_them(models):
    model = models["arms"][0]
    seen = view(model, T0="none", T1="small")
    assert seen.honest
    assert np.array_equal(seen.trust, model.training_.draws == 0)
    found = scored(seen)
    assert np.array_equal(found.place, np.flatnonzero((model.training_.draws == 0).any(axis=0)))


def test_scores_of_new_rows_average_to_the_effect(models):
    model = models["arms"][0]
    _, frame, y, t = models["arms"]
    seen = view(model, frame, y, t, T0="none", T1="small")
    mean, error = scored(seen).mean()
    assert abs(mean - 3) < 4 * error + 0.3  # 1 + 4 * half of the rows


def test_the_gain_curve_by_hand():
    effect = np.array([4.0, 3.0, 2.0, 1.0])
    found = Scored(effect, np.array([4.0, 2.0, 0.0, -2.0]), np.arange(4))
    gain = gain_curve(found, 1)
    assert np.isclose(gain.everyone, 1.0)
    assert np.isclose(gain.gain[20], 1.5)  # the better half: (4 + 2) / 4
    assert gain.area > 0
    assert np.isclose(
        gain_curve(found, -1).area, gain.area
    )  # a small outcome is good: the other end comes first
    wrong = Scored(-effect, found.score, found.place)
    assert gain_curve(wrong, 1).area < 0
    assert [rows for *_, rows in calibration(found, groups=2)] == [2, 2]


def test_an_order_that_is_chance_is_said_to_be():
    rng = np.random.default_rng(0)
    noise = Scored(rng.normal(size=500), 1 + rng.normal(size=500), np.arange(500))
    low, high = gain_curve(noise, 1).area_interval
    assert low < 0 < high


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goal": "most"}, "goal must be"),
        ({"T0": "none", "T1": "none"}, "T0 and T1 must differ"),
        ({"T1": "huge"}, "names no arm"),
        ({"y": [1.0]}, "pass X with them"),
    ],
)
def test_mistakes_are_explained(models, options, message):
    with pytest.raises(ValueError, match=message):
        model_report(models["arms"][0], **options)


def test_without_bootstrap_the_report_says_that_there_are_no_intervals(models):
    _, frame, y, t = models["doses"]
    model = PairNet(base=VCNet(**SMALL, l2=0.1), plan=QUICK).fit(frame, y, treatment=t)
    page = model_report(model, frame)
    assert "how sure this is was not estimated" in page.lead
    assert "Fit with bootstrap=True" in page.html()


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


WIDER = """[...document.querySelectorAll('.scroll')].filter(each => each.scrollWidth > each.clientWidth + 1)
    .map(each => [each.getAttribute('aria-label'), getComputedStyle(each).backgroundAttachment])"""


@pytest.mark.parametrize("kind", SECTIONS)
def test_tables_fit_a_phone_or_show_that_they_go_on(pages, browser, tmp_path, kind):
    path = pages[kind].write(tmp_path / "report.html")
    for width in (1200, 390):
        browser.show(path, width=width)
        for caption, background in browser.ask(WIDER):
            assert caption.startswith(
                ("A row with", "Covariates")
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


def test_a_covariate_that_gives_the_answer_away_is_among_the_warnings():
    _, frame = table(120)
    arm = np.arange(len(frame)) % 2
    y = pd.Series(np.random.default_rng(0).normal(size=len(frame)) + arm, name="spend")
    with pytest.warns(UserWarning, match="repeats the treatment"):
        model = PairNet(base=TARNet(**SMALL), plan=QUICK).fit(
            frame.assign(flag=arm), y, treatment=arm
        )
    assert "Covariate flag repeats the treatment exactly" in model_report(model).html()
