"""Averages of effects by hand: of members, corrected by outcomes, of scores."""

import numpy as np
import pytest

from pairnet.core.robust import doubly_robust_score
from pairnet.inference.averages import Side, doubly_robust, of_members, of_scores

EFFECT = np.array([1.0, 2.0, 3.0, 6.0])
NOTHING = Side(np.zeros(4), np.ones(4))


def test_weights_of_a_side_add_up_to_1():
    assert Side(np.zeros(3), np.array([1.0, 1.0, 2.0])).share.tolist() == [0.25, 0.25, 0.5]


def test_the_doubly_robust_average_of_a_perfect_model_is_its_mean():
    estimate = doubly_robust(EFFECT, NOTHING, NOTHING)
    assert estimate.value == 3
    assert estimate.error == pytest.approx(np.sqrt(14 / 3 / 4))  # only that rows are a sample
    assert estimate.freedom == pytest.approx(3)


def test_weights_that_are_all_alike_give_the_plain_difference():
    """A model that says 0 leaves the difference of the arms' mean outcomes."""
    treated, control = np.array([5.0, 7.0, 9.0]), np.array([1.0, 3.0])
    estimate = doubly_robust(
        np.zeros(5), Side(treated, np.full(3, 4.0)), Side(control, np.full(2, 1.5))
    )
    assert estimate.value == pytest.approx(7 - 2)
    # Squares around the means: 4 + 0 + 4 over 3 * 3, and 1 + 1 over 2 * 2.
    assert estimate.error == pytest.approx(np.sqrt(8 / 9 + 2 / 4))


def test_weights_mend_arms_that_are_unlike():
    """Of the young one in four was treated, of the old three; outcomes are 10 for the old."""
    treated = Side(np.array([0.0, 10, 10, 10]), 1 / np.array([0.25, 0.75, 0.75, 0.75]))
    control = Side(np.array([0.0, 0, 0, 10]), 1 / np.array([0.75, 0.75, 0.75, 0.25]))
    assert doubly_robust(np.zeros(8), treated, control).value == pytest.approx(0)
    unweighted = [Side(side.residual, np.ones(4)) for side in (treated, control)]
    assert doubly_robust(np.zeros(8), *unweighted).value == pytest.approx(5)


def test_sides_have_opposite_signs():
    off = Side(np.full(4, 2.0), np.ones(4))
    assert doubly_robust(EFFECT, off, NOTHING).value == 5
    assert doubly_robust(EFFECT, NOTHING, off).value == 1
    assert doubly_robust(EFFECT, off, off).value == 3


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


def test_a_scores_mean_is_the_doubly_robust_average_where_weights_have_the_mean_1():
    t = np.array([0, 0, 1, 1])
    y, chance = np.array([1.0, 2.0, 5.0, 8.0]), 0.5
    score = doubly_robust_score(EFFECT, (y, y), (t == 0, t == 1), (chance, chance))
    side = lambda arm: Side(y[t == arm], np.full(2, 1 / chance))
    assert score.mean() == pytest.approx(doubly_robust(EFFECT, side(1), side(0)).value)
