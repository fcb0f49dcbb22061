"""Conformal intervals by hand: quantiles of the errors of pairs."""

import numpy as np
import pytest

from pairnet.inference.conformal import HeldOut, nearest_rows, pair_reach

ZERO = HeldOut(np.zeros(1), np.ones(1), np.zeros(1))  # a row that says nothing of itself


def side(residual, weight=None, own=(0.0,)):
    residual = np.asarray(residual, float)
    weight = np.ones(len(residual)) if weight is None else np.asarray(weight, float)
    return HeldOut(residual, weight, np.asarray(own, float))


def test_the_reach_is_the_quantile_of_the_pairs_errors():
    errors = side([-4.0, 1.0, -2.0, 3.0])  # against 0: 1, 2, 3, 4
    reach = [pair_reach(ZERO, errors, alpha)[0] for alpha in (0.8, 0.55, 0.3, 0.1)]
    assert reach == [1, 2, 3, 4]
    assert reach == [pair_reach(errors, ZERO, alpha)[0] for alpha in (0.8, 0.55, 0.3, 0.1)]


def test_what_a_model_misses_alike_under_both_treatments_is_no_error():
    assert pair_reach(side([5.0, 5.0]), side([5.0, 5.0, 5.0]), 0.05)[0] == 0
    assert pair_reach(side([5.0, 5.0]), side([4.0, 4.0, 4.0]), 0.05)[0] == 1


def test_pairs_count_by_both_weights():
    """Errors 1 and 9 weigh 3 and 1, so that 1 is the quantile up to three quarters."""
    uneven = side([1.0, 9.0], weight=[3.0, 1.0])
    assert pair_reach(ZERO, uneven, 0.3)[0] == 1
    assert pair_reach(ZERO, uneven, 0.2)[0] == 9
    assert pair_reach(uneven, ZERO, 0.3)[0] == 1
    assert pair_reach(uneven, ZERO, 0.2)[0] == 9
    assert pair_reach(uneven, side([0.0, 8.0], weight=[1.0, 3.0]), 0.5)[0] == 7  # 9/16 of the pairs


def test_the_row_asked_about_takes_part_with_an_error_that_may_be_anything():
    """Of nine held-out rows and its own, all of one weight, eight tenths are the eighth error."""
    own = [0.0, 1.0, 3.0, 90.0]
    nine = side(np.arange(1.0, 10.0), own=own)
    zero = side([0.0], own=np.zeros(4))
    assert pair_reach(zero, nine, 0.25)[0] == 7  # three quarters of nine
    assert pair_reach(zero, nine, 0.25)[1] == 8  # of ten
    assert pair_reach(zero, nine, 0.25)[2] == 9  # of twelve
    assert pair_reach(zero, nine, 0.25)[3] == np.inf  # its own is most of the weight
    assert np.array_equal(pair_reach(nine, zero, 0.25), pair_reach(zero, nine, 0.25))


def test_without_held_out_rows_the_interval_is_infinite():
    nobody = side([], own=np.ones(2))
    assert pair_reach(nobody, side([1.0], own=np.ones(2)), 0.5).tolist() == [np.inf, np.inf]


def test_more_certainty_reaches_no_less_far():
    rng = np.random.default_rng(0)
    first, second = (side(rng.normal(size=30), own=np.ones(1)) for _ in range(2))
    reach = [pair_reach(first, second, alpha)[0] for alpha in (0.5, 0.3, 0.2)]
    assert reach == sorted(reach)
    assert reach[0] < reach[-1] < np.inf


def test_many_pairs_are_judged_by_a_sample():
    rng = np.random.default_rng(0)
    many, few = side(rng.normal(size=3000)), side(rng.normal(size=10))
    exact = np.quantile(np.abs(few.residual[:, None] - many.residual), 0.8)
    assert pair_reach(many, few, 0.2)[0] == pytest.approx(exact, rel=0.05)


def test_rows_near_a_dose_are_a_fifth_of_them_or_fifty():
    doses = np.linspace(0, 1, 1001)
    near = nearest_rows(doses, 0.5)
    assert len(set(near.tolist())) == 200
    assert np.abs(doses[near] - 0.5).max() <= 0.1 + 1e-9
    assert len(nearest_rows(doses[:100], 0.0)) == 50
    assert nearest_rows(np.array([0.9, 0.1, 0.5]), 0.0).tolist() == [1, 2, 0]


def test_of_rows_with_the_same_dose_all_are_near_or_none():
    doses = np.repeat([0.0, 0.5, 1.0], 200)
    assert nearest_rows(doses, 0.5).tolist() == list(range(200, 400))
    assert len(nearest_rows(doses, 0.6)) == 200
