"""What a notebook and a terminal show: a few lines, never the values inside."""

import numpy as np
import pandas as pd
import pytest

from checks import easy_problem
from pairnet import LinearTLearner
from pairnet.core.words import in_full
from pairnet.tables import Schema
from pairnet.training.notebook import NotebookBars


@pytest.fixture(scope="module")
def fitted():
    x, t, y, _ = easy_problem(300)
    frame = pd.DataFrame(x, columns=[f"<x{k}>" for k in range(x.shape[1])])
    outcome = pd.Series(y, name="pain")
    model = LinearTLearner(members=5, bootstrap=True)
    return frame, model.fit(frame, outcome, treatment=pd.Series(t, name="drug"))


@pytest.mark.parametrize(
    ("show", "says"),
    [
        (lambda X, model: model.model_, "of the effect of drug on pain, from 300 rows"),
        (lambda X, model: model.ask(X), "Effect of 1 against 0 on pain for 300 rows"),
        (lambda X, model: model.support(X), "well supported"),
        (lambda X, model: model.overlap(), "hardly any chance of one of the groups"),
        (lambda X, model: model.covariate_balance(), "differ by more than 0.1"),
        (lambda X, model: model.schema_, "numbers; 0 left out."),
    ],
)
def test_what_is_shown_is_short_and_is_text(fitted, show, says):
    shown = show(*fitted)
    page = shown._repr_html_()
    assert says in page
    assert says in str(shown)
    assert "<table>" in page
    assert "<x0>" not in page
    assert len(repr(shown)) < 2000
    assert len(page) < 5000
    assert "array(" not in repr(shown)


def test_a_question_prints_its_answer(fitted):
    frame, model = fitted
    question = model.ask(frame)
    line = next(text for text in str(question).splitlines() if text.startswith("average"))
    assert float(line.split()[1]) == pytest.approx(model.ate(frame), rel=0.01)


def test_wide_tables_are_cut():
    schema = Schema.of(np.random.default_rng(0).normal(size=(60, 90)))
    assert "... and 30 more." in repr(schema)
    assert schema.summary().count("\n") == 91  # all of it, where it is asked for


def test_a_model_makes_its_report_shows_it_and_writes_it(fitted, tmp_path):
    _, model = fitted
    page = model.report(tmp_path / "report.html", goal="min")
    assert (tmp_path / "report.html").read_text() == page.html()
    assert "(a small pain is good)" in page.html() or "do not bear out" in page.lead
    shown = page._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert shown.count("<") == 2  # all of the page is escaped
    assert len(repr(page)) < 600
    assert model.report().title == page.title


def test_bars_of_a_notebook_stay():
    waiting = ["TreeDRLearner (2 of 2)"]
    bars = NotebookBars(waiting)
    line = bars.add_task("LinearTLearner", total=None, state="starting")
    assert "LinearTLearner" in bars.page()
    assert "left: TreeDRLearner" in bars.page()
    bars.update(line, description="LinearTLearner", completed=1, total=2, state="1 of 2 <done>")
    assert bars.page().count("█") == bars.page().count("░") == 15
    assert "&lt;done&gt;" in bars.page()


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.2591e8, "125,900,000"), (-15418.2, "-15,418"), (1680.0, "1,680"), (5.25, "5.25"),
     (0.0123456, "0.01235"), (0, "0"), (1e-9, "1e-09"), (float("nan"), "nan")],
)  # fmt: skip
def test_numbers_on_the_terminal_have_no_exponent(value, text):
    assert in_full(value) == text
