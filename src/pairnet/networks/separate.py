"""A network of its own for each arm (T-learner)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import PRNGKeyArray

from pairnet.core.types import Outputs
from pairnet.networks.base import AbstractNetwork
from pairnet.networks.blocks import Stack, copies


class Separate(AbstractNetwork):
    """A network of its own for each arm; z holds all their representations.

    Nothing is shared between the arms.
    """

    phi: Stack  # stacked over arms
    heads: Stack

    def __init__(
        self,
        covariates: int,
        *,
        arms: int = 2,
        phi: tuple[int, ...] = (200, 200, 200),
        mu: tuple[int, ...] = (100, 100),
        key: PRNGKeyArray,
    ):
        k_phi, k_heads = jr.split(key)
        self.phi = copies(arms, lambda k: Stack(covariates, phi, key=k), k_phi)
        self.heads = copies(arms, lambda k: Stack(phi[-1], (*mu, 1), linear=True, key=k), k_heads)

    def __call__(self, x, t):
        z = jax.vmap(lambda phi: phi(x))(self.phi)
        scores = jax.vmap(lambda head, mine: head(mine)[0])(self.heads, z)
        chosen = jnp.arange(len(scores)) == t
        return Outputs(y=jnp.sum(jnp.where(chosen, scores, 0)), z=z.reshape(-1))

    def penalty(self):
        """Return half the sum of squares of all weights, averaged over arms as the losses are."""
        return 0.5 * (self.phi.squares() + self.heads.squares()) / len(self.phi.layers[0].bias)
