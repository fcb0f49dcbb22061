"""Losses for doses: the density of doses, targeted regularisation, independence."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import rows
from pairnet.core.outcomes import Gaussian
from pairnet.core.types import Batch, Outputs, Rows, number
from pairnet.losses import Factual, Independence, Propensity, Targeted
from pairnet.networks import Varying

x = jr.normal(jr.key(1), (4,))


def dosed(n, seed=0, power=1.0):
    r = rows(n, seed=seed)
    return eqx.tree_at(lambda v: v.t, r, jr.uniform(jr.key(seed), (n,)) ** power)


def test_the_density_of_doses_has_area_one_and_is_linear_between_its_heights():
    said = Outputs(y=jnp.zeros(()), z=x, density=jr.normal(jr.key(0), (11,)))
    doses = jnp.linspace(0, 1, 10_001)
    density = np.exp(np.asarray(jax.vmap(said.log_chance_of)(doses)))
    assert np.isclose(np.trapezoid(density, doses), 1, atol=1e-4)
    assert np.isclose(density[500], (density[0] + density[1000]) / 2, rtol=1e-3)
    steep = Outputs(y=jnp.zeros(()), z=x, density=jnp.asarray([120.0, *[0.0] * 10]))
    slope = jax.grad(
        lambda d: eqx.tree_at(lambda o: o.density, steep, d).log_chance_of(jnp.float32(0.55))
    )(steep.density)
    assert np.isfinite(slope).all()
    assert np.isfinite(steep.log_chance_of(jnp.float32(0.55)))
    even = Outputs(y=jnp.zeros(()), z=x, density=jnp.zeros(5))
    assert np.allclose(jax.vmap(even.log_chance_of)(doses), 0, atol=1e-5)


def test_targeted_regularisation_moves_outcomes_by_the_inverse_density():
    network = Varying(3, phi=(6,), mu=(4,), heights=11, key=jr.key(0))
    r = dosed(10)
    targeted = Targeted(Gaussian(), number(0.05))
    assert np.isclose(
        targeted(network, Batch(r)), Factual(Gaussian())(network, Batch(r))
    )  # epsilon starts at 0
    moved = eqx.tree_at(lambda n: n.epsilon, network, jnp.asarray([0.1, 0.2, 0, 0, 0]))
    said = jax.vmap(network)(r.x, r.t)
    density = np.exp(said.log_chance_of(r.t))
    expected = np.mean((r.y - said.y - (0.1 + 0.2 * r.t) / density) ** 2)
    assert np.isclose(targeted(moved, Batch(r)), expected, rtol=1e-4)
    assert np.isclose(Propensity()(network, Batch(r)), -np.mean(np.log(density)), rtol=1e-4)


def test_independence_is_zero_where_the_representation_says_nothing_of_the_dose():
    identity = lambda x, t: Outputs(y=jnp.zeros(()), z=x)
    grid = jnp.stack(jnp.meshgrid(jnp.arange(8.0), jnp.arange(8.0)), axis=-1).reshape(-1, 2)
    at = lambda z, t: float(
        Independence()(identity, Batch(Rows(z, t, jnp.zeros(64), jnp.ones(64))))
    )
    assert at(grid[:, :1], grid[:, 1]) == pytest.approx(0, abs=1e-5)
    assert at(grid[:, :1], grid[:, 0] + 3 * grid[:, 1]) < at(grid[:, :1], grid[:, 0])
    assert at(grid[:, :1], grid[:, 0]) > 0.05
