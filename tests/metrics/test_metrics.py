import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pairnet.core.errors import BadInput
from pairnet.metrics import (
    ate_error,
    best_linear_projection,
    calibration_test,
    mmd,
    pair_loss,
    pair_loss_score,
    paired_test,
    pehe,
    policy_error,
    welch_test,
)

Y, ARM = np.array([0.0, 1.0, 2.0, 4.0]), np.array([0, 1, 0, 1])
X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 3.0]])
HIDDEN = np.array([False, True, False, False])


def masked(values):
    """The second row is masked, and -999 stands below the mask."""
    hidden = HIDDEN if values.ndim == 1 else np.repeat(HIDDEN[:, None], values.shape[1], 1)
    return np.ma.array(np.where(hidden, -999, values), mask=hidden)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: pair_loss_score(masked(Y), treatment=ARM, outcomes=Y),
        lambda: pair_loss_score(Y, treatment=masked(ARM), outcomes=Y),
        lambda: pair_loss_score(Y, treatment=ARM, outcomes=masked(Y)),
        lambda: pair_loss_score(Y, treatment=ARM, outcomes=Y, sample_weight=masked(Y + 1)),
        lambda: pair_loss_score(Y, treatment=ARM, effects=masked(Y), X=X),
        lambda: pair_loss_score(Y, treatment=ARM, effects=Y, X=masked(X)),
        lambda: pair_loss_score(Y, treatment=["a", None, "a", "b"], outcomes=Y),
        lambda: best_linear_projection(masked(Y), X[:, :1]),
        lambda: best_linear_projection(Y, masked(X[:, :1])),
        lambda: best_linear_projection(Y, X[:, :1], weight=masked(Y + 1)),
        lambda: best_linear_projection(Y, X[:, :1], clusters=masked(ARM)),
        lambda: calibration_test(masked(Y), Y),
        lambda: calibration_test(Y, masked(Y)),
        lambda: mmd(masked(X), X),
        lambda: mmd(X, masked(X)),
    ],
)
def test_a_masked_value_is_no_number(ask):
    with pytest.raises(BadInput, match=r"finite numbers|missing values"):
        ask()


def test_an_error_that_hangs_on_a_masked_value_is_no_number():
    two, first_masked = np.stack([Y, Y]), np.ma.stack([masked(Y), Y])
    assert np.isnan(pehe(first_masked, two)).tolist() == [True, False]
    assert np.isnan(ate_error(two, first_masked)).tolist() == [True, False]
    three = np.stack([X, X, X])
    second_masked = np.ma.stack([np.ma.array(X), masked(X), np.ma.array(X)])
    lost = policy_error(three, second_masked)
    assert np.isnan(lost).tolist() == [False, True, False]
    assert lost[0] == 0


def test_pehe_and_ate_error_by_hand():
    truth, effect = np.array([[1.0, 2.0], [0.0, 0.0]]), np.array([[1.0, 4.0], [3.0, -3.0]])
    assert np.allclose(pehe(truth, effect), [np.sqrt(2), 3])
    assert np.allclose(ate_error(truth, effect), [1, 0])


@given(st.integers(0, 1000), st.integers(2, 4))
def test_the_pair_loss_is_the_mean_over_all_pairs_of_different_arms(seed, arms):
    rng = np.random.default_rng(seed)
    y, mu, t = rng.normal(size=20), rng.normal(size=20), np.arange(20) % arms
    losses = [
        np.mean([((y[i] - y[j]) - (mu[i] - mu[j])) ** 2 for j in range(20) if t[j] != t[i]])
        for i in range(20)
    ]
    assert np.isclose(pair_loss(y, mu, t), np.mean(losses))


def test_the_pair_loss_ignores_a_common_error_and_sees_a_wrong_effect():
    y, t = np.arange(10.0), np.arange(10) % 2
    assert np.isclose(pair_loss(y, y + 5, t), 0)
    assert np.isclose(pair_loss(y, y + t, t), 1)
    with pytest.raises(ValueError, match="at least two arms"):
        pair_loss(y, y, np.zeros(10))


def test_the_test_is_paired_and_one_sided():
    """The public code's "paired" test was an unpaired Welch test."""
    rng = np.random.default_rng(0)
    hard = rng.exponential(5, 30)
    reference, rival = hard, hard + 0.1 + 0.05 * rng.normal(size=30)
    expected = stats.ttest_rel(rival, reference, alternative="greater").pvalue
    assert np.isclose(paired_test(reference, rival).p_value, expected)
    assert paired_test(reference, rival).p_value < 0.001 < stats.ttest_ind(rival, reference).pvalue
    assert np.isclose(paired_test(rival, reference).p_value, 1 - expected)
    assert paired_test(hard, hard).p_value == 0.5
    with pytest.raises(ValueError, match="at least two"):
        paired_test(hard[:1], hard[:1])


@given(st.integers(0, 1000), st.integers(2, 4), st.booleans())
def test_the_score_holds_the_pair_loss_itself(seed, arms, weighted):
    rng = np.random.default_rng(seed)
    y, mu, t = rng.normal(size=30), rng.normal(size=30), np.arange(30) % arms
    weight = rng.random(30) if weighted else None
    score = pair_loss_score(y, treatment=t, outcomes=mu, sample_weight=weight)
    assert score.loss == pair_loss(y, mu, t, weight)


def test_the_influence_of_a_row_is_what_a_little_more_weight_of_it_does_to_the_loss():
    rng = np.random.default_rng(1)
    y, mu, t, weight = rng.normal(size=20), rng.normal(size=20), np.arange(20) % 3, rng.random(20)
    score = pair_loss_score(y, treatment=t, outcomes=mu, sample_weight=weight)
    step = 1e-6 * np.eye(20)
    moved = np.array([pair_loss(y, mu, t, weight + more) for more in step]) - score.loss
    assert np.allclose(score.influence, moved / 1e-6 * weight.sum(), atol=1e-3)


def test_effects_are_scored_on_the_nearest_row_of_the_other_arm():
    x, t = np.array([[0.0], [0.1], [5.0], [5.1]]), np.array([0, 1, 0, 1])
    y = np.array([1.0, 3.0, 2.0, 7.0])  # the pairs differ by 2 and by 5
    score = pair_loss_score(y, treatment=t, effects=np.array([2.0, 2.0, 4.0, 4.0]), X=x)
    assert score.loss == pytest.approx((0 + 0 + 1 + 1) / 4)
    for wrong in ({"outcomes": y, "effects": y}, {"effects": y}, {"effects": y, "X": x[:2]}):
        with pytest.raises(ValueError, match=r"one of the two|two arms|X must hold a row"):
            pair_loss_score(y, treatment=t, **wrong)
    with pytest.raises(ValueError, match="sample_weight must hold one value per row"):
        pair_loss_score(y, treatment=t, outcomes=y, sample_weight=np.ones(3))


def test_effects_are_scored_on_all_rows_that_tie_as_nearest():
    rng = np.random.default_rng(2)
    x, t = rng.integers(0, 2, (60, 2)), rng.integers(0, 2, 60)
    y, tau = np.sort(rng.normal(size=60)), rng.normal(size=60)
    score = lambda order: pair_loss_score(
        y[order], treatment=t[order], effects=tau[order], X=x[order]
    )
    is_pair = (x[:, None] == x).all(axis=2) & (t[:, None] != t)
    losses = ((2 * t - 1)[:, None] * (y[:, None] - y) - (tau[:, None] + tau) / 2) ** 2
    expected = np.mean([loss[is_one].mean() for loss, is_one in zip(losses, is_pair, strict=True)])
    for order in (np.arange(60), np.arange(60)[::-1]):
        assert score(order).loss == pytest.approx(expected)


def test_the_unpaired_test_is_welchs_and_knows_constant_errors():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=20), rng.normal(1, 2, size=30)
    expected = stats.ttest_ind(a, b, equal_var=False, alternative="less").pvalue
    assert np.isclose(welch_test(a, b), expected)
    one, two = np.ones(3), np.full(3, 2.0)
    assert (welch_test(one, one), welch_test(one, two), welch_test(two, one)) == (0.5, 0.0, 1.0)


def test_samples_of_one_distribution_are_not_apart_and_two_points_are_by_their_kernel():
    x = np.random.default_rng(0).normal(size=(1500, 2))
    assert mmd(x, x) == pytest.approx(0, abs=1e-7)
    far = mmd(np.zeros((1, 1)), np.full((1, 1), 2.0), bandwidth=2.0)
    assert far == pytest.approx(np.sqrt(2 - 2 * np.exp(-0.5)))
