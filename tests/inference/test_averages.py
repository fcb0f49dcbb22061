"""Averages of effects by hand: of members, corrected by outcomes, of scores."""

import dataclasses

import numpy as np
import pytest

from pairnet.core.robust import doubly_robust_score
from pairnet.inference.averages import doubly_robust, of_members, of_scores
from pairnet.inference.scores import Scores

EFFECT = np.array([1.0, 2.0, 3.0, 6.0])


def scores(y, t, outcomes=0.0, chances=0.5, unseen=True, light=0.0, weight=1.0):
    """Scores of rows of two arms, 0 and 1; what is one number holds for all rows.

    Members alone judge the rows that one of them has not seen, if that is true of all.
    """
    y, t = np.asarray(y, float), np.asarray(t)
    outcomes, unseen = np.asarray(outcomes, float), np.atleast_2d(unseen)
    return Scores(
        y=y,
        weight=np.broadcast_to(weight, len(y)).astype(float),
        mine=np.stack([t == 0, t == 1]),
        chances=np.broadcast_to(chances, (1, 2, len(y))),
        members=np.broadcast_to(outcomes, (2, len(unseen), len(y))),
        unseen=np.broadcast_to(unseen, (len(unseen), len(y))),
        light=None if np.all(unseen) else np.broadcast_to(light, (1, 2, len(y))).astype(float),
    )


def average(judged, effect=None):
    """The doubly robust average of the rows that are judged, whose own effects are `effect`."""
    effect = np.zeros(len(judged.y)) if effect is None else effect
    return doubly_robust(effect, effect, judged)


def test_the_doubly_robust_average_of_a_perfect_model_is_its_mean():
    t = np.array([0, 1, 0, 1])
    outcomes = np.stack([np.zeros(4), EFFECT])[:, None]
    estimate = average(scores(EFFECT * t, t, outcomes), EFFECT)
    assert estimate.value == 3
    assert estimate.error == pytest.approx(np.sqrt(14 / 3 / 4))  # only that rows are a sample
    assert estimate.freedom == pytest.approx(3)


def test_weights_that_are_all_alike_give_the_plain_difference():
    """A model that says 0 leaves the difference of the arms' mean outcomes."""
    estimate = average(scores([5, 7, 9, 1, 3], [1, 1, 1, 0, 0], chances=0.3))
    assert estimate.value == pytest.approx(7 - 2)


def test_weights_mend_arms_that_are_unlike():
    """Of the young one in four was treated, of the old three; outcomes are 10 for the old."""
    y, t = [0, 10, 10, 10, 0, 0, 0, 10], [1, 1, 1, 1, 0, 0, 0, 0]
    treated = np.array([0.25, 0.75, 0.75, 0.75, 0.25, 0.25, 0.25, 0.75])
    chances = np.stack([1 - treated, treated])
    assert average(scores(y, t, chances=chances)).value == pytest.approx(0)
    assert average(scores(y, t)).value == pytest.approx(5)


def test_an_error_of_the_model_that_outcomes_show_is_corrected_for_other_rows_too():
    """The model says 1 for everybody; the outcomes of the fit say 3."""
    judged = scores([3, 3, 0, 0], [1, 1, 0, 0], np.array([[[0.0] * 4], [[1.0] * 4]]))
    others = np.array([1.0, 1.0, 4.0])
    assert doubly_robust(others, np.ones(4), judged).value == pytest.approx(2 + 2)


def test_rows_count_by_their_weight():
    y, t = [5, 9, 1, 3], [1, 1, 0, 0]
    heavy = average(scores(y, t, weight=np.array([3.0, 1, 1, 3])))
    copied = average(scores([5, 5, 5, 9, 1, 3, 3, 3], [1, 1, 1, 1, 0, 0, 0, 0]))
    assert heavy.value == pytest.approx(copied.value) == pytest.approx(6 - 2.5)


def test_rows_that_all_members_trained_on_are_judged_by_the_light_model():
    unseen = np.array([[True, False, True, False]])
    judged = scores([100] * 4, [0, 0, 1, 1], outcomes=100.0, unseen=unseen, light=7.0)
    assert judged.expected[0].tolist() == [[100, 7, 100, 7]] * 2
    assert judged.score.tolist() == [0, -93 / 0.5, 0, 93 / 0.5]


def test_members_and_light_models_share_by_what_outcomes_say_arm_by_arm():
    """Members are right of arm 0, a quarter right of arm 1, and judge two rows of each."""
    outcomes = np.array([[[10.0]], [[20.0]]])
    unseen = np.array([[True, True, False, True, True, False]])
    judged = scores([10, 10, 3, 5, 5, 3], [0, 0, 0, 1, 1, 1], outcomes, unseen=unseen, light=0.0)
    assert judged.expected[0].tolist() == [[10, 10, 0, 10, 10, 0], [5, 5, 0, 5, 5, 0]]


def test_the_luck_of_members_is_how_far_the_average_moves_without_one():
    """Three members that say 0, 1 and 5 under T1, for all rows of arm 0: by hand."""
    members = np.stack([np.zeros((3, 4)), np.array([[0.0], [1], [5]]) * np.ones(4)])
    judged = scores(np.zeros(4), [0] * 4, members, unseen=np.ones((3, 4), bool), chances=1.0)
    without = np.array([3.0, 2.5, 0.5])
    assert judged.luck == pytest.approx(2 / 3 * ((without - 2) ** 2).sum())
    assert average(judged).value == pytest.approx(2)
    assert average(judged).error == pytest.approx(np.sqrt(judged.luck))


def test_members_that_agree_and_one_split_leave_no_luck():
    judged = scores(EFFECT, [0, 1, 0, 1], 2.0, unseen=np.ones((3, 4), bool))
    assert judged.luck == 0


def test_splits_that_disagree_leave_luck():
    one = scores(np.zeros(4), [0] * 4, unseen=False)
    light = np.stack([np.zeros((2, 4)), np.array([[0.0], [4.0]]) * np.ones(4)])
    judged = dataclasses.replace(one, light=light, chances=np.ones((2, 2, 4)))
    assert judged.score.tolist() == [2] * 4
    assert judged.luck == pytest.approx(8 / 2)  # the variance of 0 and 4, for a mean of two


def test_the_average_of_members_has_the_spread_of_their_means_and_of_the_rows():
    effects = np.array([[0.0, 2.0], [2.0, 4.0], [4.0, 6.0]])  # means 1, 3, 5; rows' means 2, 4
    estimate = of_members(effects)
    assert estimate.value == 3
    assert estimate.error == pytest.approx(np.sqrt(4 * 4 / 3 + 2 / 2))
    # Welch and Satterthwaite: 2 degrees of freedom of the members, 1 of the rows.
    total = 16 / 3 + 1
    assert estimate.freedom == pytest.approx(total**2 / ((16 / 3) ** 2 / 2 + 1))


def test_one_row_and_members_that_agree():
    assert of_members(np.array([[1.0], [3.0]])).error == pytest.approx(np.sqrt(2 * 1.5))
    agreed = of_members(np.full((3, 4), 2.0))
    assert (agreed.value, agreed.error) == (2, 0)


def test_the_mean_of_scores_is_the_average():
    estimate = of_scores(EFFECT)
    assert estimate.value == EFFECT.mean()
    assert estimate.error == pytest.approx(EFFECT.std(ddof=1) / 2)
    assert estimate.freedom == 3


def test_scores_are_the_effect_and_the_residual_of_the_rows_own_arm():
    score = doubly_robust_score(
        np.array([1.0, 1.0]),
        (np.array([2.0, np.e]), np.array([np.pi, 3.0])),
        (np.array([1, 0]), np.array([0, 1])),
        (np.array([0.5, 0.1]), np.array([0.1, 0.25])),
    )
    assert score.tolist() == [1 - 2 / 0.5, 1 + 3 / 0.25]


def test_a_scores_mean_is_the_doubly_robust_average():
    t, y = np.array([0, 0, 1, 1]), np.array([1.0, 2.0, 5.0, 8.0])
    judged = scores(y, t, np.stack([np.zeros(4), EFFECT])[:, None])
    by_hand = EFFECT + 2 * t * (y - EFFECT) - 2 * (1 - t) * y
    assert judged.score == pytest.approx(by_hand)
    assert average(judged, EFFECT).value == pytest.approx(by_hand.mean())
