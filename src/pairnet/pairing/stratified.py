"""Partners from the same part of covariate space (StableCFR: Wu et al., ICML 2023)."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Float, PRNGKeyArray

from pairnet.core.types import Array, Embedded, Partners, Scalar, number
from pairnet.pairing.base import (
    AbstractPairing,
    affinity,
    best_of_each_arm,
    distances,
    in_units,
    stream,
)
from pairnet.pairing.ties import by_lot

LLOYD = 10  # iterations


class Stratified(AbstractPairing):
    """A partner of every other arm from the row's own cell of space.

    So every arm is present everywhere. Cells are those of k-means. Usually the nearest row of the
    cell is taken, and with probability `explore` any other row of the cell (epsilon-greedy
    matching); if the cell has no row of that arm, the nearest row outside is taken.
    """

    cells: int = eqx.field(static=True)
    arms: int = eqx.field(static=True)
    explore: Scalar

    def draw(self, query, reference, key):
        """Return arms - 1 partners of each query row."""
        everyone = reference
        query, reference = in_units(query, reference, True)
        k_cells, k_draw = jr.split(key)
        centres = _centres(reference, self.cells, k_cells)
        theirs = _cell_of(reference.z, centres)
        farthest = 4 * jnp.max(jnp.abs(reference.z)) * jnp.sqrt(reference.z.shape[1]) + 1

        def match(block, k_block):
            log_q, d = affinity(block, reference, number(1.0))
            outside = _cell_of(block.z, centres)[:, None] != theirs[None, :]
            cost = self._cost(d, outside, k_block) + jnp.where(outside, farthest, 0)
            cheapness = jnp.where(log_q > -jnp.inf, -cost, -jnp.inf)
            index, top = best_of_each_arm(cheapness, block, reference, self.arms, 1)
            return index, top > -jnp.inf, jnp.take_along_axis(d, index, axis=1)

        index, has_one, d = stream(match, query, len(reference.t), k_draw)
        index = by_lot(index, everyone, jr.fold_in(k_draw, 1))
        present = query.weight[:, None] > 0
        return Partners(index=index, weight=(has_one & present).astype(d.dtype), distance=d)

    def within(self, batch):
        return None

    def _cost(
        self, d: Float[Array, "n m"], outside: Array, key: PRNGKeyArray
    ) -> Float[Array, "n m"]:
        """Return the distances; rows that explore have random numbers inside their cell instead."""
        k_greedy, k_other = jr.split(key)
        explores = jr.uniform(k_greedy, (len(d), 1)) < self.explore
        return jnp.where(explores & ~outside, jr.uniform(k_other, d.shape), d)


def _cell_of(z: Float[Array, "n h"], centres: Float[Array, "c h"]) -> Array:
    """Return the number of the nearest centre."""
    return jnp.argmin(distances(z, centres), axis=1)


def _centres(reference: Embedded, cells: int, key: PRNGKeyArray) -> Float[Array, "c h"]:
    """Find the centres of the cells by a few iterations of k-means that start at random rows."""
    chance = reference.weight / jnp.maximum(jnp.sum(reference.weight), 1e-12)
    count = min(cells, len(reference.t))
    centres = reference.z[jr.choice(key, len(reference.t), (count,), replace=False, p=chance)]

    def move(_, centres):
        mine = jax.nn.one_hot(_cell_of(reference.z, centres), count) * reference.weight[:, None]
        total = jnp.sum(mine, axis=0)[:, None]
        return jnp.where(total > 0, mine.T @ reference.z / jnp.maximum(total, 1e-12), centres)

    return jax.lax.fori_loop(0, LLOYD, move, centres)
