"""All pairs of a minibatch: every two rows of different arms, weighted by their distance."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.types import AbstractWithin, Array, Scalar
from pairnet.pairing.base import AbstractPairing, affinity, in_units


class InBatch(AbstractPairing):
    """Every row of another arm in the minibatch is a partner, weighted by distance.

    The weights are softmax(-distance / temperature).

    This costs as much as a factual network, since every row goes through the network once. Without
    a space (no distances) all partners weigh the same, and nothing of size batch x batch is built.
    """

    arms: int = eqx.field(static=True)
    temperature: Scalar
    spread: bool = eqx.field(static=True)

    def draw(self, query, reference, key):
        return None

    def within(self, batch):
        if batch.z.shape[1] == 0:
            return ByArm(jax.nn.one_hot(batch.t.astype(int), self.arms), batch.weight)
        log_q, _ = affinity(*in_units(batch, batch, self.spread), self.temperature)
        return ByDistance.of(log_q)


class ByArm(AbstractWithin):
    """Uniform q: rows of other arms count by their row weight alone; costs O(batch x arms)."""

    arm: Float[Array, "b k"]  # one-hot
    weight: Float[Array, " b"]

    def _others(self, value):
        sums = jnp.sum(self.arm * value[:, None], axis=0)
        return jnp.sum((1 - self.arm) * sums, axis=1)

    def has_partner(self):
        return self._others((self.weight > 0).astype(self.weight.dtype)) > 0.5

    def mean(self, value):
        total = self._others(self.weight)
        return jnp.where(
            self.has_partner(),
            self._others(self.weight * value) / jnp.where(total > 0, total, 1),
            0,
        )

    def matrix(self):
        other = 1 - self.arm @ self.arm.T
        total = other @ self.weight
        return other * self.weight[None, :] / jnp.where(total > 0, total, 1)[:, None]


class ByDistance(AbstractWithin):
    """Any q, held as a matrix."""

    q: Float[Array, "b b"]

    @classmethod
    def of(cls, log_q: Float[Array, "b b"]) -> ByDistance:
        """Make each row sum to 1, or to 0 if it has no allowed partner."""
        alone = jnp.all(log_q == -jnp.inf, axis=1, keepdims=True)
        return cls(jnp.where(alone, 0, jax.nn.softmax(jnp.where(alone, 0, log_q), axis=1)))

    def has_partner(self):
        return jnp.sum(self.q, axis=1) > 0

    def mean(self, value):
        return jnp.matmul(self.q, value, precision=jax.lax.Precision.HIGHEST)

    def matrix(self):
        return self.q
