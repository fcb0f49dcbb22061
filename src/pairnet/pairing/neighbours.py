"""Drawn partners: CreatePairDS of the paper's Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Float, PRNGKeyArray

from pairnet.pairing.base import AbstractPairing, affinity, in_units, stream
from pairnet.types import Array, Embedded, Partners, Scalar

# What narrows the legal partners down: (query rows, reference rows, log q, key) -> log q.
Narrow = Callable[[Embedded, Embedded, Float[Array, "n m"], PRNGKeyArray], Float[Array, "n m"]]


class Neighbours(AbstractPairing):
    """Partners of another arm, drawn without replacement from q(j | i) = softmax(-distance / temperature).

    The `pairs` largest of -distance / temperature + Gumbel noise are exactly such a draw. It runs over blocks of query
    rows, so memory is O(n pairs + block x n). An infinite temperature draws uniformly; `spread` measures distances in
    units of the embedding's own spread. Then the share `drop` of all pairs, the most distant, gets weight 0, as do
    the missing partners of rows with fewer than `pairs` legal ones.
    """

    pairs: int = eqx.field(static=True)
    temperature: Scalar
    drop: Scalar
    spread: bool = eqx.field(static=True)

    def draw(self, query, reference, key):
        """Draw `pairs` partners for each query row."""
        return self.draw_from(query, reference, key, lambda block, reference, log_q, k_block: log_q)

    def draw_from(self, query: Embedded, reference: Embedded, key: PRNGKeyArray, narrow: Narrow) -> Partners:
        """Draw `pairs` partners for each query row from those legal ones that `narrow` leaves."""
        query, reference = in_units(query, reference, self.spread)
        count = min(self.pairs, len(reference.t))

        def draw_block(block, k_block):
            log_q, d = affinity(block, reference, self.temperature)
            log_q = narrow(block, reference, log_q, jr.fold_in(k_block, 1))
            top, index = jax.lax.top_k(log_q + jr.gumbel(k_block, log_q.shape), count)
            return index, top > -jnp.inf, jnp.take_along_axis(d, index, axis=1)

        index, found, d = stream(draw_block, query, len(reference.t), key)
        found = found & (query.weight[:, None] > 0)
        return Partners(index=index, weight=_keep_nearest(d, found, self.drop), distance=d)

    def within(self, batch):
        """Weigh nothing: partners are drawn."""
        return None


def _keep_nearest(d: Float[Array, "n k"], found: Array, drop: Scalar) -> Float[Array, "n k"]:
    """Give weight 1 to all but the share `drop` of the found pairs, which are the most distant ones."""
    flat = jnp.where(found, d, jnp.inf).reshape(-1)
    rank = jnp.zeros(flat.shape, int).at[jnp.argsort(flat)].set(jnp.arange(flat.size))
    kept = jnp.round((1 - drop) * jnp.sum(found))
    return ((rank < kept).reshape(d.shape) & found).astype(d.dtype)
