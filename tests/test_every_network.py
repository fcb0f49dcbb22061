import inspect

import jax
import jax.numpy as jnp
import jax.random as jr
import pytest

from pairnet.networks import Classifier, Regressor, Single, networks


@pytest.fixture(params=list(networks))
def network(request):
    return made(networks[request.param])


def made(kind):
    arms = {"arms": 3} if "arms" in inspect.signature(kind).parameters else {}
    return kind(4, **arms, key=jr.key(0))


def test_jit_and_vmap_agree_with_the_plain_call(network):
    x, t = jr.normal(jr.key(1), (5, 4)), jnp.array([0.0, 1.0, 2.0, 1.0, 0.0])
    mapped = jax.jit(jax.vmap(network))(x, t)
    for i in range(5):
        plain = network(x[i], t[i])
        assert jnp.allclose(mapped.y[i], plain.y, atol=1e-5)
        assert jnp.allclose(mapped.z[i], plain.z, atol=1e-5)


def test_the_treatment_changes_the_score_and_not_the_representation(network):
    x = jr.normal(jr.key(1), (4,))
    outputs = [network(x, jnp.float32(arm)) for arm in range(3)]
    blind = isinstance(network, Regressor | Classifier)  # asked about x alone
    assert len({float(o.y) for o in outputs}) == (1 if blind else 3)
    if not isinstance(network, Single):  # has the treatment among its inputs
        assert all(jnp.array_equal(o.z, outputs[0].z) for o in outputs)


def test_the_penalty_is_not_negative_and_grows_with_the_weights(network):
    double = jax.tree.map(lambda leaf: 2 * leaf, network)
    assert 0 <= network.penalty() < double.penalty()


def test_equal_keys_make_equal_networks(network):
    again = made(type(network))
    assert all(
        jnp.array_equal(a, b)
        for a, b in zip(jax.tree.leaves(network), jax.tree.leaves(again), strict=True)
    )
