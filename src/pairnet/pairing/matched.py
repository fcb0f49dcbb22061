"""Partners by optimal transport: no row is the partner of all others (the paper's Appendix L)."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from pairnet.core.transport import plan
from pairnet.core.types import number
from pairnet.pairing.base import AbstractPairing, affinity, in_units
from pairnet.pairing.in_batch import ByDistance


class Matched(AbstractPairing):
    """All pairs of a minibatch, weighted by the cheapest plan that moves arms onto one another.

    Every row is a partner as often as it has partners, so that rows in sparse places are not used
    again and again. Every arm has the same mass; `epsilon` is the plan's entropy in units of the
    mean cost.
    """

    arms: int = eqx.field(static=True)
    epsilon: float = eqx.field(static=True)

    def draw(self, query, reference, key):
        return None

    def within(self, batch):
        """Weigh the rows of the batch by the transport plan."""
        log_q, d = affinity(*in_units(batch, batch, True), number(1.0))
        legal = log_q > -jnp.inf
        mine = jax.nn.one_hot(batch.t.astype(int), self.arms) * batch.weight[:, None]
        total = jnp.sum(mine, axis=0)
        mass = jnp.sum(mine / jnp.where(total > 0, total, 1), axis=1) / jnp.maximum(
            jnp.sum(total > 0), 1
        )
        # so far apart that a pair of the same arm is never worth it
        far = 100 * (1 + jnp.max(jnp.where(legal, d**2, 0)))
        q = jnp.where(legal, plan(jnp.where(legal, d**2, far), mass, mass, self.epsilon), 0)
        row = jnp.sum(q, axis=1, keepdims=True)
        return ByDistance(q / jnp.where(row > 0, row, 1))
