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
    """Every layer has units that all arms share and units of one arm; the private ones see both,
    the shared ones not.

    Half of each width is shared, half private. The penalty keeps the shared weights small, the
    private ones a little, and asks the two of a layer to be orthogonal, so that arms share what
    they can.
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
        keys = jr.split(k_shared, len(outputs)), jr.split(k_private, len(outputs))
        self.shared = tuple(
            Dense(i, o, key=k) for i, o, k in zip(inputs, outputs, keys[0], strict=True)
        )
        both = [covariates, *(2 * width for width in halves)]
        self.private = tuple(
            copies(arms, lambda k, i=i, o=o: Dense(i, o, key=k), k)
            for i, o, k in zip(both, outputs, keys[1], strict=True)
        )
        self.split = len(phi)
        self.private_weight, self.orthogonal_weight = private, orthogonal

    def __call__(self, x, t):
        arms, last = len(self.private[0].bias), len(self.shared) - 1
        shared, seen, z = x, jnp.broadcast_to(x, (arms, len(x))), x
        for position, (ours, theirs) in enumerate(zip(self.shared, self.private, strict=True)):
            shared, private = (
                ours(shared),
                jax.vmap(lambda layer, value: layer(value))(theirs, seen),
            )
            if position < last:
                shared, private = elu(shared), elu(private)
            seen = jnp.concatenate([jnp.broadcast_to(shared, (arms, len(shared))), private], axis=1)
            if position == self.split - 1:
                z = jnp.concatenate([shared, private.reshape(-1)])
        scores = shared[0] + private[:, 0]
        return Outputs(y=jnp.sum(jnp.where(jnp.arange(len(scores)) == t, scores, 0)), z=z)

    def penalty(self):
        """Return squares of shared weights, a little of private ones, and what the two have in
        common."""
        squares = lambda layers: sum((jnp.sum(layer.weight**2) for layer in layers), jnp.zeros(()))
        return (
            squares(self.shared)
            + self.private_weight * squares(self.private)
            + self.orthogonal_weight * self.overlap()
        )

    def overlap(self) -> Scalar:
        """Return how far shared and private weights are from orthogonal: |S' P|^2 over the inputs
        that both see."""
        total = jnp.zeros(())
        for ours, theirs in zip(self.shared, self.private, strict=True):
            seen = theirs.weight[:, : ours.weight.shape[0]]
            total += jnp.sum(jnp.einsum("io,kip->kop", ours.weight, seen) ** 2)
        return total
