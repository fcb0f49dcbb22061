"""TARNet with a propensity head on its representation (DragonNet: Shi et al., 2019)."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Float, PRNGKeyArray

from pairnet.core.types import Array
from pairnet.networks.base import AbstractNetwork
from pairnet.networks.blocks import Dense
from pairnet.networks.two_head import TwoHead


class Dragon(AbstractNetwork):
    """TARNet and a linear propensity head on the same representation.

    The head makes the representation keep what drives the treatment.
    """

    outcome: TwoHead
    propensity: Dense
    epsilon: Float[Array, " k"]  # of the targeted term; 0 and unused without it

    def __init__(
        self,
        covariates: int,
        *,
        arms: int = 2,
        phi: tuple[int, ...] = (200, 200, 200),
        mu: tuple[int, ...] = (100, 100),
        key: PRNGKeyArray,
    ):
        k_outcome, k_propensity = jr.split(key)
        self.outcome = TwoHead(covariates, arms=arms, phi=phi, mu=mu, key=k_outcome)
        self.propensity = Dense(phi[-1], arms, key=k_propensity)
        self.epsilon = jnp.zeros(arms)

    def __call__(self, x, t):
        outputs = self.outcome(x, t)
        mine = jnp.sum(jnp.where(jnp.arange(len(self.epsilon)) == t, self.epsilon, 0))
        return eqx.tree_at(
            lambda o: (o.propensity, o.epsilon),
            outputs,
            (self.propensity(outputs.z), mine),
            is_leaf=lambda leaf: leaf is None,
        )

    def penalty(self):
        """Return the sum of squares of phi's weights."""
        return self.outcome.penalty()
