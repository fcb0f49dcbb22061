"""All pairs of a minibatch for doses: every two rows, weighted by how far their doses are apart."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from pairnet.pairing.base import AbstractPairing, affinity, in_units
from pairnet.pairing.in_batch import ByDistance
from pairnet.types import Scalar


class Apart(AbstractPairing):
    """Every row of another dose in the same minibatch is a partner, weighted by how far the two doses are apart.

    q(j | i) is proportional to |t - t'|^power exp(-distance / temperature): a partner under nearly the same dose says
    little of what the dose does, so it weighs little.
    """

    power: Scalar
    temperature: Scalar
    spread: bool = eqx.field(static=True)

    def draw(self, query, reference, key):
        """Draw nothing: partners are the rows of the batch."""
        return None

    def within(self, batch):
        """Weigh the rows of the batch as partners of one another."""
        log_q, _ = affinity(*in_units(batch, batch, self.spread), self.temperature)
        gap = jnp.abs(batch.t[:, None] - batch.t[None, :])
        log_q = jnp.where(gap > 0, log_q + self.power * jnp.log(jnp.where(gap > 0, gap, 1)), -jnp.inf)
        alone = jnp.all(log_q == -jnp.inf, axis=1)
        q = jax.nn.softmax(jnp.where(alone[:, None], 0, log_q), axis=1)
        return ByDistance(jnp.where(alone[:, None], 0, q))
