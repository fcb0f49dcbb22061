"""Balance between arms: zero for equal arms, and transport as it is relaxed."""

import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import batch, rows
from pairnet.core.outcomes import Gaussian
from pairnet.core.types import Batch, Outputs, Rows, number
from pairnet.losses import (
    KernelMMD,
    LinearMMD,
    RelaxedTransport,
    Wasserstein,
)
from pairnet.networks import TwoHead


@pytest.mark.parametrize(
    "loss", [LinearMMD(2), KernelMMD(2), Wasserstein(2, 0.01)], ids=lambda v: type(v).__name__
)
def test_balance_is_zero_for_equal_arms_and_grows_as_they_part(loss):
    identity = lambda x, t: Outputs(y=jnp.zeros(()), z=x)
    half = jr.normal(jr.key(0), (8, 3))
    arms = jnp.repeat(jnp.arange(2.0), 8)

    def at(distance):
        x = jnp.concatenate([half, half + distance])
        return float(loss(identity, Batch(Rows(x, arms, jnp.zeros(16), jnp.ones(16)))))

    assert at(0.0) == pytest.approx(0, abs=0.03)
    assert at(0.5) < at(1.0) < at(3.0)


def test_the_linear_measure_is_the_squared_distance_of_means_in_units_of_the_batch():
    identity = lambda x, t: Outputs(y=jnp.zeros(()), z=x)
    x = jnp.asarray([[0.0], [2.0], [4.0], [6.0]])
    b = Batch(Rows(x, jnp.asarray([0.0, 0.0, 1.0, 1.0]), jnp.zeros(4), jnp.ones(4)))
    assert float(LinearMMD(2)(identity, b)) == pytest.approx((5 - 1) ** 2 / 5, rel=1e-4)


def test_relaxed_transport_becomes_balanced_transport_as_the_relaxation_grows():
    network = TwoHead(3, phi=(6,), mu=(4,), key=jr.key(0))
    b = batch(rows(16))
    at = lambda relaxation: float(
        RelaxedTransport(Gaussian(), 2, 0.1, relaxation, number(0.0))(network, b)
    )
    balanced = float(Wasserstein(2, 0.1)(network, b))
    assert at(np.inf) == pytest.approx(balanced, rel=1e-4)
    assert abs(at(1e4) - balanced) < 1e-2 * balanced
    assert abs(at(100.0) - balanced) < abs(at(1.0) - balanced)
    with_outcomes = RelaxedTransport(Gaussian(), 2, 0.1, 1.0, number(1.0))(network, b)
    assert with_outcomes > at(1.0)
