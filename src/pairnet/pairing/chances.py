"""Draws without replacement that look at few of the candidates: first a part of them is drawn, then
one of the part."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from pairnet.core.types import Array


class Chances(eqx.Module):
    """log q(j | i) of all partners j, up to a constant a row, in parts of about the square root of
    them, and of parts.

    A part is drawn by what it holds in all, then a partner of it: q itself, at the price of two
    draws from sqrt(m) instead of one from m. All is done in logarithms, so that no partner is too
    unlikely to be drawn as the last one.
    """

    log_q: Float[Array, "n parts size"]
    whole: Float[Array, "n parts"]  # the logarithm of each part's sum

    @classmethod
    def of(cls, log_q: Float[Array, "n m"]) -> Chances:
        """Divide partners into parts."""
        rows, count = log_q.shape
        size = max(1, round(count**0.5))
        parts = -(-count // size)
        filled = jnp.pad(log_q, [(0, 0), (0, parts * size - count)], constant_values=-jnp.inf)
        filled = filled.reshape(rows, parts, size)
        return cls(filled, jax.nn.logsumexp(filled, axis=2))

    def draw(
        self, at: Int[Array, " q"], count: int, key: PRNGKeyArray
    ) -> tuple[Int[Array, "q k"], Bool[Array, "q k"]]:
        """Draw `count` partners of the rows `at`, none twice; says which were found, where a row
        has too few."""
        size, each = self.log_q.shape[2], jnp.arange(len(at))

        def one(carry, item):
            whole, drawn = carry
            turn, key = item
            k_part, k_inside = jr.split(key)
            part = jr.categorical(k_part, whole)
            inside = self.log_q[at, part]
            number = part[:, None] * size + jnp.arange(size)
            taken = jnp.any(number[:, :, None] == drawn[:, None, :], axis=2)
            inside = jnp.where(taken, -jnp.inf, inside)
            chosen = jr.categorical(k_inside, inside)
            found = inside[each, chosen] > -jnp.inf
            left = jax.nn.logsumexp(inside.at[each, chosen].set(-jnp.inf), axis=1)
            drawn = drawn.at[:, turn].set(number[each, chosen])
            return (whole.at[each, part].set(left), drawn), found

        nobody = jnp.full((len(at), count), -1)
        (_, drawn), found = jax.lax.scan(
            one, (self.whole[at], nobody), (jnp.arange(count), jr.split(key, count))
        )
        return jnp.where(found.T, drawn, 0), found.T
