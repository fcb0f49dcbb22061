"""A column of encoded rows in groups: its levels, or ranges of its numbers, with their names."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float

from pairnet.core.words import say
from pairnet.tables.columns import AbstractColumn

MOST_RANGES = 5  # groups of a covariate that is a quantity
MOST_LEVELS = 8

NamedRows = tuple[str, np.ndarray]  # the name of a group, and a flag for each row


@dataclass(frozen=True, eq=False)
class Group:
    """Some rows and what they have in common."""

    label: str
    rows: np.ndarray  # positions


def groups_of(
    column: AbstractColumn,
    block: Float[np.ndarray, "n c"],
    *,
    ranges: int = MOST_RANGES,
    levels: int = MOST_LEVELS,
    known: Bool[np.ndarray, " n"] | None = None,
) -> list[Group]:
    """Return the rows of a column in groups: its levels, or ranges of its numbers.

    ranges: as many groups of numbers, of the same size. levels: with more, the rare ones become one
    group. known: which rows tell where numbers are cut (left out: all); the first and the last
    range hold what lies beyond them.
    """
    known = np.ones(len(block), bool) if known is None else known
    if column.kind == "category":
        named_rows = _levels(column, block, levels)
    else:
        missing = block[:, 1] == 1 if block.shape[1] > 1 else np.zeros(len(block), bool)
        named_rows = [*_ranges(column, block[:, 0], ~missing, known, ranges), ("missing", missing)]
    return [Group(name, np.flatnonzero(rows)) for name, rows in named_rows if rows.any()]


def _levels(column: AbstractColumn, block: np.ndarray, most: int) -> list[NamedRows]:
    """Return the levels of a category, common ones first; many rare ones become one group."""
    levels = [
        (feature.removeprefix(f"{column.name}="), block[:, k] == 1)
        for k, feature in enumerate(column.features)
    ]
    levels = [(name.removeprefix(f"{column.name} is "), rows) for name, rows in levels]
    levels.sort(key=lambda level: -int(level[1].sum()))
    if len(levels) <= most:
        return levels
    rest = np.any([rows for _, rows in levels[most - 1 :]], axis=0)
    return [*levels[: most - 1], (f"{len(levels) - most + 1} other levels", rest)]


def _ranges(
    column: AbstractColumn, values: np.ndarray, present: np.ndarray, known: np.ndarray, most: int
) -> list[NamedRows]:
    """Return the different values of a quantity or, if there are many, ranges of them."""
    telling = values[present & known]
    different = np.unique(telling)
    whole = bool(is_whole(different[:, None])[0])
    if len(different) <= most + 1:
        return [(written(column, v, whole), present & (values == v)) for v in different]
    edges = np.unique(np.quantile(telling, np.linspace(0, 1, most + 1)))
    inner = np.searchsorted(edges[1:-1], values, side="left")
    ranges = []
    for k, (low, high) in enumerate(pairwise(edges)):
        rows = present & (inner == k)
        own = values[rows & known]
        if len(own):
            first, last = (own.min(), own.max()) if whole else (low, high)
            ends = [written(column, end, whole) for end in (first, last)]
            ranges.append((ends[0] if ends[0] == ends[1] else " to ".join(ends), rows))
    return ranges


def written(column: AbstractColumn, value: float, whole: bool) -> str:
    """Write a number of a column as people read it."""
    if column.kind == "flag":
        return "yes" if value else "no"
    if column.kind == "date":
        return str(np.datetime64("1970-01-01") + np.timedelta64(round(value), "D"))
    return f"{value:,.0f}".replace("-", "−") if whole else say(value)


def is_whole(x: np.ndarray) -> np.ndarray:
    """Tell which columns hold only whole numbers that are short enough to be read."""
    return np.all((x == np.round(x)) & (np.abs(x) < 1e9), axis=0)
