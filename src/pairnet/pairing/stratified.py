"""Partners from the same part of covariate space (StableCFR: Wu et al., ICML 2023)."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr

from pairnet.core.types import Partners, Scalar, number
from pairnet.pairing.base import AbstractPairing, affinity, distances, in_units, stream

LLOYD = 10  # iterations


class Stratified(AbstractPairing):
    """A partner of every other arm from the row's own cell of space, so that no arm is missing
    anywhere.

    Cells are those of k-means. Mostly the nearest row of the cell is taken, with probability
    `explore` any other of the cell (epsilon-greedy matching); where the cell has no row of that
    arm, the nearest one outside.
    """

    cells: int = eqx.field(static=True)
    arms: int = eqx.field(static=True)
    explore: Scalar

    def draw(self, query, reference, key):
        """Return arms - 1 partners of each query row."""
        query, reference = in_units(query, reference, True)
        k_cells, k_draw = jr.split(key)
        centres = self._centres(reference, k_cells)
        cell_of = lambda z: jnp.argmin(distances(z, centres), axis=1)
        theirs = cell_of(reference.z)
        farthest = 4 * jnp.max(jnp.abs(reference.z)) * jnp.sqrt(reference.z.shape[1]) + 1

        def match(block, k_block):
            log_q, d = affinity(block, reference, number(1.0))
            outside = cell_of(block.z)[:, None] != theirs[None, :]
            k_greedy, k_other = jr.split(k_block)
            wander = jr.uniform(k_greedy, (len(block.t), 1)) < self.explore
            cost = jnp.where(wander & ~outside, jr.uniform(k_other, d.shape), d) + jnp.where(
                outside, farthest, 0
            )
            found = []
            for shift in range(1, self.arms):
                wanted = reference.t[None, :] == ((block.t + shift) % self.arms)[:, None]
                top, index = jax.lax.top_k(
                    jnp.where(wanted & (log_q > -jnp.inf), -cost, -jnp.inf), 1
                )
                found.append((index, top > -jnp.inf, jnp.take_along_axis(d, index, axis=1)))
            return tuple(jnp.concatenate(parts, axis=1) for parts in zip(*found, strict=True))

        index, found, d = stream(match, query, len(reference.t), k_draw)
        return Partners(
            index=index, weight=(found & (query.weight[:, None] > 0)).astype(d.dtype), distance=d
        )

    def within(self, batch):
        """Weigh nothing: partners are drawn."""
        return None

    def _centres(self, reference, key):
        """Find the centres of the cells by a few iterations of k-means, started from rows drawn at
        random."""
        chance = reference.weight / jnp.maximum(jnp.sum(reference.weight), 1e-12)
        count = min(self.cells, len(reference.t))
        centres = reference.z[jr.choice(key, len(reference.t), (count,), replace=False, p=chance)]

        def move(_, centres):
            mine = (
                jax.nn.one_hot(jnp.argmin(distances(reference.z, centres), axis=1), count)
                * reference.weight[:, None]
            )
            total = jnp.sum(mine, axis=0)[:, None]
            return jnp.where(total > 0, mine.T @ reference.z / jnp.maximum(total, 1e-12), centres)

        return jax.lax.fori_loop(0, LLOYD, move, centres)
