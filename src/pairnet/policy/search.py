"""The shallow tree of splits by which rows gain most, if every leaf gets the best option for it.

Numbers are cut at a few quantiles, so that a row is in one of some bins of each. Sums of scores by
the bins of two numbers then tell what every pair of splits gains, without looking at the rows
again. So the best tree of depth 1 or 2 on these cuts is found exactly (as Zhou, Athey and Wager,
2023, do for all cuts). In a deeper tree the first split is that of the best tree of depth 2, and
what is below it is searched in the same way: it need not be the best of its depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from pairnet.tables.rules import Splits

MOST_CUTS = 31  # of a number
MOST_NUMBERS = 50  # with more, those whose own best split gains most
GAINS = 1e-9  # of the largest possible gain: a split that gains less gains nothing


class Grown(NamedTuple):
    """A tree, and the option of each node; option 0 is the first."""

    splits: Splits
    option: Int[np.ndarray, " k"]

    def leaves(self, x: Float[np.ndarray, "n d"]) -> Int[np.ndarray, " n"]:
        """Return the leaf of each row."""
        node = np.zeros(len(x), int)
        while (inner := np.flatnonzero(self.splits.left[node] >= 0)).size:
            at = node[inner]
            goes_left = x[inner, self.splits.feature[at]] <= self.splits.threshold[at]
            node[inner] = np.where(goes_left, self.splits.left[at], self.splits.right[at])
        return node


class Split(NamedTuple):
    """A split, and what the tree that begins with it gains in all; bins up to `cut` go left."""

    gain: float
    number: int = -1
    cut: int = -1


@dataclass(frozen=True, eq=False)
class Binned:
    """Rows in the bins of their numbers.

    gains: what each row adds to the sum if it gets an option, [n, options but the first]. edges:
    the cuts between the bins of each number. least: rows that a leaf must have.
    """

    gains: Float[np.ndarray, "n k"]
    bins: Int[np.ndarray, "n d"]
    edges: list[np.ndarray]
    least: int

    @classmethod
    def of(cls, gains: Float[np.ndarray, "n k"], x: Float[np.ndarray, "n d"], least: int) -> Binned:
        """Cut every number at its quantiles, or between all of its values if there are few."""
        edges = [_cuts(x[:, k]) for k in range(x.shape[1])]
        bins = [np.searchsorted(cuts, x[:, k], side="left") for k, cuts in enumerate(edges)]
        return cls(gains, np.stack(bins, axis=1), edges, least)

    def grown(self, depth: int) -> Grown:
        """Return the tree of a depth; numbers that tell least are left alone if there are many."""
        rows = np.arange(len(self.gains))
        single = [self._one_split(rows, k).gain for k in range(len(self.edges))]
        order = np.argsort(-np.asarray(single), kind="stable")[:MOST_NUMBERS]
        used = [int(k) for k in np.sort(order) if len(self.edges[k])]
        nodes: list[tuple[int, float, int, int, int]] = []
        self._grow(rows, depth, used, nodes)
        feature, threshold, left, right, option = map(np.asarray, zip(*nodes, strict=True))
        return Grown(Splits(feature, threshold.astype(float), left, right), option)

    def _grow(self, rows: np.ndarray, depth: int, used: list[int], nodes: list) -> int:
        """Add the tree of some rows to the nodes, and return its place among them."""
        place = len(nodes)
        total = self.gains[rows].sum(axis=0)
        option = int(np.argmax(total)) + 1 if total.max(initial=0.0) > 0 else 0
        nodes.append((-1, 0.0, -1, -1, option))
        split = self._best(rows, depth, used)
        room = GAINS * float(np.abs(self.gains).sum())
        if split.number < 0 or split.gain <= max(float(total.max(initial=0.0)), 0.0) + room:
            return place
        goes_left = self.bins[rows, split.number] <= split.cut
        left = self._grow(rows[goes_left], depth - 1, used, nodes)
        right = self._grow(rows[~goes_left], depth - 1, used, nodes)
        if nodes[left][0] < 0 and nodes[right][0] < 0 and nodes[left][4] == nodes[right][4]:
            del nodes[place + 1 :]  # both sides get the same
            return place
        cut = float(self.edges[split.number][split.cut])
        nodes[place] = (split.number, cut, left, right, option)
        return place

    def _best(self, rows: np.ndarray, depth: int, used: list[int]) -> Split:
        if depth == 0 or len(rows) < 2 * self.least:
            return Split(-np.inf)
        find = self._one_split if depth == 1 else lambda rows, k: self._two_splits(rows, k, used)
        return max(
            (find(rows, k) for k in used), key=lambda split: split.gain, default=Split(-np.inf)
        )

    def _one_split(self, rows: np.ndarray, number: int) -> Split:
        """Return the best split of some rows by one number."""
        sums = np.cumsum(self._sums(rows, self.bins[rows, number], (self._count(number),)), axis=0)
        gains = _either(sums[:-1], sums[-1] - sums[:-1], self.least)
        return _first_best(gains, number)

    def _two_splits(self, rows: np.ndarray, number: int, used: list[int]) -> Split:
        """Return the split by one number after which either side is split, or left, best."""
        cuts, best = self._count(number) - 1, []
        for other in used:
            shape = self._count(number), self._count(other)
            bins = self.bins[rows, number] * shape[1] + self.bins[rows, other]
            sums = self._sums(rows, bins, shape).cumsum(axis=0).cumsum(axis=1)
            sides = sums[:-1], sums[-1] - sums[:-1]
            best.append([_best_below(side, self.least) for side in sides])
        if not best or not cuts:
            return Split(-np.inf)
        left, right = np.max(np.asarray(best), axis=0)
        return _first_best(left + right, number)

    def _count(self, number: int) -> int:
        return len(self.edges[number]) + 1

    def _sums(self, rows: np.ndarray, bins: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return the number of rows and the sums of their gains in every bin, [*shape, 1 + k]."""
        size = int(np.prod(shape))
        columns = [np.bincount(bins, minlength=size).astype(float)]
        columns += [np.bincount(bins, values, size) for values in self.gains[rows].T]
        return np.stack(columns, axis=-1).reshape(*shape, -1)


def _cuts(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " c"]:
    """Return where a number is cut: between its values or, of many, at quantiles."""
    known = np.unique(values)
    if len(known) <= MOST_CUTS + 1:
        return (known[:-1] + known[1:]) / 2
    shares = np.arange(1, MOST_CUTS + 1) / (MOST_CUTS + 1)
    ends = np.unique(np.quantile(values, shares, method="inverted_cdf"))
    after = known[np.minimum(np.searchsorted(known, ends, side="right"), len(known) - 1)]
    return ((ends + after) / 2)[ends < known[-1]]


def _gain(sums: Float[np.ndarray, "*s k"], least: int) -> Float[np.ndarray, "*s"]:
    """Return what a leaf gains with its best option; -inf if it has too few rows."""
    best = np.maximum(sums[..., 1:].max(axis=-1), 0)
    return np.asarray(np.where(sums[..., 0] >= least, best, -np.inf))


def _either(left: np.ndarray, right: np.ndarray, least: int) -> np.ndarray:
    return _gain(left, least) + _gain(right, least)


def _best_below(sums: Float[np.ndarray, "c b k"], least: int) -> Float[np.ndarray, " c"]:
    """Return what the rows of either side gain, with their best split by the other number or none.

    sums: those of the bins of the other number, summed up.
    """
    total = sums[:, -1:]
    alone = _gain(total[:, 0], least)
    split = _either(sums[:, :-1], total - sums[:, :-1], least)
    return np.maximum(alone, split.max(axis=1, initial=-np.inf))


def _first_best(gains: np.ndarray, number: int) -> Split:
    if not len(gains):
        return Split(-np.inf)
    cut = int(np.argmax(gains))
    return Split(float(gains[cut]), number, cut)
