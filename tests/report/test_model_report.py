"""The report of a fitted model: its sections, its numbers and its words."""

import re

import numpy as np
import pandas as pd
import pytest

from checks import QUICK, SMALL
from pairnet import PairNet, TARNet, VCNet
from pairnet.evidence.support import support
from pairnet.inference import averages
from pairnet.inference.intervals import Estimate
from pairnet.model import question
from pairnet.report.model import model_report
from pairnet.report.model.scores import scored
from pairnet.report.model.subject import subject_of
from report_helpers import SECTIONS, table


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
    assert html.count("<script>") == 1  # the page's own
    assert html.count("<script") == 2  # and what its calculator computes, which is no program
    assert '<script type="application/json">' in html
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
    with pytest.warns(UserWarning, match="'copy' predicts the treatment almost perfectly"):
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
    assert "Covariate copy predicts the treatment almost perfectly on rows not seen" in page.html()
    assert "the order is worth something" not in page.html()
    titles = [title for _, title, _ in page.sections]
    assert titles[0] == "What this rests on, and warnings"
    assert titles.count(titles[0]) == 1


def test_two_intervals_that_disagree_about_0_are_explained(models, monkeypatch):
    monkeypatch.setattr(averages, "of_members", lambda effects, *_: Estimate(1.0, 1.0, 9))
    monkeypatch.setattr(averages, "doubly_robust", lambda *_: Estimate(1.0, 0.1, 9))
    page = model_report(models["arms"][0], T0="none", T1="small")
    assert "The doubly robust interval says otherwise: see The answer." in page.lead
    html = page.html()
    assert "small against none: by the model&#39;s interval (" in html
    assert "The wider one is the safer reading" in html
    monkeypatch.setattr(averages, "doubly_robust", lambda *_: Estimate(1.0, 1.0, 9))
    assert "safer reading" not in model_report(models["arms"][0], T0="none", T1="small").html()


def test_labels_that_say_nothing_come_with_the_name_of_the_treatment(pages):
    assert pages["yes or no"].lead.startswith(
        "What does discount = True instead of False do to came?"
    )
    assert "discount = True against False" in pages["yes or no"].html()
    assert pages["arms"].lead.startswith("What does small instead of none do to spend?")
    assert pages["doses"].lead.startswith("What does dose (mg) of 50 instead of 10 do to pressure?")


def test_the_average_response_stands_beside_the_one_that_outcomes_correct(pages):
    page = pages["doses"].html()
    assert "average of all rows" in page
    assert "corrected by outcomes" in page
    assert "for each dose by itself" in page


def test_only_what_the_table_has_is_explained(pages):
    assert "Not adjusted: " in pages["arms"].html()
    assert "Doubly robust: " in pages["arms"].html()
    assert "Model: " in pages["doses"].html()
    assert "Not adjusted: " not in pages["doses"].html()
    assert "Doubly robust: " not in pages["doses"].html()


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


def test_a_covariate_that_gives_the_answer_away_is_among_the_warnings():
    _, frame = table(120)
    arm = np.arange(len(frame)) % 2
    y = pd.Series(np.random.default_rng(0).normal(size=len(frame)) + arm, name="spend")
    with pytest.warns(UserWarning, match="repeats the treatment"):
        model = PairNet(base=TARNet(**SMALL), plan=QUICK).fit(
            frame.assign(flag=arm), y, treatment=arm
        )
    assert "Covariate flag repeats the treatment exactly" in model_report(model).html()


def test_a_report_says_whose_average_it_shows(models):
    model, frame, y, t = models["arms"]
    compared = {"T0": "none", "T1": "small", "target": "treated"}
    page = model_report(model, **compared)
    assert "On average among the treated it raises" in page.lead
    # of rows with outcomes of their own, too: their doubly robust average is near
    other = subject_of(model, frame, y, t, **compared)
    own = scored(other).average
    known = model.ask(frame, **compared).doubly_robust
    assert own.value == pytest.approx(known.value, abs=3 * known.error)
    assert subject_of(model, T0="none", T1="small").target == "all"  # overlap is good
