"""The calculator of a report says in a browser what the model says in Python."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import programs
from browser import Browser, found
from checks import QUICK, SMALL
from mixed import fed, mixed_table, strange_rows
from pairnet import (
    LinearSLearner,
    LinearTLearner,
    Plan,
    Stack,
    TARNet,
    TreeXLearner,
    VCNet,
    model_report,
)
from pairnet.report.document import Calculator, Document, Field
from pairnet.report.model import small_copy
from pairnet.report.model.calculator import TITLE, calculator
from pairnet.report.model.subject import subject_of
from pairnet.report.render import html, markdown, terminal
from ridge import RidgeArms

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*differs from the rows of the fit"),
    pytest.mark.filterwarnings("ignore:Intervals from"),
    pytest.mark.filterwarnings("ignore:y holds two labels"),
]

SHORT = Plan(patience=2, longest=4, warm_up=1)
MODELS = {
    "arms": Stack(
        members=3,
        learners=[TARNet(**SMALL, plan=QUICK), TreeXLearner(longest=20), LinearTLearner()],
    ),
    "doses": Stack(
        treatment="dose", members=2, learners=[LinearSLearner(), VCNet(**SMALL, plan=QUICK)]
    ),
    "chances": LinearTLearner(members=5, bootstrap=True),
}
COMPARED = {"arms": ("none", "drug"), "doses": (20.0, 45.0), "chances": ("none", "both")}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    if found() is None:
        pytest.skip("no Chromium on this machine")
    with Browser(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


@pytest.fixture(params=list(MODELS), scope="module")
def reported(request, tmp_path_factory):
    """A model, what is compared, and its page."""
    name = request.param
    X, t, y = mixed_table(dose=name == "doses", yes_no=name == "chances")
    model = MODELS[name].fit(X, y, treatment=t).call_columns(treatment="medicine", outcome="health")
    T0, T1 = COMPARED[name]
    page = model_report(model, T0=T0, T1=T1)
    yield model, COMPARED[name], page, page.write(tmp_path_factory.mktemp("page") / "report.html")
    programs.let_go()


def section(page: Document):
    (part,) = next(section.blocks for section in page.sections if section.title == TITLE)
    return part.blocks


def as_javascript(inputs) -> str:
    """Return inputs as an expression; NaN has no form in JSON."""
    text = json.dumps({name: values.tolist() for name, values in inputs.items()})
    return re.sub(r"\bNaN\b", "NaN", text)


ANSWERS = """(() => {
    const { program } = JSON.parse(document.querySelector('.calculator script').textContent);
    const answers = pairnetGraph(program)(%s);
    return Object.fromEntries(Object.entries(answers).map(([name, value]) => [name, Array.from(value.data)]));
})()"""


def test_a_browser_computes_what_the_model_says(reported, browser):
    model, (T0, T1), _, path = reported
    rows = strange_rows(300)
    browser.show(path, width=1200)
    answers = browser.ask(ANSWERS % as_javascript(fed(rows, T0=T0, T1=T1)))
    effect = model.effect(rows, T0=T0, T1=T1).to_numpy()
    assert np.abs(np.array(answers["effect"]) - effect).max() < 1e-4 * effect.std()
    for name, end in zip(
        ("lower", "upper"), model.effect_interval(rows, T0=T0, T1=T1), strict=True
    ):
        assert np.abs(np.array(answers[name]) - end).max() < 1e-3 * effect.std()
    if model.treatment_.whole_range:
        mine, label = answers["outcome_T1"], T1
    else:
        arms = model.treatment_.in_order
        mine, label = np.reshape(answers["outcome"], (len(rows), -1))[:, arms.index(T1)], T1
    assert np.allclose(mine, model.predict_outcome(rows, treatment=label), atol=1e-4)


FORM = """Object.fromEntries([...document.querySelectorAll('.calculator [data-input]')]
    .map(entry => [entry.dataset.input, entry.value]))"""
SAID = """Object.fromEntries([...document.querySelectorAll('.calculator [data-say]')]
    .map(place => [place.dataset.say, place.textContent]))"""
SET = """(() => {
    const entry = document.querySelector('.calculator [data-input="%s"]');
    entry.value = "%s";
    entry.dispatchEvent(new Event("input", { bubbles: true }));
    return 0;
})()"""


def in_python(model, form):
    """Return the effect, its interval and both outcomes for what a form holds."""
    whole = model.treatment_.whole_range
    T0, T1 = (float(form[name]) if whole else form[name] for name in ("T0", "T1"))
    number = lambda text: float(text) if text else np.nan
    row = pd.DataFrame(
        {
            "age": [number(form["age"])],
            "income": [number(form["income"])],
            "city": [form["city"] or None],
            "shop": [form["shop"]],
            "member": [form["member"] == "1"],
            "seen": [pd.Timestamp(form["seen"])],
        }
    )
    ends = [float(end.iloc[0]) for end in model.effect_interval(row, T0=T0, T1=T1)]
    outcomes = [float(model.predict_outcome(row, treatment=label).iloc[0]) for label in (T0, T1)]
    return float(model.effect(row, T0=T0, T1=T1).iloc[0]), ends, outcomes


def numbers(text: str) -> list[float]:
    plain = text.replace("−", "-").replace(",", "").replace("95 %", "")
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", plain)]


def check_said(model, browser):
    said, form = browser.ask(SAID), browser.ask(FORM)
    scale = model.model_.outcome.words.scale
    effect, ends, outcomes = in_python(model, form)
    about = {"rel": 0.006, "abs": 1e-3}  # three digits are shown
    assert numbers(said["effect"])[0] == pytest.approx(scale * effect, **about)
    assert numbers(said["interval"]) == pytest.approx([scale * end for end in ends], **about)
    sentence = (
        said["outcomes"].replace(f"under {form['T0']}", "").replace(f"under {form['T1']}", "")
    )
    assert numbers(sentence) == pytest.approx([scale * outcome for outcome in outcomes], **about)
    return said


def test_what_a_reader_changes_moves_the_answer(reported, browser):
    model, _, _, path = reported
    browser.show(path, width=1200)
    assert browser.trouble == []
    first = check_said(model, browser)
    assert first["evidence"].startswith("Such a person is not unusual among the ")
    other = "55" if model.treatment_.whole_range else "both"
    changes = [("age", "70"), ("city", "Rome"), ("member", "1"), ("T1", other), ("age", "")]
    said = []
    for name, value in changes:
        browser.ask(SET % (name, value))
        said.append(check_said(model, browser)["effect"])
    assert len({first["effect"], *said}) >= 4
    browser.ask("(document.querySelector('.calculator button').click(), 0)")
    assert browser.ask(SAID) == first


def test_a_person_unlike_those_of_the_fit_is_called_so(reported, browser):
    _, _, _, path = reported
    browser.show(path, width=1200)
    browser.ask(SET % ("income", "190000"))
    assert browser.ask(SAID)["flag"] == "extrapolated"
    said = browser.ask(SAID)["evidence"]
    assert "income lies outside the rows of the fit" in said
    assert "Hardly anybody like this received" in said
    assert "the answer is extrapolated" in said


def test_it_fits_every_width_and_stays_small(reported, browser):
    _, _, _, path = reported
    assert path.stat().st_size < 400_000
    for width in (1200, 390):
        browser.show(path, width=width)
        browser.ask(
            "document.querySelectorAll('details').forEach(part => { part.open = true; }) ?? 0"
        )
        assert browser.ask("document.documentElement.scrollWidth") <= width
        shown = "(box => [box.width, box.height])(document.querySelector('.calculator').getBoundingClientRect())"
        assert min(browser.ask(shown)) > 200


def test_without_scripts_it_is_hidden_and_a_sentence_says_why(reported):
    _, _, page, path = reported
    text = path.read_text()
    assert '<div class="calculator" hidden>' in text
    assert "<noscript>" in text
    assert "nothing is sent anywhere" in markdown.page(page)
    assert terminal.page(page)


def test_the_page_holds_no_row_of_the_fit_but_the_typical_one(reported):
    _, _, page, _ = reported
    (block,) = (block for block in section(page) if isinstance(block, Calculator))
    sizes = [np.prod(constant["shape"]) for constant in block.program["program"]["constants"]]
    groups = block.program["about"]["evidence"]["groups"]
    assert max(sizes) < 300 * 3  # of 300 rows
    assert {len(group["quantiles"]) for group in groups} == {201}


@pytest.fixture(scope="module")
def wide():
    """A model that is too large for a page."""
    X, t, y = mixed_table()
    options = {"plan": SHORT, "members": 2, "bootstrap": True}
    return TARNet(phi=(128, 128), mu=(64,), **options).fit(X, y, treatment=t)


def test_a_small_copy_of_a_large_model_is_as_near_as_the_page_says(
    wide, browser, tmp_path, monkeypatch
):
    for name, less in (("STEPS", 1500), ("TAUGHT", 2000), ("CHECKED", 500)):
        monkeypatch.setattr(small_copy, name, less)
    blocks = calculator(subject_of(wide, T0="none", T1="drug"), copied=True)
    (how_far,) = (block for block in blocks if getattr(block, "kind", "") == "note")
    off, spread = numbers(how_far.text)
    assert off < 0.2 * spread
    path = Document("A copy", "of a model").section(TITLE, *blocks).write(tmp_path / "page.html")
    assert path.stat().st_size < 150_000
    browser.show(path, width=1200)
    assert browser.trouble == []
    assert browser.ask(SAID)["evidence"].startswith("Such a person")
    rows, _, _ = mixed_table(seed=5)
    answers = browser.ask(ANSWERS % as_javascript(fed(rows, T0="none", T1="both")))
    away = np.array(answers["effect"]) - wide.effect(rows, T0="none", T1="both")
    assert np.sqrt(np.mean(away**2)) < 2 * off
    low, high = wide.effect_interval(rows, T0="none", T1="both")
    width = np.array(answers["upper"]) - np.array(answers["lower"])
    assert np.corrcoef(width, high - low)[0, 1] > 0.9
    outcomes = np.reshape(answers["outcome"], (len(rows), 3))[:, 0]
    expected = wide.predict_outcome(rows, treatment="both")
    assert np.corrcoef(outcomes, expected)[0, 1] > 0.98


def test_a_model_that_is_too_large_or_has_no_form_says_so(wide):
    X, t, y = mixed_table()
    own = RidgeArms().fit(X, y, treatment=t)
    for model, says in (
        (wide, "weights, too many for a calculator in the page"),
        (own, "There is no calculator"),
    ):
        (text,) = calculator(subject_of(model, T0="none", T1="drug"))
        assert says in text.text


HOSTILE = "</script><script>alert(1)</script>\"'<b>"


def test_names_and_levels_stay_text():
    field = Field(HOSTILE, HOSTILE, "choice", HOSTILE, choices=((HOSTILE, HOSTILE),))
    number = Field(HOSTILE, HOSTILE, "number", "1", low="0", high="2")
    program = {"program": {"inputs": [HOSTILE]}, "about": {}}
    text = html.block(Calculator((field,), (number,), (field, number), program))
    assert "<script>alert" not in text
    assert text.count("</script>") == 1
    inside = text.split('<script type="application/json">')[1].split("</script>")[0]
    assert json.loads(inside) == program
