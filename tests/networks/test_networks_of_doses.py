"""Networks whose outcome is a curve in the dose: splines and bins."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from pairnet.core.types import ask
from pairnet.networks import Binned, Varying
from pairnet.networks.base import Located

DOSES = jnp.linspace(0, 1, 201)
x = jr.normal(jr.key(1), (4,))


def response(network, doses=DOSES):
    return np.asarray(jax.vmap(lambda t: network(x, t).y)(doses))


def test_varying_with_weights_set_by_hand_is_a_quadratic_spline_of_the_dose():
    network = Varying(4, phi=(3,), mu=(), key=jr.key(0))
    c = jnp.asarray([1.0, -2.0, 3.0, -4.0, 5.0])
    network = eqx.tree_at(
        lambda n: (n.head[0].weight, n.head[0].bias), network, (jnp.zeros((3, 5, 1)), c[:, None])
    )
    t = np.asarray(DOSES)
    spline = (
        1 - 2 * t + 3 * t**2 - 4 * np.maximum(t - 1 / 3, 0) ** 2 + 5 * np.maximum(t - 2 / 3, 0) ** 2
    )
    assert np.allclose(response(network), spline, atol=1e-5)
    scaled = eqx.tree_at(
        lambda n: n.head[0].weight, network, jnp.ones((3, 1, 1)) * c[None, :, None]
    )
    z = network(x, jnp.zeros(())).z
    assert np.allclose(response(scaled), spline * (1 + float(z.sum())), atol=1e-4)


@pytest.mark.parametrize(("degree", "knots"), [(1, (0.5,)), (2, (1 / 3, 2 / 3)), (3, ())])
def test_varying_is_continuous_and_as_smooth_as_its_basis(degree, knots):
    network = Varying(4, phi=(8,), mu=(6,), degree=degree, knots=knots, key=jr.key(0))
    assert len(network.basis(jnp.zeros(()))) == degree + 1 + len(knots)
    slope = jax.grad(lambda t: network(x, t).y)
    for knot in knots:
        before, after = jnp.float32(knot - 1e-4), jnp.float32(knot + 1e-4)
        assert abs(network(x, before).y - network(x, after).y) < 1e-3
        assert (abs(slope(before) - slope(after)) < 1e-2) == (degree > 1)


def test_binned_is_continuous_inside_its_bins_and_every_dose_has_one():
    network = Binned(4, bins=5, phi=(8,), mu=(6,), key=jr.key(0))
    inside = response(network, jnp.linspace(0.2, 0.3999, 50))
    assert np.abs(np.diff(inside)).max() < 0.02
    assert (
        abs(network(x, jnp.float32(0.39999)).y - network(x, jnp.float32(0.4)).y) > 0.02
    )  # a new head
    assert np.allclose(network(x, jnp.ones(())).y, network(x, jnp.float32(0.99999)).y, atol=1e-3)
    assert np.isfinite(response(network, jnp.asarray([-0.1, 0.0, 1.0, 1.1]))).all()
    others = eqx.tree_at(lambda n: n.heads[-1].bias, network, network.heads[-1].bias.at[4].add(7.0))
    moved = response(others) - response(network)
    assert np.allclose(moved, np.where(np.asarray(DOSES) >= 0.8, 7, 0), atol=1e-4)  # t = 1 included


@pytest.mark.parametrize("doses", [(0.0, 1.0), (-0.3, 1.3), (0.0, 0.3), (0.5, 0.5)], ids=str)
def test_many_rows_sorted_by_their_bins_are_answered_as_one_by_one(doses):
    made = jax.vmap(
        lambda key: Located(Binned(4, bins=5, phi=(8,), mu=(6,), key=key), jnp.float32(3))
    )
    networks = made(jr.split(jr.key(0), 2))  # two replications
    many = jr.normal(jr.key(1), (23, 4)), jr.permutation(jr.key(2), jnp.linspace(*doses, 23))
    one_by_one = lambda network, x, t: jax.vmap(network)(x, t)

    @jax.jit
    def answers(networks):
        loss = lambda way: lambda network: jnp.sum(jnp.sin(way(network, *many).y))
        return [
            jax.vmap(lambda n, w=way: (w(n, *many), jax.grad(loss(w))(n)))(networks)
            for way in (ask, one_by_one)
        ]

    ours, theirs = answers(networks)
    assert ours[0].y.shape == (2, 23)
    for mine, other in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        assert np.allclose(mine, other, atol=1e-5)


def test_an_epoch_of_varying_builds_no_weights_row_by_row():
    network = Varying(25, key=jr.key(0))
    n, widest = 5000, 200 * 100

    def loss(network, x, t):
        return jnp.mean(jax.vmap(network)(x, t).y ** 2)

    shapes = jax.ShapeDtypeStruct((n, 25), jnp.float32), jax.ShapeDtypeStruct((n,), jnp.float32)
    used = jax.jit(jax.grad(loss)).lower(network, *shapes).compile().memory_analysis()
    assert (
        used.temp_size_in_bytes < 4 * n * widest / 5
    )  # one float32 matrix a row would be five times that
