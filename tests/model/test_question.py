"""One comparison, asked of rows: what is compared, what is answered, and how often it is computed."""

import numpy as np
import pandas as pd
import pytest

from models_by_hand import AGE, CHANCES, TREATED, model_of, remembered
from pairnet.core.treatments import Arms, Dose
from pairnet.model.question import ask, ask_memory

X = np.array([[1.0], [2.0], [3.0]])
SLOPES = (lambda x, t: x[:, 0] * t, lambda x, t: (x[:, 0] + 2) * t)  # effects of t are x, x + 2


def model(*labels, formulas=SLOPES, **more):
    n = len(labels)
    memory = remembered(np.arange(2.0 * n), np.arange(2 * n) % n, treatment=Arms(labels), **more)
    return model_of(memory, *formulas)


def dosed():
    treatment = Dose(0.0, 10.0, (2.0, 8.0))
    memory = remembered(np.arange(4.0), [0, 0.2, 0.5, 1], treatment=treatment)
    return model_of(memory, *SLOPES)


def test_effects_are_those_of_the_members_and_their_mean():
    question = ask(model(0, 1), X)
    assert question.members.tolist() == [[1, 2, 3], [3, 4, 5]]
    assert question.effect.tolist() == [2, 3, 4]
    assert ask(model(0, 1), X, T0=1, T1=0).effect.tolist() == [-2, -3, -4]
    assert ask(model(0, 1), X, T0=0, T1=[0, 1, 1]).effect.tolist() == [0, 3, 4]


def test_answers_are_worked_out_once_and_only_when_asked_for():
    of = model(0, 1)
    question = ask(of, X)
    assert of.predictor.calls == 0
    first = question.members
    calls = of.predictor.calls
    assert calls == 2  # outcomes under either treatment
    assert question.members is first
    assert question.effect is question.effect
    assert of.predictor.calls == calls
    assert question.comparing(1, 0).members.tolist() == (-first).tolist()
    assert of.predictor.calls == 2 * calls
    assert question.members is first


def test_one_question_serves_the_effect_its_interval_and_the_average():
    of = model(0, 1, draws=[[2, 0, 1, 1], [1, 1, 0, 2]])
    question = ask(of, X)
    lower, upper = question.interval()
    assert ((lower + upper) / 2).tolist() == pytest.approx([2, 3, 4])
    assert question.average.value == 3
    low, high = question.average_interval()
    assert low < 3 < high
    assert of.predictor.calls == 2


def test_another_comparison_keeps_the_rows_and_other_rows_keep_the_comparison():
    question = ask(model("a", "control", "z"), X, T0="control", T1="z")
    other = question.comparing("control", "a")
    assert (other.T0, other.T1) == ("control", "a")
    assert (question.T0, question.T1) == ("control", "z")
    assert other.effect.tolist() == [-2, -3, -4]
    assert question.effect.tolist() == [2, 3, 4]
    some = question.of_rows(np.array([2, 0]))
    assert some.effect.tolist() == [4, 2]
    assert (some.T0, some.T1, some.table) == ("control", "z", None)
    assert question.of_rows(np.array([False, True, False])).effect.tolist() == [3]


def test_answers_come_as_the_table_came():
    frame = pd.DataFrame({"x": X[:, 0]}, index=["a", "b", "c"])
    with pytest.warns(UserWarning, match="columns are taken by their place"):
        question = ask(model(0, 1), frame)
    assert question.series(question.effect, "effect").index.tolist() == ["a", "b", "c"]
    some = question.of_rows(np.array([0]))
    assert isinstance(some.series(some.effect, "effect"), np.ndarray)


def test_the_rows_of_the_fit_can_be_asked_about():
    question = ask_memory(model(0, 1), T0=0, T1=1)
    assert question.table is None
    assert question.effect.tolist() == [1, 2, 3, 4]
    assert question.series(question.effect, "effect") is question.effect


@pytest.mark.parametrize(
    ("labels", "named", "compared"),
    [
        ((0, 1), {}, (0, 1)),
        (("drug", "placebo"), {}, ("placebo", "drug")),
        (("drug", "placebo"), {"T0": "drug"}, ("drug", "placebo")),
        (("drug", "placebo"), {"T1": "placebo"}, ("drug", "placebo")),
        (("apple", "pear"), {"T0": "apple"}, ("apple", "pear")),
        (("apple", "pear"), {"T1": "apple"}, ("pear", "apple")),
        (("apple", "no fruit", "pear"), {"T1": "pear"}, ("no fruit", "pear")),
        (("apple", "no fruit", "pear"), {"T1": "apple"}, ("no fruit", "apple")),
        ((0, 1, 2), {}, (0, 1)),
        ((0, 1, 2), {"T1": 2}, (0, 2)),
        ((0, 1, 2), {"T0": 2}, (2, 1)),
    ],
)
def test_what_is_not_said_is_completed_where_it_is_clear(labels, named, compared):
    question = ask(model(*labels), X, **named)
    assert compared == (question.T0, question.T1)
    assert (question.t0, question.t1) == tuple(map(labels.index, compared))


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        (("apple", "pear"), {}),
        (("apple", "pear", "plum"), {"T1": "pear"}),
        (("apple", "pear", "plum"), {"T0": "pear"}),
        (("apple", "no fruit", "pear"), {}),
        (("apple", "no fruit", "pear"), {"T0": "no fruit"}),
        (("apple", "pear"), {"T1": ["apple", "pear", "pear"]}),
    ],
)
def test_it_refuses_to_guess_a_sign(labels, named):
    with pytest.raises(ValueError, match="^T0 and T1 must say which arms to compare, of 'apple'"):
        ask(model(*labels), X, **named)


def test_of_doses_what_most_rows_got_is_compared_where_nobody_says():
    assert (ask(dosed(), X).T0, ask(dosed(), X).T1) == (2, 8)
    assert ask(dosed(), X).effect == pytest.approx(0.6 * np.array([2, 3, 4]))
    assert (ask(dosed(), X, T1=5).T0, ask(dosed(), X, T0=5).T1) == (2, 8)
    assert ask(dosed(), X, T0=0, T1=[0, 5, 10]).effect == pytest.approx([0, 1.5, 4])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"T0": "c", "T1": 1}, "T0 names no arm of this model: expected one of 0, 1, got 'c'"),
        ({"T0": 0, "T1": [0, 1]}, r"T1 must be one arm, or one per row: expected shape \(3,\)"),
    ],
)
def test_arms_that_are_none_are_told(asked, message):
    with pytest.raises(ValueError, match=message):
        ask(model(0, 1), X, **asked)


def test_a_treatment_against_itself_is_refused_where_there_must_be_an_effect():
    ask(model(0, 1), X).check_differs()
    with pytest.raises(ValueError, match="T0 and T1 must differ for there to be an effect, got 1"):
        ask(model(0, 1), X, T0=1, T1=1).check_differs()


def test_the_doubly_robust_average_of_a_perfect_model_is_its_mean_effect():
    memory = remembered(AGE, TREATED, AGE + 5 * TREATED, chances=CHANCES)
    perfect = ask_memory(model_of(memory, lambda x, t: x[:, 0] + 5 * t))
    assert perfect.doubly_robust.value == pytest.approx(5)
    assert perfect.doubly_robust.error == pytest.approx(0)
    useless = ask_memory(model_of(memory, lambda x, t: 0 * t))
    assert useless.doubly_robust.value == pytest.approx(5)  # since the chances are right
    assert useless.doubly_robust.error > 0
    same = ask_memory(model_of(memory, lambda x, t: 0 * t), T0=1, T1=1)
    assert same.doubly_robust.value == 0


def test_rows_are_judged_by_the_members_that_did_not_train_on_them():
    """One member is off by 100; it matters where that one may judge, and nowhere else."""
    draws = np.stack([np.zeros(8, int), np.ones(8, int)])
    even = np.full((8, 2), 0.5)  # wrong chances, so that only a right judge gives the effect of 5
    memory = remembered(AGE, TREATED, AGE + 5 * TREATED, chances=even, draws=draws)
    right, off = (lambda x, t: x[:, 0] + 5 * t), (lambda x, t: 50 * x[:, 0] + 5 * t)
    question = ask_memory(model_of(memory, right, off))
    assert question.scores.score.tolist() == pytest.approx([5] * 8)
    assert question.doubly_robust.value == pytest.approx(5)
    swapped = ask_memory(model_of(memory, off, right))
    assert abs(swapped.doubly_robust.value - 5) > 1


def test_conformal_intervals_reach_as_far_as_held_out_pairs_are_off():
    n = 400
    t, kept = np.arange(n) % 2, np.zeros((1, n), int)
    memory = remembered(np.arange(n) % 4, t, np.where(t == 1, 7.0, 3.0), draws=kept)
    question = ask(model_of(memory, lambda x, t: 5 * t), X)
    lower, upper = question.interval(0.1, kind="conformal")
    assert lower.tolist() == pytest.approx([5 - 1] * 3)  # residuals are 2 and 3, in every pair
    assert upper.tolist() == pytest.approx([5 + 1] * 3)
    same = ask(question.model, X, T0=1, T1=[1, 0, 1]).interval(0.1, kind="conformal")
    assert same[1].tolist() == pytest.approx([0, -4, 0])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda q: q.interval(alpha=0.0), "alpha must be the share of intervals that may miss"),
        (lambda q: q.interval(kind="guess"), "kind must be 'bootstrap' or 'conformal', got 'gue"),
        (lambda q: q.interval(), "Fit it with members=5"),
        (lambda q: q.interval(kind="conformal"), "this model was trained on all"),
        (lambda q: q.average_interval(kind="guess"), "'bootstrap' or 'doubly robust'"),
        (lambda q: q.average_interval(kind="doubly robust"), "some member was not trained on"),
        (
            lambda q: q.support(k=0),
            "k must be a whole number of partners, from 1 to the 4 rows of the fit, got 0",
        ),
        (lambda q: q.support(space="psi"), "space must be 'covariates' or 'representation'"),
        (lambda q: q.support(space="representation"), "Formula has no representation of its own"),
    ],
)
def test_questions_that_have_no_answer_say_why(answer, message):
    with pytest.raises(ValueError, match=message):
        answer(ask(model(0, 1), X))


def test_averages_for_single_arms_are_refused_for_others():
    with pytest.raises(ValueError, match="is for arms; this model has doses"):
        _ = ask(dosed(), X).doubly_robust
    with pytest.raises(ValueError, match="T0 and T1 must be single arms"):
        _ = ask(model(0, 1), X, T0=0, T1=[0, 1, 1]).doubly_robust


def test_treatments_may_differ_by_row_in_comparisons_and_parts():
    question = ask(model(0, 1), X, T0=[0, 1, 0], T1=1)
    assert question.effect.tolist() == [2, 0, 4]
    assert question.of_rows(np.array([2, 1])).effect.tolist() == [4, 0]
    assert question.comparing([1, 1, 0], 0).effect.tolist() == [-2, -3, 0]
    with pytest.raises(ValueError, match="T0 and T1 must be one treatment for all rows"):
        question.check_differs()
    with pytest.raises(ValueError, match="T0 must be one arm, or one per row"):
        ask(model(0, 1), X, T0=[[0], [1, 1]], T1=1)
