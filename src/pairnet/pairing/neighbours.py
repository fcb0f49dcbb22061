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

# A function that removes partners: (query rows, reference rows, log q, key) -> log q.
Narrow = Callable[[Embedded, Embedded, Float[Array, "n m"], PRNGKeyArray], Float[Array, "n m"]]


class Neighbours(AbstractPairing):
    """Partners of another arm, drawn without replacement, near ones more often.

    q(j | i) is softmax(-distance / temperature); an infinite temperature draws uniformly. `spread`
    measures distances in units of the embedding's own spread. Then the share `drop` of all pairs,
    the most distant ones, gets weight 0, as do the missing partners of rows with fewer than `pairs`
    allowed ones. Draws run over blocks of query rows, so memory is O(n pairs + block x n); if rows
    settle, up to KEPT chances are kept as well.
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
        """Draw `pairs` partners for each query row from the allowed ones that `narrow` leaves."""
        query, reference = in_units(query, reference, self.spread)

        def draw_block(block, k_block):
            log_q = narrow(
                block,
                reference,
                affinity(block, reference, self.temperature)[0],
                jr.fold_in(k_block, 1),
            )
            return Chances.of(log_q).draw(jnp.arange(len(block.t)), self.count(reference), k_block)

        index, has_one = stream(draw_block, query, len(reference.t), key)
        return self.drawn(query, reference, index, has_one)

    def count(self, reference: Embedded) -> int:
        """Return how many partners each row gets."""
        return min(self.pairs, len(reference.t))

    def drawn(
        self, query: Embedded, reference: Embedded, index: Int[Array, "n k"], has_one: Array
    ) -> Partners:
        """Return drawn partners, without the most distant ones; points are those of `in_units`.

        has_one: which places have a partner.
        """
        d = jnp.linalg.norm(query.z[:, None, :] - reference.z[index], axis=2)
        has_one = has_one & (query.weight[:, None] > 0)
        return Partners(index=index, weight=_keep_nearest(d, has_one, self.drop), distance=d)

    def settle(self, reference):
        """Compute all chances once, if there are not too many rows."""
        if len(reference.t) ** 2 > KEPT:
            return self
        _, points = in_units(reference, reference, self.spread)
        return SettledNeighbours(self, Chances.of(affinity(points, points, self.temperature)[0]))

    def within(self, batch):
        return None


class SettledNeighbours(AbstractPairing):
    """`Neighbours` of reference rows among themselves, whose chances are computed in advance."""

    neighbours: Neighbours
    chances: Chances

    def draw(self, query, reference, key):
        """Draw partners for query rows that are all among the reference rows."""
        at = places(query, reference)
        index, has_one = self.chances.draw(at, self.neighbours.count(reference), key)
        points = in_units(query, reference, self.neighbours.spread)
        return self.neighbours.drawn(*points, index, has_one)

    def within(self, batch):
        return None


def _keep_nearest(d: Float[Array, "n k"], has_one: Array, drop: Scalar) -> Float[Array, "n k"]:
    """Give weight 1 to all pairs but the share `drop` of them that is most distant."""
    flat = jnp.where(has_one, d, jnp.inf).reshape(-1)
    rank = jnp.zeros(flat.shape, int).at[jnp.argsort(flat)].set(jnp.arange(flat.size))
    kept = jnp.round((1 - drop) * jnp.sum(has_one))
    return ((rank < kept).reshape(d.shape) & has_one).astype(d.dtype)
