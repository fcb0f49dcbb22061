"""The result of a fit: trained networks, and outcomes and effects read off them."""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from pairnet.core.own_jax import in_own_jax
from pairnet.core.types import Array
from pairnet.networks import AbstractNetwork
from pairnet.training.compiling import Program, traces
from pairnet.training.readings import AbstractReading
from pairnet.training.scaling import Scaling

# outcomes read at once: few sizes need few programs, and larger blocks are slower in memory
BLOCKS = (1, 64, 512, 2048)
FORMS_KEPT = 16  # forms of networks and blocks whose programs stay in memory


class Fitted(eqx.Module):
    """Networks with leading axes [replications, members], and the units of their answers."""

    networks: dict[str, AbstractNetwork]
    reading: AbstractReading
    scaling: Scaling
    offset: Float[Array, "r m"]  # of outcomes, in units of training
    rounds: dict[str, Int[Array, "r m"]]
    score: Float[Array, "r m"]  # of the last stage, on its validation rows
    strength: Float[Array, " r"]  # of the chosen penalty, as a multiple of 300 / rows

    def of(self, replication: int) -> Fitted:
        """Return the fit of one replication."""
        at = slice(replication, replication + 1)
        parts = {
            name: jax.tree.map(lambda leaf: leaf[at], getattr(self, name))
            for name in ("networks", "scaling", "offset", "rounds", "score", "strength")
        }
        return dataclasses.replace(self, **parts)

    def effect(self, x: Array, t0: Array, t1: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's effect of t1 against t0 for covariates [n d] or [r n d]."""
        return self._read("effect", x, t0, t1) * self.scaling.unit[:, None, None]

    def outcome(self, x: Array, t: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's expected outcome under t, at the level of the training rows.

        The pair loss leaves the level open, so it is added here.
        """
        level = self.offset[:, :, None] + self._read("outcome", x, t)
        unit, location = (
            value[:, None, None] for value in (self.scaling.unit, self.scaling.location)
        )
        return np.asarray(level * unit + location)

    def curve(self, x: Array, t: Array) -> Float[np.ndarray, "r m n g"]:
        """Return every member's outcomes under several treatments: [g] for all rows, or [n g]."""
        t = np.asarray(t, np.float32)
        several = t.shape[-1:]
        level = self._read("curve", x, np.broadcast_to(t, (x.shape[-2], *several)), several=several)
        unit, location = (
            value[:, None, None, None] for value in (self.scaling.unit, self.scaling.location)
        )
        return np.asarray((self.offset[:, :, None, None] + level) * unit + location)

    def slope(self, x: Array, t: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's derivative of the outcome in the dose, which runs from 0 to 1."""
        return self._read("slope", x, t) * self.scaling.unit[:, None, None]

    def represent(self, x: Array) -> Float[np.ndarray, "r m n h"]:
        """Return every member's representation phi(x)."""
        return self._read("represent", x, np.zeros(()))

    @in_own_jax
    def _read(
        self, what: str, x: Array, *treatments: Array, several: tuple[int, ...] = ()
    ) -> np.ndarray:
        """Read all rows, in blocks of a few sizes; `several` is (g,) for g treatments a row."""
        x = self.scaling.x(x)
        x = x if x.ndim == 3 else x[None]
        shape = (len(self.offset), x.shape[1], *several)
        columns = [np.broadcast_to(np.asarray(t, np.float32), shape) for t in treatments]
        size = _block_size(x.shape[1], int(np.prod(several)))
        starts = range(0, x.shape[1], size)
        return np.concatenate(
            [self._read_rows(what, x, columns, start, size) for start in starts], axis=2
        )

    def _read_rows(
        self, what: str, x: Array, columns: list[np.ndarray], start: int, size: int
    ) -> np.ndarray:
        """Read one block; the last block is filled up with zeros, which are cut off again."""
        stop = min(start + size, x.shape[1])

        def block(values: Array) -> np.ndarray:
            fill = [(0, 0), (0, size - (stop - start))]
            return np.pad(values[:, start:stop], fill + [(0, 0)] * (values.ndim - 2))

        treatments = [block(column) for column in columns]
        asked = (self.reading, self.networks, block(x), treatments, what)
        result = READ(_form(asked), *asked)
        return np.asarray(result, np.float64)[:, :, : stop - start]


def _block_size(rows: int, treatments: int) -> int:
    """Return how many rows are read at once, for this number of rows and treatments a row."""
    outcomes = next((block for block in BLOCKS if rows * treatments <= block), BLOCKS[-1])
    return max(1, outcomes // treatments)


def _form(asked: tuple) -> Hashable:
    """Return what decides the program that reads: all but the values of the arrays."""
    leaves, structure = jax.tree.flatten(asked)
    return structure, tuple(leaf.shape if eqx.is_array(leaf) else leaf for leaf in leaves)


def _read_block(reading, networks, x, treatments, what):
    traces["read"] += 1
    one = lambda net, row, *ts: getattr(reading, what)(net, row, *ts)
    by_row = jax.vmap(one, in_axes=(None, 0, *(0 for _ in treatments)))
    by_member = jax.vmap(by_row, in_axes=(0, None, *(None for _ in treatments)))
    by_replication = jax.vmap(by_member, in_axes=(0, 0, *(0 for _ in treatments)))
    x = jnp.broadcast_to(x, (treatments[0].shape[0], *x.shape[1:]))
    return by_replication(networks, x, *treatments)


READ = Program(_read_block, FORMS_KEPT)
