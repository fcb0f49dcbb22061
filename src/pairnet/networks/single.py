"""One network for all arms, with the arm among its inputs (S-learner)."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import PRNGKeyArray

from pairnet.core.types import Outputs
from pairnet.networks.base import AbstractNetwork
from pairnet.networks.blocks import Stack


class Single(AbstractNetwork):
    """One network that takes covariates and arm as inputs; z is phi of both."""

    phi: Stack
    head: Stack
    arms: int = eqx.field(static=True)

    def __init__(
        self,
        covariates: int,
        *,
        arms: int = 2,
        phi: tuple[int, ...] = (200, 200, 200),
        mu: tuple[int, ...] = (100, 100),
        key: PRNGKeyArray,
    ):
        self.arms = arms
        k_phi, k_head = jr.split(key)
        self.phi = Stack(covariates + arms, phi, key=k_phi)
        self.head = Stack(phi[-1], (*mu, 1), linear=True, key=k_head)

    def __call__(self, x, t):
        z = self.phi(jnp.concatenate([x, (jnp.arange(self.arms) == t).astype(x.dtype)]))
        return Outputs(y=self.head(z)[0], z=z)

    def penalty(self):
        """Return half the sum of squares of all weights."""
        return 0.5 * (self.phi.squares() + self.head.squares())
