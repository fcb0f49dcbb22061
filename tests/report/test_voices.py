"""The part of a report that says who speaks in a stack."""

import numpy as np
import pytest

from checks import easy_dose_problem, easy_problem
from pairnet import Stack
from pairnet.methods import LinearSLearner, TreeSLearner
from pairnet.report.document import Figure, Table, plain
from pairnet.report.model import model_report

LEARNERS = [LinearSLearner(), TreeSLearner()]


def sections_of(problem):
    x, t, y, _ = problem
    treatment = "arms" if len(set(t)) == 2 else "dose"
    model = Stack(learners=LEARNERS, members=3, treatment=treatment).fit(x, y, treatment=t)
    page = model_report(model)
    return model, page, {section.title: section.folded.blocks for section in page.sections[1:]}


@pytest.mark.parametrize("kind", ["arms", "dose"])
def test_a_report_says_who_speaks(kind):
    problem = easy_problem(200) if kind == "arms" else easy_dose_problem(200)
    model, page, sections = sections_of(problem)
    blocks = sections["Who speaks"]
    shown = next(block for block in blocks if isinstance(block, Table))
    header = [plain(cell) for cell in shown.header]
    about_arms = {"average effect", "R"}
    assert about_arms <= set(header) if kind == "arms" else not about_arms & set(header)
    assert len(shown.rows) == len(model.weights_)
    weights = [float(text.removesuffix(" %")) for text in shown.column(1)]
    assert weights == sorted(weights, reverse=True)
    assert np.isclose(sum(weights), 100, atol=len(weights))
    assert any(isinstance(block, Figure) for block in blocks)
    training = sections["Training"]
    assert not any(isinstance(block, Table) for block in training)
    finding = next(s.folded.summary for s in page.sections if s.title == "Training")
    assert "3 folds" in finding
    support = sections["Evidence: who was compared with whom"][0]
    assert "Learners disagree: rows alike are there" in plain(support.caption)
    assert "Intervals from 3 members are poor" in page.html()


def test_other_methods_have_no_such_part():
    x, t, y, _ = easy_problem(120)
    model = LinearSLearner(members=2).fit(x, y, treatment=t)
    assert "Who speaks" not in [title for _, title, _ in model_report(model).sections]
