"""Draws without replacement that look at few candidates: first at parts, then inside one."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from pairnet.core.types import Array


class Chances(eqx.Module):
    """How likely each row is to be a partner of every other: log q(j | i), up to a constant.

    Partners are divided into about sqrt(m) parts of about sqrt(m) each. A draw chooses a part by
    its total, then a partner in it. This is a draw from q itself, but takes two draws from sqrt(m)
    candidates instead of one from m. All computations are in logarithms, so that no partner is too
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
        """Draw `count` different partners of the rows `at`, and tell which places have one."""

        def one(carry, item):
            whole, drawn = carry
            turn, key = item
            whole, partner, has_one = self._draw_one(at, whole, drawn, key)
            return (whole, drawn.at[:, turn].set(partner)), has_one

        nobody = jnp.full((len(at), count), -1)
        (_, drawn), has_one = jax.lax.scan(
            one, (self.whole[at], nobody), (jnp.arange(count), jr.split(key, count))
        )
        return jnp.where(has_one.T, drawn, 0), has_one.T

    def _draw_one(
        self,
        at: Int[Array, " q"],
        whole: Float[jax.Array, "q parts"],
        drawn: Int[Array, "q k"],
        key,
    ) -> tuple[Float[Array, "q parts"], Int[Array, " q"], Bool[Array, " q"]]:
        """Draw one more partner of every row; also return what is then left in each part."""
        size, row = self.log_q.shape[2], jnp.arange(len(at))
        k_part, k_inside = jr.split(key)
        part = jr.categorical(k_part, whole)
        member = part[:, None] * size + jnp.arange(size)
        is_drawn = jnp.any(member[:, :, None] == drawn[:, None, :], axis=2)
        inside = jnp.where(is_drawn, -jnp.inf, self.log_q[at, part])
        chosen = jr.categorical(k_inside, inside)
        left = jax.nn.logsumexp(inside.at[row, chosen].set(-jnp.inf), axis=1)
        has_one = inside[row, chosen] > -jnp.inf
        return whole.at[row, part].set(left), member[row, chosen], has_one
