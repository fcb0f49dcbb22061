"""The propensity: how likely each arm is for an individual."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import PRNGKeyArray

from pairnet.core.types import Outputs
from pairnet.networks.base import AbstractNetwork
from pairnet.networks.blocks import Stack


class Classifier(AbstractNetwork):
    """Log odds of every arm from the covariates."""

    stack: Stack

    def __init__(
        self,
        covariates: int,
        *,
        arms: int = 2,
        phi: tuple[int, ...] = (200, 200, 200),
        key: PRNGKeyArray,
    ):
        self.stack = Stack(covariates, (*phi, arms), linear=True, key=key)

    def __call__(self, x, t):
        logits = self.stack(x)
        return Outputs(y=jnp.zeros(()), z=logits, propensity=logits)

    def penalty(self):
        """Return half the sum of squares of all weights."""
        return 0.5 * self.stack.squares()
