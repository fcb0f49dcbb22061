"""The result of a fit: trained networks, and outcomes and effects read off them."""

from __future__ import annotations

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int

from pairnet.core.own_jax import in_own_jax
from pairnet.core.types import Array
from pairnet.networks import AbstractNetwork
from pairnet.training.compiling import Bound, Program, traces
from pairnet.training.readings import AbstractReading
from pairnet.training.scaling import Scaling

# outcomes read at once: few sizes need few programs, and larger blocks are slower in memory
BLOCKS = (1, 64, 512, 2048)
SEVERAL = 3  # networks that are read at once
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

    def reader(self) -> Reader:
        """Return these networks ready to be read again and again."""
        return Reader(self)

    def effect(self, x: Array, t0: Array, t1: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's effect of t1 against t0 for covariates [n d] or [r n d]."""
        return self.reader().effect(x, t0, t1)

    def outcome(self, x: Array, t: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's expected outcome under t, at the level of the training rows."""
        return self.reader().outcome(x, t)

    def curve(self, x: Array, t: Array) -> Float[np.ndarray, "r m n g"]:
        """Return every member's outcomes under several treatments: [g] for all rows, or [n g]."""
        return self.reader().curve(x, t)

    def slope(self, x: Array, t: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's derivative of the outcome in the dose, which runs from 0 to 1."""
        return self.reader().slope(x, t)

    def represent(self, x: Array) -> Float[np.ndarray, "r m n h"]:
        """Return every member's representation phi(x)."""
        return self.reader().represent(x)


class Reader:
    """Fitted networks that are read again and again: their arrays lie on the device."""

    def __init__(self, fitted: Fitted):
        scaling = fitted.scaling
        self.fitted = fitted
        self.centre, self.spread, self.unit, self.location, self.offset = map(
            np.asarray,
            (scaling.centre, scaling.spread, scaling.unit, scaling.location, fitted.offset),
        )
        self._bound: dict[str, Bound] = {}

    def effect(self, x: Array, t0: Array, t1: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's effect of t1 against t0 for covariates [n d] or [r n d]."""
        return self._read("effect", x, t0, t1) * self.unit[:, None, None]

    def outcome(self, x: Array, t: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's expected outcome under t, at the level of the training rows.

        The pair loss leaves the level open, so it is added here.
        """
        level = self.offset[:, :, None] + self._read("outcome", x, t)
        unit, location = (value[:, None, None] for value in (self.unit, self.location))
        return np.asarray(level * unit + location)

    def curve(self, x: Array, t: Array) -> Float[np.ndarray, "r m n g"]:
        """Return every member's outcomes under several treatments: [g] for all rows, or [n g]."""
        t = np.asarray(t, np.float32)
        several = t.shape[-1:]
        level = self._read("curve", x, np.broadcast_to(t, (x.shape[-2], *several)), several=several)
        unit, location = (value[:, None, None, None] for value in (self.unit, self.location))
        return np.asarray((self.offset[:, :, None, None] + level) * unit + location)

    def slope(self, x: Array, t: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's derivative of the outcome in the dose, which runs from 0 to 1."""
        return self._read("slope", x, t) * self.unit[:, None, None]

    def represent(self, x: Array) -> Float[np.ndarray, "r m n h"]:
        """Return every member's representation phi(x)."""
        return self._read("represent", x, np.zeros(()))

    @in_own_jax
    def _read(
        self, what: str, x: Array, *treatments: Array, several: tuple[int, ...] = ()
    ) -> np.ndarray:
        """Read all rows, in blocks of a few sizes; `several` is (g,) for g treatments a row."""
        if what not in self._bound:
            self._bound[what] = READ.bind(what, self.fitted.reading, self.fitted.networks)
        rows, shape = x.shape[-2], (len(self.offset), x.shape[-2], *several)
        columns = [np.broadcast_to(np.asarray(t, np.float32), shape) for t in treatments]
        size = _block_size(rows, int(np.prod(several)), self.offset.size)
        read = lambda start: self._read_rows(self._bound[what], x, columns, start, size)
        if rows <= size:
            return read(0)
        return np.concatenate([read(start) for start in range(0, rows, size)], axis=2)

    def _read_rows(
        self, bound: Bound, x: Array, columns: list[np.ndarray], start: int, size: int
    ) -> np.ndarray:
        """Read one block; the last block is filled up with zeros, which are cut off again."""
        stop = min(start + size, x.shape[-2])
        scaled = self._in_units(x[..., start:stop, :])
        treatments = [column[:, start:stop] for column in columns]
        if stop - start < size:
            scaled, *treatments = (_filled(block, size) for block in (scaled, *treatments))
        result = bound(scaled, *treatments)
        return np.asarray(result, np.float64)[:, :, : stop - start]

    def _in_units(self, x: Array) -> Float[np.ndarray, "r n d"]:
        """Return covariates in units of training, as `Scaling.x` does."""
        centred = np.asarray(x, np.float64) - self.centre[..., None, :]
        scaled = (centred / self.spread[..., None, :]).astype(np.float32)
        return scaled if scaled.ndim == 3 else scaled[None]


def _filled(block: np.ndarray, size: int) -> np.ndarray:
    """Return a block with zeros after its rows, which are its second axis."""
    whole = np.zeros((len(block), size, *block.shape[2:]), block.dtype)
    whole[:, : block.shape[1]] = block
    return whole


def _block_size(rows: int, treatments: int, networks: int) -> int:
    """Return how many rows are read at once, for so many treatments a row and networks."""
    most = BLOCKS[-1]
    if networks >= SEVERAL and jax.default_backend() == "cpu":
        most //= 2  # what they compute in between fills its cache
    outcomes = next((block for block in BLOCKS if rows * treatments <= min(block, most)), most)
    return max(1, outcomes // treatments)


def _read_block(what, reading, networks, x, *treatments):
    traces["read"] += 1
    one = lambda net, row, *ts: getattr(reading, what)(net, row, *ts)
    by_row = jax.vmap(one, in_axes=(None, 0, *(0 for _ in treatments)))
    by_member = jax.vmap(by_row, in_axes=(0, None, *(None for _ in treatments)))
    by_replication = jax.vmap(by_member, in_axes=(0, 0, *(0 for _ in treatments)))
    x = jnp.broadcast_to(x, (treatments[0].shape[0], *x.shape[1:]))
    return by_replication(networks, x, *treatments)


READ = Program(_read_block, FORMS_KEPT)
