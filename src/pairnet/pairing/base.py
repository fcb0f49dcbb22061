"""What every pairing is, and the geometry they share: distances, and units of an embedding."""

from __future__ import annotations

import abc
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Float, Int, PRNGKeyArray

from pairnet.core.types import AbstractWithin, Array, Embedded, Partners, Scalar

BLOCK = 2**22  # distances held at once, per replication
KEPT = 2**24  # distances kept from round to round, while rows keep their places


class AbstractPairing(eqx.Module):
    """A way to find partners.

    Partners are drawn from reference rows once a round, or they are the rows of each minibatch.
    """

    @abc.abstractmethod
    def draw(self, query: Embedded, reference: Embedded, key: PRNGKeyArray) -> Partners | None:
        """Draw partners of every query row from the reference rows; None if it draws none."""

    @abc.abstractmethod
    def within(self, batch: Embedded) -> AbstractWithin | None:
        """Return the partner distribution inside a minibatch; None: partners are drawn."""

    def settle(self, reference: Embedded) -> AbstractPairing:
        """Return a pairing that draws as this one does, for rows that keep their places.

        It is only asked about these reference rows, and about queries among them. What does not
        change from round to round may be computed here; KEPT limits the memory it takes.
        """
        return self


class NoPairing(AbstractPairing):
    """No partners: the stage trains on rows alone."""

    def draw(self, query, reference, key):
        return None

    def within(self, batch):
        return None


def in_units(query: Embedded, reference: Embedded, spread: bool) -> tuple[Embedded, Embedded]:
    """Move both sets of points to the centre of the reference, and measure them in its unit.

    The unit is 1, or with `spread` the root mean square distance from the centre, so that near and
    far mean the same on every study. Points are centred in any case: the expansion |a|^2 + |b|^2 -
    2ab would otherwise lose a small spread to cancellation.
    """
    share = reference.weight / jnp.maximum(jnp.sum(reference.weight), 1e-12)
    centre = jnp.sum(share[:, None] * reference.z, axis=0)
    mean_square = jnp.sum(share * jnp.sum((reference.z - centre) ** 2, axis=1))
    unit = jnp.sqrt(jnp.where(mean_square > 0, mean_square, 1)) if spread else 1.0
    moved = (
        eqx.tree_at(lambda e: e.z, points, (points.z - centre) / unit)
        for points in (query, reference)
    )
    return next(moved), next(moved)


def distances(a: Float[Array, "n h"], b: Float[Array, "m h"]) -> Float[Array, "n m"]:
    """Return Euclidean distances between centred points, in full float32 on every device."""
    inner = jnp.matmul(a, b.T, precision=jax.lax.Precision.HIGHEST)
    squares = jnp.sum(a**2, axis=1)[:, None] + jnp.sum(b**2, axis=1)[None, :] - 2 * inner
    return jnp.sqrt(jnp.maximum(squares, 0))


def places(query: Embedded, reference: Embedded) -> Int[Array, " n"]:
    """Return the positions of the query rows among the reference rows, which hold them all."""
    order = jnp.argsort(reference.row)
    return order[jnp.searchsorted(reference.row[order], query.row)]


def stream(
    draw: Callable[[Embedded, PRNGKeyArray], tuple[Array, ...]],
    query: Embedded,
    width: int,
    key: PRNGKeyArray,
) -> tuple[Array, ...]:
    """Draw partners for a block of query rows at a time.

    Memory is O(n pairs + block x width).
    """
    count = len(query.t)
    size = max(1, min(count, BLOCK // width))
    blocks = -(-count // size)
    pad = lambda leaf: jnp.pad(leaf, [(0, blocks * size - count)] + [(0, 0)] * (leaf.ndim - 1))
    padded = jax.tree.map(lambda leaf: pad(leaf).reshape(blocks, size, *leaf.shape[1:]), query)
    drawn = jax.lax.map(lambda item: draw(*item), (padded, jr.split(key, blocks)))
    return tuple(leaf.reshape(blocks * size, -1)[:count] for leaf in drawn)


def affinity(
    query: Embedded, reference: Embedded, temperature: Scalar
) -> tuple[Float[Array, "n m"], Float[Array, "n m"]]:
    """Return log q(j | i), up to a constant for each row, and the distances.

    The points are those that `in_units` returned.

    A partner that is not allowed (the row itself, a row of the same arm or dose, a row of weight 0)
    has -inf.
    """
    d = distances(query.z, reference.z)
    legal = (query.t[:, None] != reference.t[None, :]) & (
        query.row[:, None] != reference.row[None, :]
    )
    log_weight = jnp.log(reference.weight)[
        None, :
    ]  # log 0 = -inf: an absent row is nobody's partner
    return jnp.where(legal, log_weight - d / temperature, -jnp.inf), d


def best_of_each_arm(
    score: Float[Array, "n m"], query: Embedded, reference: Embedded, arms: int, count: int
) -> tuple[Int[Array, "n k"], Float[Array, "n k"]]:
    """Return the `count` best partners in each other arm, and their scores; -inf is no partner."""
    best = []
    for shift in range(1, arms):
        wanted = reference.t[None, :] == ((query.t + shift) % arms)[:, None]
        best.append(jax.lax.top_k(jnp.where(wanted, score, -jnp.inf), count))
    top, index = (jnp.concatenate(parts, axis=1) for parts in zip(*best, strict=True))
    return index, top
