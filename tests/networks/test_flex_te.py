"""FlexTENet's shared and private weights."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np

from pairnet.networks import FlexTE


def test_flextenets_overlap_is_zero_for_orthogonal_weights():
    network = FlexTE(4, phi=(4, 4), mu=(2,), key=jr.key(0))
    assert network.overlap() > 0.01
    shared = tuple(
        eqx.tree_at(lambda d: d.weight, layer, layer.weight.at[1:].set(0))
        for layer in network.shared
    )
    private = tuple(
        eqx.tree_at(lambda d: d.weight, layer, layer.weight.at[:, 0].set(0))
        for layer in network.private
    )
    orthogonal = eqx.tree_at(lambda n: (n.shared, n.private), network, (shared, private))
    assert np.isclose(orthogonal.overlap(), 0)
    without = FlexTE(4, phi=(4, 4), mu=(2,), orthogonal=0.0, key=jr.key(0))
    without = eqx.tree_at(lambda n: (n.shared, n.private), without, (shared, private))
    assert np.isclose(orthogonal.penalty(), without.penalty())


def test_flextenets_arms_agree_where_private_weights_are_zero():
    network = FlexTE(4, phi=(6,), mu=(4,), key=jr.key(0))
    shared = eqx.tree_at(
        lambda n: n.private, network, jax.tree.map(jnp.zeros_like, network.private)
    )
    x = jr.normal(jr.key(1), (4,))
    assert network(x, jnp.zeros(())).y != network(x, jnp.ones(())).y
    assert shared(x, jnp.zeros(())).y == shared(x, jnp.ones(())).y
