"""A shared representation with one head an arm (TARNet: Shalit, Johansson and Sontag, 2017)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import PRNGKeyArray

from pairnet.core.types import Outputs
from pairnet.networks.base import AbstractNetwork
from pairnet.networks.blocks import Stack, copies


class TwoHead(AbstractNetwork):
    """A shared representation phi, then one head mu_t for each arm.

    All heads are evaluated and one is chosen: at the usual sizes that is cheaper than gathering
    weights row by row.
    """

    phi: Stack
    heads: Stack  # stacked over arms

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
        self.phi = Stack(covariates, phi, key=k_phi)
        self.heads = copies(arms, lambda k: Stack(phi[-1], (*mu, 1), linear=True, key=k), k_heads)

    def __call__(self, x, t):
        z = self.phi(x)
        scores = jax.vmap(lambda head: head(z)[0])(self.heads)
        chosen = jnp.arange(len(scores)) == t
        return Outputs(y=jnp.sum(jnp.where(chosen, scores, 0)), z=z)

    def penalty(self):
        """Return the sum of squares of phi's weights (no biases, no heads)."""
        return self.phi.squares()
