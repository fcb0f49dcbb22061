"""Drawn partners for doses: near in space, under a dose near a random one (section 6.1)."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Float

from pairnet.core.types import Array, Embedded, Scalar
from pairnet.pairing.base import AbstractPairing
from pairnet.pairing.neighbours import Neighbours


class Window(AbstractPairing):
    """Partners whose dose lies within `width` of a dose that is drawn uniformly for each row.

    Among these rows, partners are drawn as by `Neighbours`.

    So partners cover all doses alike, even rare ones. If fewer than the wanted partners lie in the
    window, it is widened until it holds enough. `by_rank` measures doses by their rank: then the
    window is a share of the rows.
    """

    neighbours: Neighbours
    width: Scalar
    by_rank: bool = eqx.field(static=True)

    def draw(self, query, reference, key):
        return self.neighbours.draw_from(query, reference, key, self._inside)

    def within(self, batch):
        return None

    def _inside(
        self, query: Embedded, reference: Embedded, log_q: Float[Array, "n m"], key
    ) -> Float[Array, "n m"]:
        """Keep only partners inside the window, widened where it holds too few."""
        dose = _rank(reference) if self.by_rank else reference.t
        middle = jr.uniform(key, (len(query.t), 1))
        gap = jnp.where(log_q > -jnp.inf, jnp.abs(dose[None, :] - middle), jnp.inf)
        nearest, _ = jax.lax.top_k(-gap, min(self.neighbours.pairs, len(dose)))
        # the gap of the last one; a slice would make XLA sort whole rows
        enough = -jnp.min(nearest, axis=1, keepdims=True)
        return jnp.where(gap <= jnp.maximum(self.width, enough), log_q, -jnp.inf)


def _rank(reference: Embedded) -> Float[Array, " m"]:
    """Return the share of rows with a smaller dose, for every row; absent rows do not count."""
    order = jnp.argsort(reference.t)
    weight = (reference.weight > 0).astype(reference.t.dtype)[order]
    share = (jnp.cumsum(weight) - weight / 2) / jnp.maximum(jnp.sum(weight), 1)
    return jnp.zeros_like(reference.t).at[order].set(share)
