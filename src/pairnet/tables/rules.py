"""What the leaves of a tree have in common, in words about columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from pairnet.tables.columns import AbstractColumn
from pairnet.tables.grouping import groups_of, is_whole, written

NAMED_LEVELS = 3  # if a group has more levels, its text may name the missing ones instead


class Splits(NamedTuple):
    """The nodes of a tree: rows whose number is at most the threshold go left.

    left, right: the nodes below; -1 for a leaf. feature: the place of the number in encoded rows.
    """

    feature: Int[np.ndarray, " k"]
    threshold: Float[np.ndarray, " k"]
    left: Int[np.ndarray, " k"]
    right: Int[np.ndarray, " k"]


class Bounds(NamedTuple):
    """A range of numbers: above `low` and at most `high`; None is no bound."""

    low: float | None = None
    high: float | None = None

    def hold(self, values: np.ndarray) -> np.ndarray:
        """Tell which values lie in the range."""
        above = True if self.low is None else values > self.low
        return np.asarray(above & (True if self.high is None else values <= self.high))


def rules(splits: Splits, columns: list[tuple[AbstractColumn, np.ndarray]]) -> dict[int, str]:
    """Return, for every leaf, a text that says what its rows have in common.

    columns: the columns of the table, each with its numbers in all rows.
    """
    owner = [(at, k) for at, (column, _) in enumerate(columns) for k in range(len(column.features))]
    found: dict[int, str] = {}

    def walk(node: int, way: dict[int, Bounds]) -> None:
        if splits.left[node] < 0:
            used = dict.fromkeys(owner[feature][0] for feature in way)
            own = {
                at: {owner[f][1]: bounds for f, bounds in way.items() if owner[f][0] == at}
                for at in used
            }
            conditions = [condition(*columns[at], own[at]) for at in used]
            joint = ", and " if any(" or " in text for text in conditions) else " and "
            found[node] = joint.join(conditions) or "all rows"
            return
        feature, threshold = int(splits.feature[node]), float(splits.threshold[node])
        so_far = way.get(feature, Bounds())
        walk(int(splits.left[node]), way | {feature: so_far._replace(high=threshold)})
        walk(int(splits.right[node]), way | {feature: so_far._replace(low=threshold)})

    walk(0, {})
    return found


def condition(column: AbstractColumn, block: np.ndarray, bounds: dict[int, Bounds]) -> str:
    """Write what bounds on the numbers of a column mean.

    block: the numbers of the column in all rows, [n, features].
    """
    if column.kind in ("category", "flag"):
        return f"{column.name} {_levels(column, block, bounds)}"
    missing = block[:, 1] == 1 if block.shape[1] > 1 else np.zeros(len(block), bool)
    inside = _inside(block, bounds)
    if not (inside & ~missing).any():
        return f"{column.name} is missing"
    if 0 not in bounds:
        return f"{column.name} is not missing"
    # A missing value was filled with a number, which may lie within the bounds.
    or_missing = " or missing" if (inside & missing).any() else ""
    return f"{column.name} {_range(column, block[~missing, 0], bounds[0])}{or_missing}"


def _inside(block: np.ndarray, bounds: dict[int, Bounds]) -> np.ndarray:
    return np.all([ends.hold(block[:, k]) for k, ends in bounds.items()], axis=0)


def _levels(column: AbstractColumn, block: np.ndarray, bounds: dict[int, Bounds]) -> str:
    """Write which levels of a column lie inside the bounds."""
    kinds = np.unique(block, axis=0)[::-1]
    groups = [groups_of(column, kind[None]) for kind in kinds]
    names = [group[0].label if group else "none of the known" for group in groups]
    inside = _inside(kinds, bounds)
    left, out = (
        [name for name, is_in in zip(names, inside, strict=True) if is_in == side]
        for side in (True, False)
    )
    if len(left) <= max(NAMED_LEVELS, len(out)):
        return f"is {_list(left)}"
    return f"is not {_list(out)}"


def _range(column: AbstractColumn, values: np.ndarray, ends: Bounds) -> str:
    whole = bool(is_whole(values[:, None])[0])
    say = lambda number: written(column, number, whole)
    inside = values[ends.hold(values)]
    if whole and inside.min() == inside.max():
        return f"is {say(inside[0])}"
    low, high = ends
    if whole:  # nobody is 49.5 years old
        low, high = (None if end is None else float(np.floor(end)) for end in ends)
    if low is not None and high is not None:
        return f"{say(low + whole)} to {say(high)}"
    above, most = ("after", "until") if column.kind == "date" else ("above", "at most")
    return f"{most} {say(high)}" if low is None else f"{above} {say(low)}"


def _list(words: list[str]) -> str:
    return " or ".join([*([", ".join(words[:-1])] if words[1:] else []), words[-1]])
