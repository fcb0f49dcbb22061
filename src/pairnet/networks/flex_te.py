"""Shared and private subspaces in every layer (FlexTENet: Curth and van der Schaar, 2021)."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import PRNGKeyArray

from pairnet.core.types import Outputs, Scalar
from pairnet.networks.base import AbstractNetwork
from pairnet.networks.blocks import Dense, copies, elu


class FlexTE(AbstractNetwork):
    """Every layer has units that all arms share, and units that belong to one arm.

    Private units see both kinds of units in the layer below, shared units see only shared ones.

    Half of each width is shared, half private. The penalty keeps the shared weights small, the
    private ones a little, and asks the two kinds in a layer to be orthogonal, so that arms share
    what they can.
    """

    shared: tuple[Dense, ...]
    private: tuple[Dense, ...]  # each stacked over arms
    split: int = eqx.field(static=True)  # layers of phi
    private_weight: float = eqx.field(static=True)
    orthogonal_weight: float = eqx.field(static=True)

    def __init__(
        self,
        covariates: int,
        *,
        arms: int = 2,
        phi: tuple[int, ...] = (200, 200, 200),
        mu: tuple[int, ...] = (100, 100),
        private: float = 0.01,
        orthogonal: float = 0.1,
        key: PRNGKeyArray,
    ):
        halves = [max(1, width // 2) for width in (*phi, *mu)]
        inputs, outputs = [covariates, *halves], [*halves, 1]
        k_shared, k_private = jr.split(key)
        both = [covariates, *(2 * width for width in halves)]
        keys = jr.split(k_shared, len(outputs))
        self.shared = tuple(
            Dense(i, o, key=k) for i, o, k in zip(inputs, outputs, keys, strict=True)
        )
        keys = jr.split(k_private, len(outputs))
        self.private = tuple(
            copies(arms, lambda k, i=i, o=o: Dense(i, o, key=k), k)
            for i, o, k in zip(both, outputs, keys, strict=True)
        )
        self.split = len(phi)
        self.private_weight, self.orthogonal_weight = private, orthogonal

    def __call__(self, x, t):
        arms, last = len(self.private[0].bias), len(self.shared) - 1
        for_arms = lambda h: jnp.broadcast_to(h, (arms, len(h)))
        apply = jax.vmap(lambda layer, h: layer(h))
        shared, both, z = x, for_arms(x), x
        for position, (ours, theirs) in enumerate(zip(self.shared, self.private, strict=True)):
            shared, private = ours(shared), apply(theirs, both)
            if position < last:
                shared, private = elu(shared), elu(private)
            both = jnp.concatenate([for_arms(shared), private], axis=1)
            if position == self.split - 1:
                z = jnp.concatenate([shared, private.reshape(-1)])
        scores = shared[0] + private[:, 0]
        return Outputs(y=jnp.sum(jnp.where(jnp.arange(len(scores)) == t, scores, 0)), z=z)

    def penalty(self):
        """Return squares of the weights, private ones counted less, and the overlap of the two."""
        squares = lambda layers: sum((jnp.sum(layer.weight**2) for layer in layers), jnp.zeros(()))
        return (
            squares(self.shared)
            + self.private_weight * squares(self.private)
            + self.orthogonal_weight * self.overlap()
        )

    def overlap(self) -> Scalar:
        """Return how far from orthogonal shared and private weights are: |S' P|^2.

        Only inputs that both kinds of units see are counted.
        """
        total = jnp.zeros(())
        for ours, theirs in zip(self.shared, self.private, strict=True):
            common = theirs.weight[:, : ours.weight.shape[0]]
            total += jnp.sum(jnp.einsum("io,kip->kop", ours.weight, common) ** 2)
        return total
