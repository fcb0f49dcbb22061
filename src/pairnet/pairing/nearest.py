"""The nearest rows of every other arm, always the same ones."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr

from pairnet.core.types import Partners, number
from pairnet.pairing.base import AbstractPairing, affinity, in_units, places, stream


class Nearest(AbstractPairing):
    """The `pairs` nearest rows of each other arm: who could have been this row, had it been treated
    otherwise."""

    pairs: int = eqx.field(static=True)
    arms: int = eqx.field(static=True)

    def draw(self, query, reference, key):
        """Return pairs x (arms - 1) partners of each query row."""
        query, reference = in_units(query, reference, True)

        def nearest(block, _):
            log_q, d = affinity(block, reference, number(1.0))
            found = []
            for shift in range(1, self.arms):
                wanted = reference.t[None, :] == ((block.t + shift) % self.arms)[:, None]
                score = jnp.where(wanted & (log_q > -jnp.inf), -d, -jnp.inf)
                top, index = jax.lax.top_k(score, min(self.pairs, len(reference.t)))
                found.append((index, top > -jnp.inf, -top))
            return tuple(jnp.concatenate(parts, axis=1) for parts in zip(*found, strict=True))

        index, found, d = stream(nearest, query, len(reference.t), key)
        return Partners(
            index=index, weight=(found & (query.weight[:, None] > 0)).astype(d.dtype), distance=d
        )

    def settle(self, reference):
        """Look for everyone's partners once."""
        everyone = eqx.tree_at(lambda e: e.weight, reference, jnp.ones_like(reference.weight))
        found = self.draw(everyone, reference, jr.key(0))  # by no chance: any key will do
        return Settled(found)

    def within(self, batch):
        """Weigh nothing: partners are drawn."""
        return None


class Settled(AbstractPairing):
    """The partners of all reference rows, found before."""

    partners: Partners

    def draw(self, query, reference, key):
        """Return the partners of query rows that are all among the reference rows."""
        mine = jax.tree.map(lambda leaf: leaf[places(query, reference)], self.partners)
        return eqx.tree_at(lambda p: p.weight, mine, mine.weight * (query.weight[:, None] > 0))

    def within(self, batch):
        """Weigh nothing: partners are drawn."""
        return None
