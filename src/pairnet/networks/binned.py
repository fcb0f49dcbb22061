"""A shared representation with one head for each bin of doses (DRNet: Schwab et al., 2020)."""

from __future__ import annotations

import jax.numpy as jnp
import jax.random as jr
from jaxtyping import PRNGKeyArray

from pairnet.networks.base import AbstractNetwork
from pairnet.networks.blocks import Stack, Varied, elu
from pairnet.types import Outputs


class Binned(AbstractNetwork):
    """A shared representation phi, then one head for each of `bins` equal parts of the doses from 0 to 1.

    Where the dose lies in its bin (t less the bin's left edge) is an input of every layer of the head. A bin holds its
    left edge and the last one both, so that every dose has a bin; doses outside [0, 1] have the nearest.
    """

    phi: Stack
    heads: tuple[Varied, ...]

    def __init__(
        self,
        covariates: int,
        *,
        bins: int = 5,
        phi: tuple[int, ...] = (200, 200, 200),
        mu: tuple[int, ...] = (100, 100),
        key: PRNGKeyArray,
    ):
        k_phi, *keys = jr.split(key, len(mu) + 2)
        self.phi = Stack(covariates, phi, key=k_phi)
        sizes = (phi[-1], *mu, 1)
        self.heads = tuple(Varied(i + 1, o, bins, key=k) for i, o, k in zip(sizes[:-1], sizes[1:], keys, strict=True))

    def __call__(self, x, t):
        bins = len(self.heads[0].bias)
        mine = jnp.clip(jnp.floor(t * bins), 0, bins - 1)
        chosen = (jnp.arange(bins) == mine).astype(x.dtype)
        inside = (t - mine / bins)[None]
        z = self.phi(x)
        *hidden, last = self.heads
        h = z
        for layer in hidden:
            h = elu(layer(jnp.concatenate([h, inside]), chosen))
        return Outputs(y=last(jnp.concatenate([h, inside]), chosen)[0], z=z)

    def penalty(self):
        """Return the sum of squares of phi's weights (no biases, no heads)."""
        return self.phi.squares()
