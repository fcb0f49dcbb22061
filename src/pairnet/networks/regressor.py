"""A plain network of the covariates alone, for stages that regress something on x."""

from __future__ import annotations

import jax.random as jr
from jaxtyping import PRNGKeyArray

from pairnet.core.types import Outputs
from pairnet.networks.base import AbstractNetwork
from pairnet.networks.blocks import Stack


class Regressor(AbstractNetwork):
    """One number from the covariates alone: an effect, or an outcome averaged over arms."""

    phi: Stack
    head: Stack

    def __init__(
        self,
        covariates: int,
        *,
        phi: tuple[int, ...] = (200, 200, 200),
        mu: tuple[int, ...] = (100, 100),
        key: PRNGKeyArray,
    ):
        k_phi, k_head = jr.split(key)
        self.phi = Stack(covariates, phi, key=k_phi)
        self.head = Stack(phi[-1], (*mu, 1), linear=True, key=k_head)

    def __call__(self, x, t):
        z = self.phi(x)
        return Outputs(y=self.head(z)[0], z=z)

    def penalty(self):
        """Return half the sum of squares of all weights."""
        return 0.5 * (self.phi.squares() + self.head.squares())
