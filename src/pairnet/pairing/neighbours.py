"""Drawn partners: CreatePairDS of the paper's Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Float, Int, PRNGKeyArray

from pairnet.core.types import Array, Embedded, Partners, Scalar
from pairnet.pairing.base import KEPT, AbstractPairing, affinity, in_units, places, stream
from pairnet.pairing.chances import Chances

# What narrows the legal partners down: (query rows, reference rows, log q, key) -> log q.
Narrow = Callable[[Embedded, Embedded, Float[Array, "n m"], PRNGKeyArray], Float[Array, "n m"]]


class Neighbours(AbstractPairing):
    """Partners of another arm, drawn without replacement from q(j | i) = softmax(-distance /
    temperature).

    It runs over blocks of query rows, so memory is O(n pairs + block x n); where rows settle, up to
    KEPT chances are kept besides. An infinite temperature draws uniformly; `spread` measures
    distances in units of the embedding's own spread. Then the share `drop` of all pairs, the most
    distant, gets weight 0, as do the missing partners of rows with fewer than `pairs` legal ones.
    """

    pairs: int = eqx.field(static=True)
    temperature: Scalar
    drop: Scalar
    spread: bool = eqx.field(static=True)

    def draw(self, query, reference, key):
        """Draw `pairs` partners for each query row."""
        return self.draw_from(query, reference, key, lambda block, reference, log_q, k_block: log_q)

    def draw_from(
        self, query: Embedded, reference: Embedded, key: PRNGKeyArray, narrow: Narrow
    ) -> Partners:
        """Draw `pairs` partners for each query row from those legal ones that `narrow` leaves."""
        query, reference = in_units(query, reference, self.spread)

        def draw_block(block, k_block):
            log_q = narrow(
                block,
                reference,
                affinity(block, reference, self.temperature)[0],
                jr.fold_in(k_block, 1),
            )
            return Chances.of(log_q).draw(jnp.arange(len(block.t)), self.count(reference), k_block)

        index, found = stream(draw_block, query, len(reference.t), key)
        return self.drawn(query, reference, index, found)

    def count(self, reference: Embedded) -> int:
        """Return how many partners a row gets."""
        return min(self.pairs, len(reference.t))

    def drawn(
        self, query: Embedded, reference: Embedded, index: Int[Array, "n k"], found: Array
    ) -> Partners:
        """Return partners as they were drawn, the most distant ones dropped; points are those of
        `in_units`."""
        d = jnp.linalg.norm(query.z[:, None, :] - reference.z[index], axis=2)
        found = found & (query.weight[:, None] > 0)
        return Partners(index=index, weight=_keep_nearest(d, found, self.drop), distance=d)

    def settle(self, reference):
        """Work out once how likely every row is to be everyone's partner, where there are not too
        many rows."""
        if len(reference.t) ** 2 > KEPT:
            return self
        _, points = in_units(reference, reference, self.spread)
        return Settled(self, Chances.of(affinity(points, points, self.temperature)[0]))

    def within(self, batch):
        """Weigh nothing: partners are drawn."""
        return None


class Settled(AbstractPairing):
    """`Neighbours` of reference rows among themselves."""

    neighbours: Neighbours
    chances: Chances

    def draw(self, query, reference, key):
        """Draw partners for query rows that are all among the reference rows."""
        at = places(query, reference)
        index, found = self.chances.draw(at, self.neighbours.count(reference), key)
        return self.neighbours.drawn(
            *in_units(query, reference, self.neighbours.spread), index, found
        )

    def within(self, batch):
        """Weigh nothing: partners are drawn."""
        return None


def _keep_nearest(d: Float[Array, "n k"], found: Array, drop: Scalar) -> Float[Array, "n k"]:
    """Give weight 1 to all but the share `drop` of the found pairs, which are the most distant
    ones."""
    flat = jnp.where(found, d, jnp.inf).reshape(-1)
    rank = jnp.zeros(flat.shape, int).at[jnp.argsort(flat)].set(jnp.arange(flat.size))
    kept = jnp.round((1 - drop) * jnp.sum(found))
    return ((rank < kept).reshape(d.shape) & found).astype(d.dtype)
