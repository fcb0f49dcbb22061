"""How effects are read off networks."""

import jax.numpy as jnp
import numpy as np

from pairnet.core.outcomes import Gaussian
from pairnet.core.types import Outputs
from pairnet.training import Blend


def test_the_x_learner_blends_by_the_propensity():
    say = lambda value: lambda x, t: Outputs(y=jnp.asarray(value), z=x)
    chance = lambda x, t: Outputs(y=jnp.zeros(()), z=x, propensity=jnp.log(jnp.asarray([0.2, 0.8])))
    networks = {"mu": say(7.0), "first": say(1.0), "own": say(5.0), "pi": chance}
    blend = Blend(Gaussian(), "mu", ("first",), ("own",), "pi")
    zero, one = jnp.zeros(()), jnp.ones(())
    assert np.isclose(blend.effect(networks, jnp.zeros(2), zero, one), 0.8 * 1 + 0.2 * 5)
    assert np.isclose(blend.effect(networks, jnp.zeros(2), one, zero), -(0.8 * 1 + 0.2 * 5))
    assert np.isclose(blend.outcome(networks, jnp.zeros(2), one), 7 + 0.8 * 1 + 0.2 * 5)
