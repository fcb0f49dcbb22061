"""What a predictor can say that only knows outcomes, and several of them one after another."""

import numpy as np
import pytest

from models_by_hand import Formula
from pairnet.model.replications import OneByOne, Replications

X = np.array([[1.0, 0], [2, 0], [3, 0]])
ONE = Formula(lambda x, t: x[:, 0] * t, lambda x, t: x[:, 0] + t**2)
NO, YES = np.asarray(0.0), np.asarray(1.0)


def test_an_effect_is_a_difference_of_outcomes():
    assert ONE.effect(X, NO, YES).tolist() == [[1, 2, 3], [1, 1, 1]]
    assert ONE.effect(X, YES, NO).tolist() == [[-1, -2, -3], [-1, -1, -1]]
    by_row = ONE.effect(X, NO, np.array([0.0, 1.0, 2.0]))
    assert by_row.tolist() == [[0, 2, 6], [0, 1, 4]]


def test_a_curve_is_outcomes_under_several_treatments():
    curve = ONE.curve(X, np.array([0.0, 1.0, 3.0]))
    assert curve.shape == (2, 3, 3)
    assert curve[0].tolist() == [[0, 1, 3], [0, 2, 6], [0, 3, 9]]
    own = ONE.curve(X, np.array([[0.0, 1], [1, 2], [2, 3]]))
    assert own[0].tolist() == [[0, 1], [2, 4], [6, 9]]


def test_a_slope_is_how_fast_outcomes_change_with_the_dose():
    for place in (0.0, 0.5, 1.0):  # at the ends it looks to one side only
        slope = ONE.slope(X, np.asarray(place))
        assert slope[0] == pytest.approx([1, 2, 3])
        assert slope[1] == pytest.approx([2 * place] * 3, abs=2e-3)
    assert ONE.slope(X, np.array([0.0, 0.5, 1.0]))[1] == pytest.approx([0, 1, 2], abs=2e-3)


def test_a_slope_asks_for_no_dose_outside_the_range():
    def inside(x, t):
        assert np.all((t >= 0) & (t <= 1))
        return t

    assert Formula(inside).slope(X, np.array([0.0, 1.0, 0.5]))[0] == pytest.approx([1, 1, 1])


def test_a_predictor_need_have_no_space_and_no_log():
    assert ONE.represent(X) is None
    assert ONE.log() is None


def two():
    return OneByOne((Formula(lambda x, t: x[:, 0] * t), Formula(lambda x, t: x[:, 0] - t)))


def test_replications_that_share_rows_are_asked_the_same():
    fits = two()
    assert isinstance(fits, Replications)
    assert fits.outcome(X, YES).tolist() == [[[1, 2, 3]], [[0, 1, 2]]]
    assert fits.outcome(X, np.array([0.0, 1, 2])).tolist() == [[[0, 2, 6]], [[1, 1, 1]]]
    assert fits.effect(X, NO, YES).tolist() == [[[1, 2, 3]], [[-1, -1, -1]]]
    assert fits.curve(X, np.array([0.0, 2.0])).shape == (2, 1, 3, 2)
    assert fits.rounds == {}


def test_replications_with_rows_of_their_own_are_asked_about_these():
    fits, x = two(), np.stack([X, 10 * X])
    assert fits.outcome(x, YES).tolist() == [[[1, 2, 3]], [[9, 19, 29]]]
    t = np.array([[0.0, 1, 2], [1, 1, 1]])
    assert fits.outcome(x, t).tolist() == [[[0, 2, 6]], [[9, 19, 29]]]
    assert fits.effect(x, NO, t).tolist() == [[[0, 2, 6]], [[-1, -1, -1]]]
    assert fits.curve(x, np.array([0.0, 1.0]))[1, 0].tolist() == [[10, 9], [20, 19], [30, 29]]
