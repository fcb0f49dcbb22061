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

BINS = 5
MOST_LEVELS = 8
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


def by_column(subject: Subject) -> list[ByColumn]:
    """Return every used column in groups, those first that explain most of the effects."""
    found = []
    for column, block in blocks(subject.schema, subject.x):
        groups = groups_of(column, block)
        if len(groups) > 1:
            found.append(ByColumn(str(column.name), groups, explained(subject.effect, groups)))
    return sorted(found, key=lambda one: -one.explains)


def column_figure(subject: Subject, one: ByColumn) -> Block:
    """Draw the mean effect in every group of a column."""
    parts = []
    for group in one.groups:
        effect = subject.effect[group.rows]
        low, high = subject.group_interval(group.rows)
        tip = f"{one.name} {group.label}: mean effect {say(effect.mean())}, {len(effect):,} rows"
        tip += (
            f", interval {say(low)} to {say(high)}" if low is not None and high is not None else ""
        )
        parts.append(Point(group.label, float(effect.mean()), low, high, tip=tip))
    chart = dots(parts, x=subject.effect_name, says=f"Mean effect by {one.name}")
    caption = (
        f"{one.name}: mean effect in each group. Its groups explain {per_cent(one.explains)} of "
        "how effects differ."
    )
    return figure(chart, caption)


def column_table(found: list[ByColumn]) -> Block:
    """List all columns by how much of the effects they explain alone."""
    rows = [(one.name, f"{100 * one.explains:.0f} %", len(one.groups)) for one in found[:20]]
    more = f" (the first 20 of {len(found)})" if len(found) > 20 else ""
    return table(
        ("covariate", "explains", "groups"),
        rows,
        "How much of the variance of effects lies between the groups of each covariate, taken "
        f"alone{more}",
    )


def said_of(schema: Schema, row: np.ndarray, names: list[str]) -> list[str]:
    """Return what one encoded row holds in some columns, in words."""
    words = {}
    for column, block in blocks(schema, row[None]):
        (group,) = groups_of(column, block) or [Group("none of the known", row)]
        words[str(column.name)] = group.label
    return [words[name] for name in names]


def blocks(schema: Schema, x: np.ndarray):
    """Yield every used column with its own part of the encoded covariates."""
    start = 0
    for column in schema.columns:
        stop = start + len(column.features)
        if stop > start:
            yield column, x[:, start:stop]
        start = stop


def groups_of(column: AbstractColumn, block: np.ndarray) -> list[Group]:
    """Return the rows of a column in groups: its levels, or ranges of its numbers."""
    if column.kind == "category":
        found = [
            (feature.removeprefix(f"{column.name}="), block[:, k] == 1)
            for k, feature in enumerate(column.features)
        ]
        found = [(name.removeprefix(f"{column.name} is "), rows) for name, rows in found]
        found.sort(key=lambda pair: -int(pair[1].sum()))
        if len(found) > MOST_LEVELS:
            rest = np.any([rows for _, rows in found[MOST_LEVELS - 1 :]], axis=0)
            found = [
                *found[: MOST_LEVELS - 1],
                (f"{len(found) - MOST_LEVELS + 1} other levels", rest),
            ]
    else:
        missing = block[:, 1] == 1 if block.shape[1] > 1 else np.zeros(len(block), bool)
        found = [*_bins(column, block[:, 0], ~missing), ("missing", missing)]
    return [Group(name, np.flatnonzero(rows)) for name, rows in found if rows.any()]


def _bins(
    column: AbstractColumn, values: np.ndarray, known: np.ndarray
) -> list[tuple[str, np.ndarray]]:
    different = np.unique(values[known])
    whole = bool(is_whole(different[:, None])[0])
    if len(different) <= BINS + 1:
        return [(written(column, v, whole), known & (values == v)) for v in different]
    edges = np.unique(np.quantile(values[known], np.linspace(0, 1, BINS + 1)))
    found = []
    for k, (low, high) in enumerate(pairwise(edges)):
        rows = known & (values >= low if k == 0 else values > low) & (values <= high)
        if rows.any():
            first, last = (values[rows].min(), values[rows].max()) if whole else (low, high)
            found.append(
                (f"{written(column, first, whole)} to {written(column, last, whole)}", rows)
            )
    return found


def written(column: AbstractColumn, value: float, whole: bool) -> str:
    """Write a number of a column."""
    if column.kind == "flag":
        return "yes" if value else "no"
    if column.kind == "date":
        return str(np.datetime64("1970-01-01") + np.timedelta64(round(value), "D"))
    return f"{value:,.0f}".replace("-", "−") if whole else say(value)


def is_whole(x: np.ndarray) -> np.ndarray:
    """Tell which columns hold whole numbers only, none of them too long to be read."""
    return np.all((x == np.round(x)) & (np.abs(x) < 1e9), axis=0)


def explained(effect: np.ndarray, groups: list[Group]) -> float:
    """Return the share of the effects' variance that lies between groups."""
    total = float(effect.var())
    if total == 0:
        return 0.0
    count = sum(len(group.rows) for group in groups)
    between = sum(len(g.rows) * (effect[g.rows].mean() - effect.mean()) ** 2 for g in groups) / max(
        1, count
    )
    return float(np.clip(between / total, 0, 1))
