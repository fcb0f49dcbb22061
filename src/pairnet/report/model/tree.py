"""Groups whose effects differ: the leaves of a shallow tree, each told with one condition a
column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from pairnet.report.model.people import Group, blocks, groups_of, is_whole, written
from pairnet.report.model.subject import Subject
from pairnet.tables.columns import AbstractColumn

LEAVES, DEPTH = 6, 3
FEW = 3  # levels that are named; of more, those are that are left out


class Bounds(NamedTuple):
    """A number is above `low` and at most `high`, where they are given."""

    low: float | None = None
    high: float | None = None

    def hold(self, values: np.ndarray) -> np.ndarray:
        """Tell which values lie within."""
        above = True if self.low is None else values > self.low
        return np.asarray(above & (True if self.high is None else values <= self.high))


def leaves(subject: Subject) -> list[Group]:
    """Return the leaves of a shallow tree of effects, those first who gain most, each with its
    rule."""
    count = len(subject.x)
    tree = DecisionTreeRegressor(
        max_depth=DEPTH,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=max(1, min(count // 4, max(25, count // 20))),
    )
    tree.fit(subject.x, subject.effect)
    where = tree.apply(subject.x)
    rules = _rules(tree.tree_, list(blocks(subject.schema, subject.x)))
    found = [
        Group(rules[leaf], np.flatnonzero(where == leaf)) for leaf in np.unique(where).tolist()
    ]
    return sorted(found, key=lambda group: -subject.goal * float(subject.effect[group.rows].mean()))


def _rules(tree, columns: list[tuple[AbstractColumn, np.ndarray]]) -> dict[int, str]:
    """Return, for every leaf, what its rows have in common, in words."""
    owner = [(at, k) for at, (column, _) in enumerate(columns) for k in range(len(column.features))]
    rules: dict[int, str] = {}

    def walk(node: int, way: dict[int, Bounds]) -> None:
        if tree.children_left[node] < 0:
            used = dict.fromkeys(owner[feature][0] for feature in way)
            own = {
                at: {owner[f][1]: bounds for f, bounds in way.items() if owner[f][0] == at}
                for at in used
            }
            said = [condition(*columns[at], own[at]) for at in used]
            rules[node] = (", and " if any(" or " in each for each in said) else " and ").join(
                said
            ) or "all rows"
            return
        feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
        so_far = way.get(feature, Bounds())
        walk(int(tree.children_left[node]), way | {feature: so_far._replace(high=threshold)})
        walk(int(tree.children_right[node]), way | {feature: so_far._replace(low=threshold)})

    walk(0, {})
    return rules


def condition(column: AbstractColumn, block: np.ndarray, bounds: dict[int, Bounds]) -> str:
    """Say what the bounds on the numbers of a column mean; block: the numbers of all rows, [n,
    features]."""
    if column.kind in ("category", "flag"):
        return f"{column.name} {_levels(column, block, bounds)}"
    missing = block[:, 1] == 1 if block.shape[1] > 1 else np.zeros(len(block), bool)
    inside = _inside(block, bounds)
    if not (inside & ~missing).any():
        return f"{column.name} is missing"
    if 0 not in bounds:
        return f"{column.name} is not missing"
    too = (
        " or missing" if (inside & missing).any() else ""
    )  # it was filled with a number within the bounds
    return f"{column.name} {_range(column, block[~missing, 0], bounds[0])}{too}"


def _inside(block: np.ndarray, bounds: dict[int, Bounds]) -> np.ndarray:
    return np.all([ends.hold(block[:, k]) for k, ends in bounds.items()], axis=0)


def _levels(column: AbstractColumn, block: np.ndarray, bounds: dict[int, Bounds]) -> str:
    """Say which of the levels that there are is left."""
    kinds = np.unique(block, axis=0)[::-1]
    found = [groups_of(column, kind[None]) for kind in kinds]
    names = [said[0].label if said else "none of the known" for said in found]
    inside = _inside(kinds, bounds)
    left, out = (
        [name for name, is_in in zip(names, inside, strict=True) if is_in == side]
        for side in (True, False)
    )
    if len(left) <= max(FEW, len(out)):
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
