"""The page on a model: a sentence for each part, warnings beside the answer, columns by name."""

import re

import numpy as np
import pandas as pd
import pytest

from models_by_hand import model_of, remembered
from pairnet import LinearTLearner, TARNet
from pairnet.model.question import ask_memory
from pairnet.report.document import Details, Document, Facts, Figure, Paragraph, plain
from pairnet.report.model import model_report, several_models
from pairnet.report.model.causes import unlike
from pairnet.report.model.parts import Part
from pairnet.report.model.policy import verdict
from pairnet.report.model.ranges import where_rows_are
from pairnet.report.model.scores import Gain
from pairnet.report.model.subject import Subject
from report_helpers import SECTIONS, table

N = 200


@pytest.mark.parametrize("kind", SECTIONS)
def test_after_the_answer_every_part_is_a_sentence_that_unfolds(pages, kind):
    first, *others = pages[kind].sections
    assert first.title == "The answer"
    assert first.folded is None
    for section in others:
        assert section.folded is not None or len(section.blocks) == 1
    for section in filter(lambda section: section.folded, others):
        assert section.folded.summary.endswith(".")
        assert "\n" not in section.folded.summary


def test_the_first_screen_says_what_how_sure_for_whom_and_whether_to_trust_it(pages):
    found = next(block for block in pages["arms"].sections[0].blocks if isinstance(block, Facts))
    assert [name for name, *_ in found.items] == [
        "Average effect", "How sure", "For whom", "May I trust it"
    ]  # fmt: skip


def test_warnings_stand_between_the_numbers_and_the_chart(models):
    page = model_report(models["arms"][0], T0="none", T1="small")
    kinds = [type(block) for block in page.sections[0].blocks]
    texts = [block.text for block in page.sections[0].blocks if isinstance(block, Paragraph)]
    assert kinds[0] is Facts
    assert kinds.index(Paragraph) < kinds.index(Figure)
    assert any(text.startswith("Intervals from 3 members are poor") for text in texts)
    trust = page.sections[0].blocks[0].items[-1]
    assert trust[1] == f"{len(texts)} warning{'s' * (len(texts) > 1)}"


def test_a_part_may_be_its_sentence_alone():
    alone = Part("Here", "Nothing to see.")
    assert plain(alone.block.text) == "Here. Nothing to see."
    page = Document("t", "l")
    alone.add_to(page)
    assert page.sections[0].blocks == (Paragraph("Nothing to see."),)


def subject(x, t, goal=1):
    memory = remembered(x, t)
    question = ask_memory(model_of(memory, lambda x, t: t))
    return Subject(TARNet(), question, memory.t, memory.y, np.arange(len(t)), goal)


def test_the_columns_in_which_rows_are_unlike_the_others_are_named():
    rng = np.random.default_rng(0)
    flagged = np.arange(N) < N // 4
    x = np.column_stack([rng.normal(size=N), rng.normal(size=N) + 3 * flagged])
    asked = subject(x, np.arange(N) % 2)
    assert unlike(asked, np.arange(N), flagged) == "They differ from the others most in 1."
    assert unlike(asked, np.arange(N), rng.permutation(flagged)) == ""
    assert unlike(asked, np.arange(N), np.zeros(N, bool)) == ""


def test_where_nearly_all_rows_are_flagged_the_arms_are_compared():
    t = np.arange(N) % 2
    x = np.column_stack([t + 0.1 * np.random.default_rng(0).normal(size=N), np.ones(N)])
    said = unlike(subject(x, t), np.arange(N), np.ones(N, bool))
    assert said == "Those with drug = 1 differ most in 0."


def test_doses_are_drawn_where_rows_are():
    rng = np.random.default_rng(0)
    doses = np.append(rng.uniform(-20, 10, 998), [-80.0, 50.0])
    (low, high), beyond = where_rows_are(doses, (-15, 8))
    assert -21 < low < -18
    assert 8 < high < 11
    assert beyond == " 5 % of the rows had doses beyond these."
    assert where_rows_are(doses, (-60, 8))[0][0] == -60  # what is asked about is drawn
    even = np.linspace(0, 60, 100)
    assert where_rows_are(even, (10, 50)) == ((0, 60), "")


def gain(value, half, area):
    shares, value = np.linspace(0, 1, 5), np.asarray(value, float)
    ends = value - half * shares, value + half * shares
    return Gain(
        shares,
        value,
        *ends,
        float(value[-1]),
        float(np.mean(area)),
        (float(area[0]), float(area[1])),
    )


ALL_GAIN, NOBODY = [0, 1, 2, 3, 4], [0, -1, -2, -3, -4]


@pytest.mark.parametrize(
    ("found", "goal", "sure", "says"),
    [
        (gain(ALL_GAIN, 1, (-1, 1)), 1, True, "Everybody: "),
        (gain(ALL_GAIN, 1, (-1, 1)), 1, False, "Not clear: "),
        (gain(NOBODY, 1, (-1, 1)), 1, True, "Nobody: "),
        (gain(NOBODY, 1, (-1, 1)), -1, True, "Everybody: "),
        (gain([0, 0.1, 0, 0.1, 0], 5, (-1, 1)), 1, False, "Nobody, as far as these rows tell: "),
        (gain([0, 2, 4, 3, 1], 1, (1, 2)), 1, True, "Some: drug = 1 for the 50 % who"),
        (gain([0, 2, 4, 3, 1], 1, (-1, 2)), 1, False, "Nobody, as far as these rows tell: "),
    ],
)
def test_whom_to_treat_is_everybody_some_or_nobody(found, goal, sure, says):
    asked = subject(np.arange(float(N)), np.arange(N) % 2, goal)
    assert verdict(asked, found, sure=sure).startswith(says)
    assert verdict(asked, found, lacking=True) == (
        "These rows cannot say: most of them are extrapolated."
    )


def campaign():
    rng = np.random.default_rng(0)
    _, frame = table(240)
    arm = np.arange(len(frame)) % 2
    learner = lambda: LinearTLearner(members=5, bootstrap=True)
    visit = pd.Series(arm + rng.normal(size=len(frame)), name="visit")
    spend = pd.Series(rng.normal(size=len(frame)), name="spend")
    t = pd.Series(arm, name="mail")
    return frame, {y.name: learner().fit(frame, y, treatment=t) for y in (visit, spend)}


def test_several_models_stand_side_by_side_and_unfold():
    frame, models = campaign()
    page = several_models(models)
    assert page.title == "The effect of mail on visit and spend"
    assert "On average visit rises by" in page.lead
    assert "No clear effect on spend." in page.lead
    answers, *others = page.sections
    shown = answers.blocks[0]
    assert [plain(row[0]) for row in shown.rows] == ["visit", "spend"]
    assert float(plain(shown.rows[0][2])) == pytest.approx(models["visit"].ate(frame), rel=0.01)
    assert [section.title for section in others] == ["visit", "spend"]
    inside = [block for block in others[0].folded.blocks if isinstance(block, Details)]
    assert "Overlap and balance" in [block.title for block in inside]
    links = set(re.findall(r'href="#([^"]+)"', page.html()))
    assert links <= {"content", "the-answers", "visit", "spend"}  # others are there twice
    with pytest.raises(ValueError, match="needs two or more"):
        several_models({"visit": models["visit"]})
