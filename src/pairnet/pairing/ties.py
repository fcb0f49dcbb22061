"""Rows at the same place share being a partner: lots decide which of them it is."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Int, PRNGKeyArray, UInt

from pairnet.core.types import Array, Embedded


def by_lot(index: Int[Array, "n k"], reference: Embedded, key: PRNGKeyArray) -> Int[Array, "n k"]:
    """Exchange each partner for a row at its place and of its arm; no row gets one twice.

    The nearest of equally near rows is else the first one. As rows come in an order of their
    content, that is the one of the lowest outcome. Partners whose place is their own stay.
    """
    first, second = _marks(reference)
    order = jnp.lexsort((second, first))
    new = (jnp.diff(first[order]) != 0) | (jnp.diff(second[order]) != 0)
    place = jnp.concatenate([jnp.zeros(1, int), jnp.cumsum(new)])  # in order
    position = jnp.zeros_like(order).at[order].set(jnp.arange(len(order)))[index]
    start = jnp.searchsorted(place, place[position])
    size = jnp.searchsorted(place, place[position], side="right") - start
    shift = (jr.uniform(key, (len(index), 1)) * size).astype(int)
    return order[start + (position - start + shift) % size]


def _marks(rows: Embedded) -> UInt[Array, "2 n"]:
    """Return two numbers that rows at the same place, of one arm, have in common, and no others."""
    values = jnp.column_stack([rows.z, rows.t, rows.weight > 0])
    bits = jax.lax.bitcast_convert_type(jnp.where(values == 0, 0, values), jnp.uint32)
    factors = jr.bits(jr.key(0), (2, bits.shape[1]), jnp.uint32)
    mixed = (bits ^ (bits >> 15))[None] * factors[:, None, :]
    return jnp.sum(mixed ^ (mixed >> 13), axis=2, dtype=jnp.uint32)
