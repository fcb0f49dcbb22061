"""Codes: numbers cut at their quantiles, so that a network can bend where rows are.

A network sees a covariate as one number, and learns steps and bends of it slowly. Its codes are
piecewise-linear (Gorishniy, Rubachev and Babenko, 2022): between k + 1 quantiles of the rows lie k
bins, and code b = clip((x - edge_b) / (edge_{b+1} - edge_b), 0, 1) says how far x has come through
bin b. The number stands beside its codes, and gives the line outside of the bins.
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


class Coded(AbstractNetwork):
    """A network of covariates and their codes.

    Edges are values of rows, so that equal quantiles are equal to the last bit. They are learned of
    covariates alone, never of outcomes, and not trained. A bin without width has the code 0, and so
    have all codes of a column with two values or fewer: every column has `bins` codes.
    """

    network: AbstractNetwork
    edges: Float[Array, "*k d e"]

    def __init__(self, covariates: int, *, of: Build, bins: int, key: PRNGKeyArray):
        self.network = of(covariates * (1 + bins), key=key)
        self.edges = jnp.zeros((covariates, bins + 1))

    def settle(self, x):
        """Return the network with the edges of these rows, of whatever weight and split."""
        ordered = jnp.sort(x, axis=0)
        low, high = ordered[0], ordered[-1]
        places = np.round(np.linspace(0, len(x) - 1, self.edges.shape[-1])).astype(int)
        has_more_than_two_values = jnp.any((x > low) & (x < high), axis=0)
        edges = jnp.where(has_more_than_two_values, ordered[places], low)
        return eqx.tree_at(lambda coded: coded.edges, self, edges.T)

    def __call__(self, x, t):
        return self.network(self.with_codes(x), t)

    def penalty(self) -> Scalar:
        return self.network.penalty()

    def with_codes(self, x: Float[Array, " d"]) -> Float[Array, " i"]:
        """Return the covariates of one individual, then their codes column by column."""
        edges = jax.lax.stop_gradient(self.edges)
        low, width = edges[:, :-1], jnp.diff(edges, axis=1)
        is_bin = width >= LEAST_WIDTH
        share = (x[:, None] - low) / jnp.where(is_bin, width, 1)
        codes = jnp.where(is_bin, jnp.clip(share, 0, 1), 0)
        return jnp.concatenate([x, codes.reshape(-1)])


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
