"""All pairs of a minibatch for doses: every two rows, weighted by how far their doses are apart."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.types import AbstractWithin, Array, Scalar
from pairnet.pairing.base import AbstractPairing, affinity, in_units
from pairnet.pairing.in_batch import ByDistance

LEAST_GAP = 1e-6  # of the range of doses: a row with a smaller mean gap has no partner


class Apart(AbstractPairing):
    """Every row of another dose in the minibatch is a partner, weighted by the gap of the doses.

    q(j | i) is proportional to |t - t'| exp(-distance / temperature): a partner under nearly the
    same dose says little of what the dose does, so it weighs little. Without a space nothing of
    size batch x batch is built.
    """

    temperature: Scalar
    spread: bool = eqx.field(static=True)

    def draw(self, query, reference, key):
        return None

    def within(self, batch):
        if batch.z.shape[1] == 0:
            return ByGap(batch.t, batch.weight)
        log_q, _ = affinity(*in_units(batch, batch, self.spread), self.temperature)
        gap = jnp.abs(batch.t[:, None] - batch.t[None, :])
        return ByDistance.of(
            jnp.where(gap > 0, log_q + jnp.log(jnp.where(gap > 0, gap, 1)), -jnp.inf)
        )


class ByGap(AbstractWithin):
    """q(j | i) in proportion to weight_j |t_i - t_j|.

    It is computed by running sums over the rows in order of their doses.
    """

    t: Float[Array, " b"]
    weight: Float[Array, " b"]

    def _sum(self, value):
        """Return sum_j |t_i - t_j| value_j of every row i."""
        order = jnp.argsort(self.t)
        t, value = (self.t - jnp.mean(self.t))[order], value[order]
        below, below_t = jnp.cumsum(value), jnp.cumsum(value * t)
        total = t * (2 * below - below[-1]) - 2 * below_t + below_t[-1]
        return jnp.zeros_like(total).at[order].set(total)

    def has_partner(self):
        return self._sum(self.weight) > LEAST_GAP * jnp.sum(self.weight)

    def mean(self, value):
        has_one = self.has_partner()
        total = jnp.where(has_one, self._sum(self.weight), 1)
        return jnp.where(has_one, self._sum(self.weight * value) / total, 0)

    def matrix(self):
        q = jnp.abs(self.t[:, None] - self.t[None, :]) * self.weight[None, :]
        total = jnp.sum(q, axis=1, keepdims=True)
        return q / jnp.where(total > 0, total, 1)
