"""Columns as plain values of JSON; anything that `to_json` does not make is refused."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from pairnet.tables.columns.base import AbstractColumn
from pairnet.tables.columns.category import Category
from pairnet.tables.columns.left_out import LeftOut
from pairnet.tables.columns.quantity import Quantity

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
    return COLUMN_KINDS[kind](**{name: as_tuples(content) for name, content in value.items()})


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_CHECKS = {
    "name": lambda value: isinstance(value, str | int) and not isinstance(value, bool),
    "kind": lambda value: value in COLUMN_KINDS,
    "fill": _is_finite,
    "low": _is_finite,
    "high": _is_finite,
    "missing": lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    "levels": _are_texts,
    "rare": _are_texts,
    "why": lambda value: isinstance(value, str),
}
