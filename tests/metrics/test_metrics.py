import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pairnet.metrics import ate_error, pair_loss, paired_test, pehe


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
