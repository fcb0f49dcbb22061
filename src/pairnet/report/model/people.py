"""Who gains most: effects by covariate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pairnet.report.charts import Point, dots
from pairnet.report.document import Block, figure, table
from pairnet.report.model.subject import Subject
from pairnet.report.words import per_cent, say
from pairnet.tables import Schema
from pairnet.tables.grouping import Group, groups_of

OWN_CHARTS = 4  # the most covariates with a chart of their own


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


def explained(effect: np.ndarray, groups: list[Group]) -> float:
    """Return the share of the effects' variance that lies between groups."""
    total = float(effect.var())
    if total == 0:
        return 0.0
    count = sum(len(group.rows) for group in groups)
    mean = effect.mean()
    squares = sum(len(group.rows) * (effect[group.rows].mean() - mean) ** 2 for group in groups)
    return float(np.clip(squares / max(1, count) / total, 0, 1))
