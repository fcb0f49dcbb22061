"""Intervals: what they need, what they cover, and what they refuse."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

from checks import easy_problem, small
from pairnet import Plan
from pairnet.inference import resampling
from pairnet.inference.conformal import HeldOut, pair_reach
from pairnet.model.predictor import AbstractPredictor, Stored
from pairnet.model.question import ask

X, T, Y, TAU = easy_problem(n=600)
PLAN = Plan(patience=100, longest=600, warm_up=50)
NEW = easy_problem(n=400, seed=1)


@pytest.fixture(scope="module")
def fitted():
    return small(members=4, bootstrap=True, calibration=0.3, plan=PLAN).fit(X, Y, treatment=T)


@pytest.fixture(scope="module")
def plain():
    return small(members=2).fit(X, Y, treatment=T)


def test_members_draw_as_many_rows_of_each_arm_as_there_are():
    t = np.repeat([0.0, 1.0, 2.0], (50, 30, 20))[None]
    draws = resampling.bootstrap(t, 3, members=4, seed=0, least=7)
    assert draws.shape == (1, 4, 100)
    assert np.array_equal(
        [draws[0, :, t[0] == arm].sum(axis=0) for arm in range(3)], [[50] * 4, [30] * 4, [20] * 4]
    )
    assert 0.5 < (draws > 0).mean() < 0.75
    assert len({draw.tobytes() for draw in draws[0]}) == 4
    fewer = resampling.bootstrap(t, 3, members=2, seed=0, least=7)
    assert np.array_equal(fewer, draws[:, :2])  # more members leave the first ones as they were


def test_a_tiny_arm_is_never_lost_to_a_member():
    t = np.repeat([0.0, 1.0], (93, 7))[None]
    draws = resampling.bootstrap(t, 2, members=200, seed=0, least=5)
    assert (draws[0][:, 93:] > 0).sum(axis=1).min() >= 5


def test_the_kept_out_rows_are_a_share_of_every_arm_and_no_member_sees_them(fitted):
    unseen = ~fitted.training_.draws.any(axis=0)
    arms = [np.sum(arm == T) for arm in (0, 1)]
    expected = [round(0.3 * count) for count in arms]
    by_chance = 0.02 * len(X)  # rows that no member happened to draw
    assert np.all(
        np.abs([unseen[fitted.training_.t == arm].sum() for arm in (0, 1)] - np.array(expected))
        <= by_chance
    )
    assert fitted.training_.summary["rows"] == len(X) - sum(expected)


def test_shuffling_the_table_changes_no_interval(fitted):
    order = np.random.default_rng(0).permutation(len(X))
    again = small(members=4, bootstrap=True, calibration=0.3, plan=PLAN).fit(
        X[order], Y[order], treatment=T[order]
    )
    for kind in ("bootstrap", "conformal"):
        assert np.allclose(
            fitted.effect_interval(X[:9], kind=kind), again.effect_interval(X[:9], kind=kind)
        )


def test_bootstrap_intervals_are_around_the_effect_and_wider_for_more_certainty(fitted):
    lower, upper = fitted.effect_interval(X)
    assert np.allclose((lower + upper) / 2, fitted.effect(X))
    narrow = fitted.effect_interval(X, alpha=0.2)
    assert np.all(upper - lower > narrow[1] - narrow[0])
    said = fitted.member_effects(X[:1])[:, 0]
    reach = stats.t.ppf(0.975, 3) * said.std(ddof=1) * np.sqrt(1.25)
    assert np.isclose(upper[0] - lower[0], 2 * reach)


def test_an_effect_of_nothing_is_surely_nothing(fitted):
    for kind in ("bootstrap", "conformal"):
        assert np.array_equal(
            fitted.effect_interval(X[:3], T0=1, T1=1, kind=kind), np.zeros((2, 3))
        )
    assert fitted.ate(X, T0=1, T1=1, kind="doubly robust") == 0


def test_conformal_intervals_cover_the_difference_of_pairs_of_new_rows(fitted):
    x, _, _, tau = NEW
    rng = np.random.default_rng(3)
    observed = tau + 0.3 * rng.normal(size=400) - 0.3 * rng.normal(size=400)
    for alpha in (0.5, 0.1):
        lower, upper = fitted.effect_interval(x, alpha=alpha, kind="conformal")
        covered = np.mean((lower <= observed) & (observed <= upper))
        assert abs(covered - (1 - alpha)) < 0.1


def test_conformal_intervals_are_the_wider_the_rarer_the_treatment_was_among_such_rows():
    """Two thousand people; those with a large first covariate were hardly ever treated."""
    rng = np.random.default_rng(0)
    side = HeldOut(rng.normal(size=100), np.ones(100), np.array([1.0, 3.0, 1000.0]))
    reach = pair_reach(side, side._replace(own=np.ones(3)), alpha=0.1)
    assert reach[0] <= reach[1] < np.inf
    assert reach[2] == np.inf


def test_averages_have_intervals_that_hold_the_truth(fitted):
    for kind in ("bootstrap", "doubly robust"):
        lower, upper = fitted.ate_interval(X, kind=kind, alpha=0.01)
        assert lower < TAU.mean() < upper
        assert upper - lower < 2
    assert abs(fitted.ate(X, kind="doubly robust") - TAU.mean()) < 0.25


def test_the_doubly_robust_average_mends_a_model_that_is_off(fitted):
    """The outcome model says 0 for everyone; weighted residuals still find the effect."""

    class Off(AbstractPredictor):
        def outcome(self, x, t):
            return np.zeros((4, len(x)))

        def stored(self):
            return Stored()

    off = dataclasses.replace(fitted.model_, predictor=Off())
    mended = ask(off, X).doubly_robust
    assert abs(mended.value - TAU.mean()) < 4 * mended.error
    assert 0 < mended.error < 0.5


def test_intervals_of_yes_and_no_stay_inside_their_bounds():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.2 + 0.5 * T[:300]
    model = small(members=2, bootstrap=True, calibration=0.3).fit(X[:300], y, treatment=T[:300])
    for kind in ("bootstrap", "conformal"):
        lower, upper = model.effect_interval(X[:50], kind=kind, alpha=0.1)
        assert np.all((lower >= -1) & (upper <= 1) & (lower <= upper))


def test_what_is_missing_is_said(plain, fitted):
    with pytest.raises(ValueError, match="bootstrap=True"):
        plain.effect_interval(X)
    with pytest.raises(ValueError, match="bootstrap=True"):
        plain.ate_interval(X)
    with pytest.raises(ValueError, match="was trained on all"):
        plain.ate_interval(X, kind="doubly robust")
    assert abs(plain.ate(X, kind="doubly robust") - TAU.mean()) < 0.5
    with pytest.raises(ValueError, match="calibration=0.2"):
        plain.effect_interval(X, kind="conformal")
    with pytest.raises(ValueError, match="all would be infinite"):
        fitted.effect_interval(X, kind="conformal", alpha=1e-6)
    with pytest.raises(
        ValueError, match="kind must be 'bootstrap' or 'conformal', got 'percentile'"
    ):
        fitted.effect_interval(X, kind="percentile")
    with pytest.raises(ValueError, match="as 0.05 for 95 %, got 95.0"):
        fitted.effect_interval(X, alpha=95.0)
    with pytest.raises(ValueError, match="single arms"):
        fitted.ate(X, T0=0, T1=T, kind="doubly robust")


def test_hyperparameters_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="members must be at least 2 where bootstrap is on"):
        small(bootstrap=True).fit(X, Y, treatment=T)
    with pytest.raises(ValueError, match="calibration must be a share"):
        small(calibration=1.5).fit(X, Y, treatment=T)
