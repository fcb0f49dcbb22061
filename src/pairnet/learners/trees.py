"""Boosted trees as plain arrays, and what they predict.

Leaves are numbered from left to right. A split holds a column, a threshold, and which leaves are on
its left: a row whose value is above the threshold cannot be in these. So a row's leaf is the first
that no split rules out, in whatever order they are asked (QuickScorer: Lucchese et al., 2015). What
the splits of one column rule out is looked up in a table of bits, one bit a leaf, by the place of
the row's value among the thresholds: a tree answers many rows at once, one look for each column.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

MOST_LEAVES = 64  # of a tree: one bit for each
ROWS_IN_BLOCK = 16_384  # so that what is worked on stays in the processor's cache
TINY = float(np.float32(1e-35))
ALL = np.uint64(2**64 - 1)
ONE = np.uint64(1)
# Multiplied by 2^k, this number has another value in its first six bits for each k: these tell
# which bit is the only one that is set.
SEQUENCE, SHIFT = 0x03F79D71B4CB0A89, 58
SLOT = np.array([((SEQUENCE << bit) % 2**64) >> SHIFT for bit in range(64)])  # of each bit

ARRAYS = {
    "sizes": np.int32,
    "column": np.int32,
    "threshold": np.float64,
    "first": np.int32,
    "past": np.int32,
    "value": np.float64,
}


@dataclass(frozen=True, eq=False)
class Trees:
    """The sum of several trees.

    sizes: how many splits each tree has; it has one leaf more. column, threshold: of every split,
    tree after tree. first, past: the leaves on its left are those from `first` up to, not
    including, `past`. value: of every leaf.
    """

    sizes: Int[np.ndarray, " m"]
    column: Int[np.ndarray, " s"]
    threshold: Float[np.ndarray, " s"]
    first: Int[np.ndarray, " s"]
    past: Int[np.ndarray, " s"]
    value: Float[np.ndarray, " v"]

    @classmethod
    def of_dump(cls, dump: dict[str, Any]) -> Trees:
        """Make trees of what LightGBM's `dump_model` returns; only plain numbers are understood."""
        read = _Reader([], [], [])
        for tree in dump["tree_info"]:
            read.tree(tree["tree_structure"])
        column, threshold, first, past = zip(*read.splits, strict=True) if read.splits else [()] * 4
        lists = (read.sizes, column, threshold, first, past, read.values)
        arrays = zip(ARRAYS.items(), lists, strict=True)
        return cls.of_arrays({name: np.array(values, kind) for (name, kind), values in arrays})

    @classmethod
    def constant(cls, value: float) -> Trees:
        """Return trees that predict the same for every row."""
        arrays: dict[str, np.ndarray] = {name: np.zeros(0, kind) for name, kind in ARRAYS.items()}
        arrays |= {"sizes": np.zeros(1, np.int32), "value": np.array([value], np.float64)}
        return cls.of_arrays(arrays)

    @classmethod
    def of_arrays(cls, arrays: dict[str, np.ndarray], width: int | None = None) -> Trees:
        """Make trees of arrays; raise if they are no trees.

        width: how many columns there are, if that is known.
        """
        for name, kind in ARRAYS.items():
            if arrays[name].dtype != kind or arrays[name].ndim != 1:
                raise ValueError(f"its trees have a {name} that is no list of {np.dtype(kind)}")
        if len({len(arrays[name]) for name in ("column", "threshold", "first", "past")}) > 1:
            raise ValueError("its trees have splits without all that splits have")
        return cls(*(arrays[name] for name in ARRAYS)).checked(width)

    def checked(self, width: int | None = None) -> Trees:
        """Return the trees; raise if they make no sense."""
        if not self._counts_agree():
            raise ValueError("its trees have other numbers of splits and leaves than they say")
        if not self._leaves_exist():
            raise ValueError(f"its trees have splits of leaves that are not among {MOST_LEAVES}")
        columns = self.column.max(initial=0) + 1 if width is None else width
        known = (self.column >= 0) & (self.column < columns)
        if not (known.all() and np.isfinite(np.append(self.threshold, self.value)).all()):
            raise ValueError("its trees have columns or numbers that do not exist")
        return self

    def _counts_agree(self) -> bool:
        splits, leaves = int(self.sizes.sum()), int((self.sizes + 1).sum())
        good = len(self.sizes) > 0 and bool((self.sizes >= 0).all())
        return good and len(self.column) == splits and len(self.value) == leaves

    def _leaves_exist(self) -> bool:
        """Tell whether every split has leaves on both of its sides."""
        last = np.repeat(self.sizes, self.sizes)
        inside = (self.first >= 0) & (self.first < self.past) & (self.past <= last)
        return bool(inside.all() and self.sizes.max() < MOST_LEAVES)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return everything by name."""
        return {name: getattr(self, name) for name in ARRAYS}

    def in_units(self, location: float, unit: float) -> Trees:
        """Return trees whose sum is `location` plus `unit` times the sum of these."""
        value = self.value * unit
        value[: int(self.sizes[0]) + 1] += location
        return replace(self, value=value)

    def __call__(self, x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Return the sum of the trees for every row; a missing number counts as 0."""
        total = np.zeros(len(x))
        for start in range(0, len(x), ROWS_IN_BLOCK):
            block = np.asarray(x[start : start + ROWS_IN_BLOCK], np.float64)
            places = {
                column: np.searchsorted(cuts, _numbers(block[:, column]))
                for column, cuts in self._cuts.items()
            }
            sums = total[start : start + len(block)]
            for tree in self._tables:
                tree.add_to(sums, places)
        return total

    @cached_property
    def _cuts(self) -> dict[int, np.ndarray]:
        """The thresholds of every column that is asked for."""
        columns = np.unique(self.column).tolist()
        return {column: np.unique(self.threshold[self.column == column]) for column in columns}

    @cached_property
    def _tables(self) -> list[_Table]:
        return list(self._made_tables())

    def _made_tables(self) -> Iterator[_Table]:
        splits = np.append(0, np.cumsum(self.sizes))
        leaves = splits + np.arange(len(splits))
        for (start, stop), (low, high) in zip(pairwise(splits), pairwise(leaves), strict=True):
            possible: dict[int, np.ndarray] = {}
            for split in range(start, stop):
                column = int(self.column[split])
                cuts = self._cuts[column]
                bits = possible.setdefault(column, np.full(len(cuts) + 1, ALL))
                left = 2 ** int(self.past[split]) - 2 ** int(self.first[split])
                bits[np.searchsorted(cuts, self.threshold[split]) + 1 :] &= ~np.uint64(left)
            value = np.zeros(64)
            value[SLOT[: high - low]] = self.value[low:high]
            yield _Table(list(possible.items()), value)


class _Table(NamedTuple):
    """A tree, ready to be asked: which leaves are possible at a place of each column, values."""

    possible: list[tuple[int, np.ndarray]]
    value: np.ndarray  # in the slots of the leaves

    def add_to(self, sums: np.ndarray, places: dict[int, np.ndarray]) -> None:
        """Add what the tree predicts for the rows with these places."""
        left = np.full(len(sums), ALL)
        for column, bits in self.possible:
            left &= bits.take(places[column])
        left &= ~left + ONE  # the lowest bit alone
        left *= np.uint64(SEQUENCE)
        left >>= np.uint64(SHIFT)
        sums += self.value.take(left.view(np.int64))


class _Reader(NamedTuple):
    """Reads trees from their roots, leaves from left to right."""

    sizes: list[int]
    splits: list[tuple[int, float, int, int]]  # column, threshold, first, past
    values: list[float]

    def tree(self, root: dict[str, Any]) -> None:
        before = len(self.splits)
        self._node(root, len(self.values))
        self.sizes.append(len(self.splits) - before)

    def _node(self, node: dict[str, Any], start: int) -> None:
        if "split_feature" not in node:
            self.values.append(node["leaf_value"])
            return
        if node["decision_type"] != "<=" or node["missing_type"] != "None":
            raise ValueError("trees that know categories or missing numbers are not understood")
        first = len(self.values) - start
        self._node(node["left_child"], start)
        past = len(self.values) - start
        self.splits.append((node["split_feature"], node["threshold"], first, past))
        self._node(node["right_child"], start)


def _numbers(values: np.ndarray) -> np.ndarray:
    """Return numbers as LightGBM takes them: missing and tiny ones are 0."""
    return np.where(np.abs(values) > TINY, values, 0.0)
