import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pairnet.training.split import passes, stratified_order


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([(90, 10), (50, 50), (97, 3), (40, 35, 25)]))
def test_every_stretch_holds_each_arm_in_its_share(seed, sizes):
    stratum = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    order = np.asarray(stratified_order(stratum, len(sizes), jr.key(seed)))
    assert sorted(order.tolist()) == list(range(100))
    for start in range(0, 100, 20):
        counts = np.bincount(stratum[order[start : start + 20]], minlength=len(sizes))
        assert np.all(np.abs(counts - 20 * np.asarray(sizes) / 100) <= 2)


def test_every_row_is_as_likely_to_come_first():
    stratum = jnp.asarray(np.repeat([0, 1], [15, 5]))
    first = jax.vmap(lambda key: stratified_order(stratum, 2, key)[:6])(jr.split(jr.key(0), 5000))
    share = np.bincount(np.asarray(first).reshape(-1), minlength=20) / 5000
    assert np.allclose(share, 0.3, atol=0.04)


def test_a_pass_visits_every_training_row_once_and_marks_empty_places():
    training, stratum = jnp.array([3, 4, 8, 9, 1]), jnp.array([0, 1, 0, 0, 1, 0, 0, 0, 1, 1])
    order, filled = passes(training, stratum, 2, 8, jr.key(0))
    assert sorted(np.asarray(order)[np.asarray(filled) == 1].tolist()) == [1, 3, 4, 8, 9]
    assert filled.sum() == 5
