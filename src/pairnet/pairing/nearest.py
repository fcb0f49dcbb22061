"""The nearest rows of every other arm; lots decide between rows at the same place."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr

from pairnet.core.types import Partners, number
from pairnet.pairing.base import (
    AbstractPairing,
    affinity,
    best_of_each_arm,
    in_units,
    places,
    stream,
)
from pairnet.pairing.ties import by_lot


class Nearest(AbstractPairing):
    """The `pairs` nearest rows of each other arm: who this row could have been, treated so."""

    pairs: int = eqx.field(static=True)
    arms: int = eqx.field(static=True)

    def draw(self, query, reference, key):
        """Return pairs x (arms - 1) partners of each query row."""
        everyone = reference
        query, reference = in_units(query, reference, True)
        count = min(self.pairs, len(reference.t))

        def nearest(block, _):
            log_q, d = affinity(block, reference, number(1.0))
            nearness = jnp.where(log_q > -jnp.inf, -d, -jnp.inf)
            index, top = best_of_each_arm(nearness, block, reference, self.arms, count)
            return index, top > -jnp.inf, -top

        index, has_one, d = stream(nearest, query, len(reference.t), key)
        index = by_lot(index, everyone, key)
        present = query.weight[:, None] > 0
        return Partners(index=index, weight=(has_one & present).astype(d.dtype), distance=d)

    def settle(self, reference):
        """Find all partners once, and draw the lots once."""
        everyone = eqx.tree_at(lambda e: e.weight, reference, jnp.ones_like(reference.weight))
        return SettledNearest(self.draw(everyone, reference, jr.key(0)))

    def within(self, batch):
        return None


class SettledNearest(AbstractPairing):
    """The partners of all reference rows, found in advance."""

    partners: Partners

    def draw(self, query, reference, key):
        """Return the partners of query rows that are all among the reference rows."""
        mine = jax.tree.map(lambda leaf: leaf[places(query, reference)], self.partners)
        return eqx.tree_at(lambda p: p.weight, mine, mine.weight * (query.weight[:, None] > 0))

    def within(self, batch):
        return None
