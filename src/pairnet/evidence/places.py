"""Where the rows of a fit lie, and which of them are nearest to others; rows may lie at one place.

Rows with the same covariates lie at one place, and none of them is nearer than another. So places
are searched, not rows, and each counts as often as rows lie there: what is said of a neighbourhood
does not hang on the order of tied rows, and many tied rows cost no more than one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from sklearn.neighbors import NearestNeighbors

ENTRIES = 2_000_000  # of an array of rows x places that is held at a time
SAME = 1e-6  # distances that differ by less than this share are equal
ROUNDING = 1e-12  # what is left of a squared distance of 0, in squares of the distances from 0


@dataclass(frozen=True, eq=False)
class Places:
    """Rows at their places.

    z: the different places. place: the place of each row.
    """

    z: Float[np.ndarray, "m h"]
    place: Int[np.ndarray, " n"]

    @classmethod
    def of(cls, z: Float[np.ndarray, "n h"]) -> Places:
        """Find out which rows lie at one place."""
        first, place = _unique(z)
        return cls(np.asarray(z[first], np.float64), place)

    def counts(self, rows: Int[np.ndarray, " s"]) -> Int[np.ndarray, " m"]:
        """Return how many of some rows lie at each place."""
        return np.bincount(self.place[rows], minlength=len(self.z))

    def distances(
        self, at: Float[np.ndarray, "q h"], rows: Int[np.ndarray, " s"], k: int
    ) -> Float[np.ndarray, " q"]:
        """Return the distance of the k-th nearest of some rows; there must be k of them."""
        found = np.empty(len(at))
        counts = self.counts(rows)
        here = np.flatnonzero(counts)
        for part, distance, near in nearest(at, self.z[here], k):
            reached = np.argmax(np.cumsum(counts[here][near], axis=1) >= k, axis=1)
            found[part] = distance[np.arange(len(distance)), reached]
        return found

    def nearest_rows(
        self, at: Float[np.ndarray, "q h"], rows: Int[np.ndarray, " s"], k: int
    ) -> tuple[Float[np.ndarray, "q k"], Int[np.ndarray, "q k"]]:
        """Return the distances and numbers of the k nearest of some rows; there must be k of them.

        Where more rows than are wanted lie at a place, they are taken at even steps. `rows` are in
        the order of their outcomes there, so that no outcome is preferred.
        """
        counts = self.counts(rows)
        here = np.flatnonzero(counts)
        by_place = rows[np.argsort(self.place[rows], kind="stable")]
        start = np.cumsum(counts[here]) - counts[here]
        distances, chosen = np.empty((len(at), k)), np.empty((len(at), k), int)
        for part, distance, near in nearest(at, self.z[here], k):
            size = counts[here][near]
            before = np.cumsum(size, axis=1) - size
            taken = np.clip(k - before, 0, size)
            places = np.tile(np.arange(near.shape[1]), len(near))
            slot = places.repeat(taken.reshape(-1)).reshape(-1, k)
            first, sizes, wanted, earlier, away = (
                np.take_along_axis(values, slot, axis=1)
                for values in (start[near], size, taken, before, distance)
            )
            step = np.arange(k) - earlier
            chosen[part] = by_place[first + (2 * step + 1) * sizes // (2 * wanted)]
            distances[part] = away
        return distances, chosen

    def shares(
        self,
        at: Float[np.ndarray, "q h"],
        rows: Int[np.ndarray, " s"],
        wanted: tuple[np.ndarray, ...],
        size: int,
    ) -> Float[np.ndarray, "w q"]:
        """Return how common some kinds of rows are among the `size` nearest of `rows`.

        wanted: a flag for each row of the table, for each kind. Where more rows than are needed lie
        equally far, all of them share the places that are left.
        """
        counts = np.stack([self.counts(rows), *(self.counts(rows[w[rows]]) for w in wanted)])
        here = np.flatnonzero(counts[0])
        counts, z = counts[:, here], self.z[here]
        shares = np.empty((len(wanted), len(at)))
        todo, width = np.arange(len(at)), size + 1  # one more shows whether the edge is a tie
        while len(todo):
            again = []
            for part, distance, near in nearest(at[todo], z, width):
                inside = counts[:, near]
                edge = _edge(distance, inside[0], size)
                whole = distance[:, -1] > edge * (1 + SAME)
                done = whole | (near.shape[1] == len(here))
                shares[:, todo[part][done]] = _filled(distance, inside, edge, size)[:, done]
                again.append(todo[part][~done])
            todo, width = np.concatenate(again), 2 * width
        return shares


def nearest(
    at: Float[np.ndarray, "q h"], z: Float[np.ndarray, "m h"], k: int
) -> Iterator[tuple[slice, Float[np.ndarray, "p k"], Int[np.ndarray, "p k"]]]:
    """Yield the k nearest places (or all, if there are fewer) of some points at a time."""
    k = min(k, len(z))
    search = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(z)
    norm = np.sum(z**2, axis=1)
    step = max(1, ENTRIES // k)
    for start in range(0, len(at), step):
        part = slice(start, min(start + step, len(at)))
        point = np.asarray(at[part], np.float64)
        distance, near = search.kneighbors(point)
        least = ROUNDING * (np.sum(point**2, axis=1)[:, None] + norm[near])
        yield part, np.where(distance**2 <= least, 0.0, distance), np.asarray(near, int)


def _edge(distance: np.ndarray, count: np.ndarray, size: int) -> Float[np.ndarray, " p"]:
    """Return how far one must go to meet `size` rows, or all rows that there are."""
    met = np.cumsum(count, axis=1)
    last = np.argmax(met >= np.minimum(size, met[:, -1:]), axis=1)
    return distance[np.arange(len(distance)), last]


def _filled(
    distance: np.ndarray, counts: np.ndarray, edge: np.ndarray, size: int
) -> Float[np.ndarray, "w p"]:
    """Return shares among all rows inside the edge and, for the places left, those at it."""
    nearer = distance < edge[:, None] * (1 - SAME)
    at_edge = ~nearer & (distance <= edge[:, None] * (1 + SAME))
    inner, rim = ((counts * which).sum(axis=2) for which in (nearer, at_edge))
    left = np.clip(size - inner[0], 0, rim[0])
    return (inner[1:] + rim[1:] * left / rim[0]) / (inner[0] + left)


def _unique(z: np.ndarray) -> tuple[Int[np.ndarray, " m"], Int[np.ndarray, " n"]]:
    """Return the first row at each place, and the place of each row."""
    whole = np.ascontiguousarray(z + 0.0)  # without -0, which equals 0 but has other bytes
    keys = whole.view(np.dtype((np.void, whole.dtype.itemsize * whole.shape[1]))).reshape(-1)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return first, place.reshape(-1)
