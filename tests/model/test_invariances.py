"""What must not matter, does not: the order of rows, units, absent rows, names of arms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import easy_problem, small

X, T, Y, _ = easy_problem(120)
REFERENCE = small().fit(X, Y, treatment=T).effect(X)
few = settings(max_examples=6, deadline=None)


def close(effect, expected):
    return np.allclose(effect, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


@few
@given(st.integers(0, 1000))
def test_the_order_of_rows_does_not_matter(seed):
    order = np.random.default_rng(seed).permutation(len(X))
    assert np.array_equal(small().fit(X[order], Y[order], treatment=T[order]).effect(X), REFERENCE)


@few
@given(st.floats(0.001, 1000), st.floats(-100, 100))
def test_effects_scale_with_the_outcome_and_ignore_its_origin(factor, shift):
    assert close(
        small().fit(X, factor * Y + factor * shift, treatment=T).effect(X), factor * REFERENCE
    )


@few
@given(st.lists(st.floats(0.01, 100), min_size=3, max_size=3), st.floats(-50, 50))
def test_units_of_covariates_do_not_matter(factors, shift):
    moved = X * np.asarray(factors) + shift
    assert close(small().fit(moved, Y, treatment=T).effect(moved), REFERENCE)


@few
@given(st.integers(1, 30), st.floats(-1e6, 1e6))
def test_rows_of_weight_zero_change_nothing(count, value):
    x, y = np.vstack([X, np.full((count, 3), value)]), np.r_[Y, np.full(count, value)]
    t, weight = np.r_[T, np.zeros(count, int)], np.r_[np.ones(len(X)), np.zeros(count)]
    assert np.array_equal(small().fit(x, y, treatment=t, sample_weight=weight).effect(X), REFERENCE)


@few
@given(st.floats(0.1, 10))
def test_only_relative_weights_matter(weight):
    assert close(
        small().fit(X, Y, treatment=T, sample_weight=np.full(len(X), weight)).effect(X), REFERENCE
    )


@few
@given(
    st.sampled_from(
        [("a", "b"), ("none", "a_drug"), (1, 0), (True, False), (-3, 8), (0.25, 0.5), ("1", "0")]
    )
)
def test_names_of_arms_do_not_matter(names):
    labels = np.array(names)[T]
    method = small().fit(X, Y, treatment=labels)
    assert np.array_equal(method.effect(X, T0=names[0], T1=names[1]), REFERENCE)
    assert np.allclose(method.effect(X, T0=names[1], T1=names[0]), -REFERENCE)


@few
@given(st.permutations(["a", "b", "c"]), st.booleans())
def test_names_of_three_arms_matter_neither_for_members_nor_for_evidence(names, alike):
    """Also where all arms have equally many rows, so that their numbers do not tell them apart."""
    t = np.resize([0, 1, 2], len(X)) if alike else np.minimum(T + (X[:, 0] > 1), 2)
    fit = lambda labels: small(members=2, bootstrap=True, calibration=0.2).fit(
        X, Y, treatment=labels
    )
    first, other = fit(t), fit(np.array(names)[t])
    mine, theirs = {"T0": 0, "T1": 2}, {"T0": names[0], "T1": names[2]}
    assert np.array_equal(first.member_effects(X, **mine), other.member_effects(X, **theirs))
    assert np.array_equal(first.support(X, **mine).overlap, other.support(X, **theirs).overlap)
    robust = [m.ate(X, **c, kind="doubly robust") for m, c in ((first, mine), (other, theirs))]
    assert robust[0] == pytest.approx(robust[1], rel=1e-6)
    assert first.overlap().groups == ("0", "1", "2")
    assert other.overlap().groups == ("a", "b", "c")


def test_arms_that_nothing_tells_apart_have_no_effect():
    """Every row stands in the table twice, once under each arm: no order of the arms is better."""
    x, y = np.vstack([X, X]), np.r_[Y, Y]
    labels = np.repeat(["a", "b"], len(X))
    method = small().fit(x, y, treatment=labels)
    assert np.abs(method.effect(X, T0="a", T1="b").mean()) < 0.5 * Y.std()
