"""Columns as plain values of JSON; anything that `to_json` does not make is refused."""

from __future__ import annotations

import dataclasses
from typing import Any

from pairnet.core.types import is_count, is_finite
from pairnet.tables.columns.base import AbstractColumn
from pairnet.tables.columns.category import Category
from pairnet.tables.columns.left_out import LeftOut
from pairnet.tables.columns.quantity import Quantity
from pairnet.tables.values import LARGEST

DAYS = 10**9  # from 1970 to the last day that a date can be

COLUMN_KINDS: dict[str, type] = dict.fromkeys(("number", "flag", "date"), Quantity) | {
    "category": Category,
    "left out": LeftOut,
}


def from_json(value: Any) -> AbstractColumn:
    """Make a column from the result of `to_json`; anything else is refused."""
    if not isinstance(value, dict):
        raise ValueError(f"a column must be a JSON object, got {value!r}")
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in COLUMN_KINDS:
        raise ValueError(f"a column must be one of {', '.join(COLUMN_KINDS)}, got {kind!r}")
    names = {field.name for field in dataclasses.fields(COLUMN_KINDS[kind])}
    if set(value) != names:
        raise ValueError(
            f"a column of kind {kind!r} must have {sorted(names)}, got {sorted(map(str, value))}"
        )
    for name, content in value.items():
        if not _CHECKS[name](content):
            raise ValueError(f"{name!r} of a column is {content!r}")
    as_tuples = lambda content: tuple(content) if isinstance(content, list) else content
    column = COLUMN_KINDS[kind](**{name: as_tuples(content) for name, content in value.items()})
    if not _makes_sense(column):
        raise ValueError(f"the column {column.name!r} of kind {kind!r} has values that do not fit")
    return column


def _makes_sense(column: AbstractColumn) -> bool:
    """Tell whether the parts of a column fit together."""
    if isinstance(column, Category):
        in_order = all(list(part) == sorted({*part}) for part in (column.levels, column.rare))
        return bool(column.levels) and in_order and not {*column.levels} & {*column.rare}
    if isinstance(column, Quantity):
        low, high = {"flag": (0, 1), "date": (-DAYS, DAYS)}.get(column.kind, (-LARGEST, LARGEST))
        in_order = low <= column.low <= column.fill <= column.high <= high
        return in_order and (column.kind != "flag" or column.fill in (0, 1))
    return True


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


_CHECKS = {
    "name": lambda value: isinstance(value, str | int) and not isinstance(value, bool),
    "kind": lambda value: value in COLUMN_KINDS,
    "fill": is_finite,
    "low": is_finite,
    "high": is_finite,
    "missing": is_count,
    "levels": _are_texts,
    "rare": _are_texts,
    "why": lambda value: isinstance(value, str),
}
