"""Codes: numbers cut at their quantiles, so that a network can bend where rows are.

A network sees a covariate as one number, and learns steps and bends of it slowly. Its codes are
piecewise-linear (Gorishniy, Rubachev and Babenko, 2022): between k + 1 quantiles of the rows lie k
bins, and code b = clip((x - edge_b) / (edge_{b+1} - edge_b), 0, 1) says how far x has come through
bin b. Codes are then standardised, as covariates are. The number stands beside its codes, and gives
the line outside of the bins.
"""

from __future__ import annotations

from typing import TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, PRNGKeyArray

from pairnet.core.types import Array, Outputs, Scalar, ask
from pairnet.networks.base import AbstractNetwork, Build

Parts = TypeVar("Parts")
LEAST_WIDTH = float(np.finfo(np.float32).tiny)  # no number can be divided by a smaller one
QUANTILES = 1024  # of a column: the mean and spread of its codes are taken over so many
LEAST_SPREAD = 1e-3  # a code that varies less is 0


class Coded(AbstractNetwork):
    """A network of covariates and their codes.

    Edges are values of rows, so that equal quantiles are equal to the last bit. They are learned of
    covariates alone, never of outcomes, and not trained; nor are the mean and the spread of codes.
    A bin without width has the code 0, and so have all codes of a column with two values or fewer:
    every column has `bins` codes.
    """

    network: AbstractNetwork
    edges: Float[Array, "*k d e"]
    mean: Float[Array, "*k d b"]
    spread: Float[Array, "*k d b"]

    def __init__(self, covariates: int, *, of: Build, bins: int, key: PRNGKeyArray):
        self.network = of(covariates * (1 + bins), key=key)
        self.edges = jnp.zeros((covariates, bins + 1))
        self.mean = jnp.zeros((covariates, bins))
        self.spread = jnp.ones((covariates, bins))

    def settle(self, x):
        """Return the network with the edges of these rows, of whatever weight and split."""
        ordered = jnp.sort(x, axis=0)
        low, high = ordered[0], ordered[-1]
        places = np.round(np.linspace(0, len(x) - 1, self.edges.shape[-1])).astype(int)
        has_more_than_two_values = jnp.any((x > low) & (x < high), axis=0)
        edges = jnp.where(has_more_than_two_values, ordered[places], low).T
        some = np.round(np.linspace(0, len(x) - 1, min(len(x), QUANTILES))).astype(int)
        codes = jax.vmap(_plain_codes, in_axes=(0, None))(ordered[some], edges)
        learned = edges, codes.mean(axis=0), codes.std(axis=0)
        return eqx.tree_at(lambda coded: (coded.edges, coded.mean, coded.spread), self, learned)

    def __call__(self, x, t):
        return self.network(self.with_codes(x), t)

    def penalty(self) -> Scalar:
        return self.network.penalty()

    def with_codes(self, x: Float[Array, " d"]) -> Float[Array, " i"]:
        """Return the covariates of one individual, then their codes column by column."""
        edges, mean, spread = jax.lax.stop_gradient((self.edges, self.mean, self.spread))
        varies = spread >= LEAST_SPREAD
        centred = _plain_codes(x, edges) - mean
        codes = jnp.where(varies, centred / jnp.where(varies, spread, 1), 0)
        return jnp.concatenate([x, codes.reshape(-1)])


def _plain_codes(x: Float[Array, " d"], edges: Float[Array, "d e"]) -> Float[Array, "d b"]:
    """Return codes from 0 to 1 of one individual; those of bins without width are 0."""
    low, width = edges[:, :-1], jnp.diff(edges, axis=1)
    is_bin = width >= LEAST_WIDTH
    share = (x[:, None] - low) / jnp.where(is_bin, width, 1)
    return jnp.where(is_bin, jnp.clip(share, 0, 1), 0)


@ask.register(Coded)
def _(network: Coded, x: Float[Array, "n d"], t: Float[Array, " n"]) -> Outputs:
    return ask(network.network, jax.vmap(network.with_codes)(x), t)


def coded(parts: Parts, bins: int) -> Parts:
    """Return a recipe, or any tree of parts, each of whose networks is given codes."""
    if bins == 0:
        return parts
    is_network = lambda part: isinstance(part, Build)
    wrap = lambda part: Build(Coded, of=part, bins=bins) if is_network(part) else part
    return jax.tree.map(wrap, parts, is_leaf=is_network)
