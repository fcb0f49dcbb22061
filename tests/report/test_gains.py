"""Who gains most: judged by outcomes, and one sentence where they do not bear it out."""

import numpy as np
import pandas as pd
import pytest

from models_by_hand import model_of, remembered
from pairnet import LinearTLearner, TARNet
from pairnet.inference.averages import of_scores
from pairnet.model.question import ask, ask_memory
from pairnet.report.document import Details, Figure, Paragraph, Table, plain
from pairnet.report.model import model_report
from pairnet.report.model.gains import Gains, who_gains
from pairnet.report.model.people import by_column
from pairnet.report.model.scores import Scored, scored
from pairnet.report.model.subject import Subject, subject_of

N = 400
AGE = np.linspace(0, 40, N)
RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=N)
UNSEEN = np.stack([np.arange(N) % 2, 1 - np.arange(N) % 2])


def gains(effect, score, goal=1, draws=UNSEEN):
    """Rows of which two members say the effect, and whose scores are known."""
    table = np.column_stack([AGE, RNG.permutation(np.arange(N) % 2)])
    memory = remembered(table, np.arange(N) // 2 % 2, NOISE, draws=draws)
    said = lambda x, t: t * np.interp(x[:, 0], AGE, effect)
    question = ask_memory(model_of(memory, said, said))
    subject = Subject(TARNet(), question, memory.t, memory.y, np.arange(N), goal)
    return Gains.of(subject, Scored(effect, score, of_scores(score)))


def blocks(found, by=()):
    return who_gains(found.subject, by_column(found.subject), found, by)


def kinds(shown, kind):
    return [block for block in shown if isinstance(block, kind)]


TRUE = gains(AGE / 10, AGE / 10 + NOISE)
CHANCE = gains(AGE / 10, 2 + NOISE)


def test_where_outcomes_bear_it_out_the_page_says_who_gains_most():
    first, *others = blocks(TRUE)
    assert plain(first.text).startswith("Outcomes bear out that effects differ: where")
    fifths = kinds(others, Figure)[0]
    assert "Rows in five groups by their effect." in fifths.caption
    shown = [row[0] for row in fifths.chart.rows]
    assert list(dict.fromkeys(shown)) == [
        f"{name} fifth" for name in ("highest", "fourth", "middle", "second", "lowest")
    ]
    of = {name: value for group, name, value, *_ in fifths.chart.rows if group == "highest fifth"}
    assert float(of["the model says"]) == pytest.approx(3.6, abs=0.1)
    assert float(of["outcomes say"]) == pytest.approx(3.6, abs=0.3)
    assert not kinds(others, Details)


def test_where_outcomes_do_not_the_section_is_one_sentence_and_the_rest_is_folded_away():
    shown = blocks(CHANCE)
    assert [type(block) for block in shown] == [Paragraph, Details]
    text = plain(shown[0].text)
    assert text.startswith("Outcomes do not bear out that effects differ: where")
    assert text.endswith("So this page does not say who gains most.")


def test_those_with_the_largest_effects_are_described():
    who = kinds(blocks(TRUE), Table)[0]
    assert who.header == ("", "lowest fifth", "highest fifth", "all rows")
    assert who.rows[0][0] == "0 (mean)"
    lowest, highest, everybody = (float(text) for text in who.rows[0][1:])
    assert [lowest, highest, everybody] == pytest.approx([4, 36, 20], abs=0.3)


def test_the_best_line_says_which_covariates_go_along_with_the_effect():
    line = kinds(blocks(TRUE), Table)[-1]
    assert line.header == ("covariate", "change", "from", "to", "p")
    (age, slope, low, high, p), (_, other, *_) = line.rows
    assert age == "0"
    assert float(low) < 0.1 < float(high)
    assert float(slope) == pytest.approx(0.1, abs=0.02)
    assert p == "< 0.001"
    assert abs(float(other.replace("−", "-"))) < 0.5


def test_where_a_small_outcome_is_good_the_lowest_effects_come_first():
    lower = gains(AGE / 10, AGE / 10 + NOISE, goal=-1)
    fifths = kinds(blocks(lower), Figure)[0]
    assert fifths.chart.rows[0][0] == "lowest fifth"


def test_rows_that_every_member_has_seen_cannot_tell():
    seen = gains(AGE / 10, AGE / 10 + NOISE, draws=np.ones((2, N), int))
    assert seen.borne_out is None
    assert "so they cannot tell whether effects differ" in plain(blocks(seen)[0].text)


def test_rows_that_the_model_has_not_seen_are_all_judged():
    memory = TRUE.subject.memory
    question = ask(TRUE.subject.model, memory.x)
    subject = Subject(TARNet(), question, memory.t, AGE / 10 * memory.t, memory.row, 1)
    found = Gains.of(subject, scored(subject))
    assert found.unseen.all()
    assert found.effect == pytest.approx(AGE / 10)
    assert "by a model that has not" in kinds(blocks(found), Figure)[0].caption


@pytest.mark.parametrize("found", [TRUE, CHANCE])
def test_groups_that_are_asked_for_are_shown_in_any_case(found):
    asked = kinds(blocks(found, by=[0]), Figure)[0]
    assert "Effects by 0, as asked" in asked.caption
    assert len({row[0] for row in asked.chart.rows}) == 4
    assert ("That all have the same effect: p < 0.001" in asked.caption) == (found is TRUE)


def test_a_group_with_few_rows_of_an_arm_is_marked():
    table = pd.DataFrame({"age": AGE, "rare": np.where(np.arange(N) < 30, "yes", "no")})
    arm = np.arange(N) % 2
    model = LinearTLearner(members=3, bootstrap=True).fit(table, arm + NOISE, treatment=arm)
    page = model_report(model, by="rare").html()
    assert "Fewer than 20 rows of one arm: rare = yes. Their effects are hardly sure." in page
    with pytest.raises(ValueError, match="by must name covariates of the model"):
        model_report(model, by=["old"])


def test_of_doses_the_page_shows_what_the_model_says(models):
    subject = subject_of(models["doses"][0], T0=10, T1=50)
    shown = who_gains(subject, by_column(subject), None, ["region"])
    assert "Effects by region, as asked: what the model says." in shown[0].caption
