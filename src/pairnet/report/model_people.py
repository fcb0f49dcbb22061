"""Who gains most: effects by covariate, and a shallow tree of effects told as rules."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from pairnet.report.charts import Interval, dots
from pairnet.report.model_view import View
from pairnet.report.page import Block, figure, table
from pairnet.report.svg import per_cent, say
from pairnet.tables import Schema
from pairnet.tables.columns import AbstractColumn

BINS = 5
MOST_LEVELS = 8
LEAVES, DEPTH = 6, 3
SHOWN = 4  # covariates with a chart of their own


@dataclass(frozen=True, eq=False)
class Group:
    """Some rows and what they have in common."""

    label: str
    rows: np.ndarray  # positions


@dataclass(frozen=True, eq=False)
class ByColumn:
    """A column in groups, and the share of the effects' variance that lies between them."""

    name: str
    groups: list[Group]
    explains: float


def by_column(view: View) -> list[ByColumn]:
    """Return every used column in groups, those first that explain most of the effects."""
    found = []
    for column, block in _blocks(view.model.schema_, view.x):
        groups = _groups(column, block)
        if len(groups) > 1:
            found.append(ByColumn(str(column.name), groups, explained(view.effect, groups)))
    return sorted(found, key=lambda one: -one.explains)


def column_figure(view: View, one: ByColumn) -> Block:
    """Draw the mean effect in every group of a column."""
    parts = []
    for group in one.groups:
        effect = view.effect[group.rows]
        low, high = view.group_interval(group.rows)
        tip = f"{one.name} {group.label}: mean effect {say(effect.mean())}, {len(effect):,} rows"
        tip += f", interval {say(low)} to {say(high)}" if low is not None and high is not None else ""
        parts.append(Interval(group.label, float(effect.mean()), low, high, tip=tip))
    chart = dots(parts, x=view.effect_name, says=f"Mean effect by {one.name}")
    caption = (
        f"{one.name}: mean effect in each group. Its groups explain {per_cent(one.explains)} of how effects differ."
    )
    return figure(chart, caption)


def column_table(found: list[ByColumn]) -> Block:
    """List all columns by how much of the effects they explain alone."""
    rows = [(one.name, f"{100 * one.explains:.0f} %", len(one.groups)) for one in found[:20]]
    more = f" (the first 20 of {len(found)})" if len(found) > 20 else ""
    return table(
        ("covariate", "explains", "groups"),
        rows,
        f"How much of the variance of effects lies between the groups of each covariate, taken alone{more}",
    )


def leaves(view: View) -> list[Group]:
    """Return the leaves of a shallow tree of effects, those first who gain most, each with its rule."""
    count = len(view.x)
    tree = DecisionTreeRegressor(
        max_depth=DEPTH, max_leaf_nodes=LEAVES, min_samples_leaf=max(1, min(count // 4, max(25, count // 20)))
    )
    tree.fit(view.x, view.effect)
    where = tree.apply(view.x)
    rules = _rules(tree.tree_, view.model.schema_, _whole(view.x))
    found = [Group(rules[leaf], np.flatnonzero(where == leaf)) for leaf in np.unique(where).tolist()]
    return sorted(found, key=lambda group: -view.goal * float(view.effect[group.rows].mean()))


def said_of(schema: Schema, row: np.ndarray, names: list[str]) -> list[str]:
    """Return what one encoded row holds in some columns, in words."""
    words = {}
    for column, block in _blocks(schema, row[None]):
        (group,) = _groups(column, block) or [Group("none of the known", row)]
        words[str(column.name)] = group.label
    return [words[name] for name in names]


def _blocks(schema: Schema, x: np.ndarray):
    """Yield every used column with its own part of the encoded covariates."""
    start = 0
    for column in schema.columns:
        stop = start + len(column.features)
        if stop > start:
            yield column, x[:, start:stop]
        start = stop


def _groups(column: AbstractColumn, block: np.ndarray) -> list[Group]:
    if column.kind == "category":
        found = [
            (feature.removeprefix(f"{column.name}="), block[:, k] == 1) for k, feature in enumerate(column.features)
        ]
        found = [(name.removeprefix(f"{column.name} "), rows) for name, rows in found]
        found.sort(key=lambda pair: -int(pair[1].sum()))
        if len(found) > MOST_LEVELS:
            rest = np.any([rows for _, rows in found[MOST_LEVELS - 1 :]], axis=0)
            found = [*found[: MOST_LEVELS - 1], (f"{len(found) - MOST_LEVELS + 1} other levels", rest)]
    else:
        missing = block[:, 1] == 1 if block.shape[1] > 1 else np.zeros(len(block), bool)
        found = [*_bins(column, block[:, 0], ~missing), ("is missing", missing)]
    return [Group(name, np.flatnonzero(rows)) for name, rows in found if rows.any()]


def _bins(column: AbstractColumn, values: np.ndarray, known: np.ndarray) -> list[tuple[str, np.ndarray]]:
    different = np.unique(values[known])
    whole = bool(_whole(different[:, None])[0])
    if len(different) <= BINS + 1:
        return [(_value(column, v, whole), known & (values == v)) for v in different]
    edges = np.unique(np.quantile(values[known], np.linspace(0, 1, BINS + 1)))
    found = []
    for k, (low, high) in enumerate(pairwise(edges)):
        rows = known & (values >= low if k == 0 else values > low) & (values <= high)
        if rows.any():
            first, last = (values[rows].min(), values[rows].max()) if whole else (low, high)
            found.append((f"{_value(column, first, whole)} to {_value(column, last, whole)}", rows))
    return found


def _value(column: AbstractColumn, value: float, whole: bool) -> str:
    if column.kind == "flag":
        return "yes" if value else "no"
    if column.kind == "date":
        return str(np.datetime64("1970-01-01") + np.timedelta64(round(value), "D"))
    return f"{value:,.0f}".replace("-", "−") if whole else say(value)


def _whole(x: np.ndarray) -> np.ndarray:
    """Tell which columns hold whole numbers only, none of them too long to be read."""
    return np.all((x == np.round(x)) & (np.abs(x) < 1e9), axis=0)


def explained(effect: np.ndarray, groups: list[Group]) -> float:
    """Return the share of the effects' variance that lies between groups."""
    total = float(effect.var())
    if total == 0:
        return 0.0
    count = sum(len(group.rows) for group in groups)
    between = sum(len(g.rows) * (effect[g.rows].mean() - effect.mean()) ** 2 for g in groups) / max(1, count)
    return float(np.clip(between / total, 0, 1))


def _rules(tree, schema: Schema, whole: np.ndarray) -> dict[int, str]:
    """Return, for every leaf, what its rows have in common, in words; `whole` says which features are whole numbers."""
    owner = [(column, k) for column in schema.columns for k in range(len(column.features))]
    rules: dict[int, str] = {}

    def walk(node: int, low: dict[int, float], high: dict[int, float]) -> None:
        if tree.children_left[node] < 0:
            rules[node] = (
                " and ".join(
                    _condition(*owner[f], low.get(f), high.get(f), bool(whole[f])) for f in dict.fromkeys([*low, *high])
                )
                or "all rows"
            )
            return
        feature, threshold = int(tree.feature[node]), float(tree.threshold[node])
        walk(int(tree.children_left[node]), low, high | {feature: threshold})
        walk(int(tree.children_right[node]), low | {feature: threshold}, high)

    walk(0, {}, {})
    return rules


def _condition(column: AbstractColumn, k: int, low: float | None, high: float | None, whole: bool) -> str:
    """Say that a number of a column is above `low` and at most `high`."""
    feature = column.features[k]
    if column.kind == "category" or k == 1:
        said = feature.replace("=", " is ", 1) if "=" in feature else feature
        return said if low is not None else said.replace(" is ", " is not ", 1)
    name = str(column.name)
    if column.kind == "flag":
        return f"{name} is {'yes' if low is not None else 'no'}"
    if whole:  # nobody is 49.5 years old
        low, high = (None if end is None else float(np.floor(end)) for end in (low, high))
    ends = (("above", low), ("at most", high))
    return f"{name} " + " and ".join(f"{word} {_value(column, end, whole)}" for word, end in ends if end is not None)
