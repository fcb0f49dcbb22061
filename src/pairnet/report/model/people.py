"""Who gains most: effects by covariate."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pairnet.report.charts import Point, dots
from pairnet.report.document import Block, figure, table
from pairnet.report.model.subject import Subject
from pairnet.report.words import per_cent, say
from pairnet.tables import Schema
from pairnet.tables.columns import AbstractColumn

MOST_RANGES = 5  # groups of a covariate that is a quantity
MOST_LEVELS = 8
OWN_CHARTS = 4  # the most covariates with a chart of their own

NamedRows = tuple[str, np.ndarray]  # the name of a group, and a flag for each row


@dataclass(frozen=True, eq=False)
class Group:
    """Some rows and what they have in common."""

    label: str
    rows: np.ndarray  # positions


@dataclass(frozen=True, eq=False)
class ByColumn:
    """A column in groups, and the share of the effects' variance that lies between the groups."""

    name: str
    groups: list[Group]
    explains: float


def by_column(subject: Subject) -> list[ByColumn]:
    """Return every used column in groups, beginning with the one that explains effects best."""
    columns = []
    for column, block in subject.schema.blocks(subject.x):
        groups = groups_of(column, block)
        if len(groups) > 1:
            columns.append(ByColumn(str(column.name), groups, explained(subject.effect, groups)))
    return sorted(columns, key=lambda column: -column.explains)


def column_figure(subject: Subject, column: ByColumn) -> Block:
    """Draw the mean effect in every group of a column."""
    points = []
    for group in column.groups:
        effect = subject.effect[group.rows]
        low, high = subject.group_interval(group.rows)
        tip = f"{column.name} {group.label}: mean effect {say(effect.mean())}, {len(effect):,} rows"
        if low is not None and high is not None:
            tip += f", interval {say(low)} to {say(high)}"
        points.append(Point(group.label, float(effect.mean()), low, high, tip=tip))
    chart = dots(points, x=subject.effect_name, says=f"Mean effect by {column.name}")
    caption = (
        f"{column.name}: mean effect in each group. Its groups explain {per_cent(column.explains)} "
        "of how effects differ."
    )
    return figure(chart, caption)


def column_table(columns: list[ByColumn]) -> Block:
    """List all columns by how much of the effects each of them explains alone."""
    rows = [
        (column.name, f"{100 * column.explains:.0f} %", len(column.groups))
        for column in columns[:20]
    ]
    more = f" (the first 20 of {len(columns)})" if len(columns) > 20 else ""
    return table(
        ("covariate", "explains", "groups"),
        rows,
        "How much of the variance of effects lies between the groups of each covariate, taken "
        f"alone{more}",
    )


def said_of(schema: Schema, row: np.ndarray, names: list[str]) -> list[str]:
    """Return what one encoded row holds in some columns, in words."""
    words = {}
    for column, block in schema.blocks(row[None]):
        (group,) = groups_of(column, block) or [Group("none of the known", row)]
        words[str(column.name)] = group.label
    return [words[name] for name in names]


def groups_of(column: AbstractColumn, block: np.ndarray) -> list[Group]:
    """Return the rows of a column in groups: its levels, or ranges of its numbers."""
    if column.kind == "category":
        named_rows = _levels(column, block)
    else:
        missing = block[:, 1] == 1 if block.shape[1] > 1 else np.zeros(len(block), bool)
        named_rows = [*_ranges(column, block[:, 0], ~missing), ("missing", missing)]
    return [Group(name, np.flatnonzero(rows)) for name, rows in named_rows if rows.any()]


def _levels(column: AbstractColumn, block: np.ndarray) -> list[NamedRows]:
    """Return the levels of a category, common ones first; many rare ones become one group."""
    levels = [
        (feature.removeprefix(f"{column.name}="), block[:, k] == 1)
        for k, feature in enumerate(column.features)
    ]
    levels = [(name.removeprefix(f"{column.name} is "), rows) for name, rows in levels]
    levels.sort(key=lambda level: -int(level[1].sum()))
    if len(levels) <= MOST_LEVELS:
        return levels
    rest = np.any([rows for _, rows in levels[MOST_LEVELS - 1 :]], axis=0)
    return [*levels[: MOST_LEVELS - 1], (f"{len(levels) - MOST_LEVELS + 1} other levels", rest)]


def _ranges(column: AbstractColumn, values: np.ndarray, present: np.ndarray) -> list[NamedRows]:
    """Return the different values of a quantity or, if there are many, ranges of them."""
    different = np.unique(values[present])
    whole = bool(is_whole(different[:, None])[0])
    if len(different) <= MOST_RANGES + 1:
        return [(written(column, v, whole), present & (values == v)) for v in different]
    edges = np.unique(np.quantile(values[present], np.linspace(0, 1, MOST_RANGES + 1)))
    ranges = []
    for k, (low, high) in enumerate(pairwise(edges)):
        rows = present & (values >= low if k == 0 else values > low) & (values <= high)
        if rows.any():
            first, last = (values[rows].min(), values[rows].max()) if whole else (low, high)
            name = f"{written(column, first, whole)} to {written(column, last, whole)}"
            ranges.append((name, rows))
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


def explained(effect: np.ndarray, groups: list[Group]) -> float:
    """Return the share of the effects' variance that lies between groups."""
    total = float(effect.var())
    if total == 0:
        return 0.0
    count = sum(len(group.rows) for group in groups)
    mean = effect.mean()
    squares = sum(len(group.rows) * (effect[group.rows].mean() - mean) ** 2 for group in groups)
    return float(np.clip(squares / max(1, count) / total, 0, 1))
