"""A typical person of the fit, column by column, as fields that a reader can change."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.evidence.support import by_covariates
from pairnet.report.document import Field
from pairnet.report.model import people
from pairnet.report.model.subject import Subject
from pairnet.tables.columns import Category, Quantity

STEPS = 100  # of a slider
MISSING = "missing"


def fields_of(subject: Subject, names: dict[str | int, str]) -> list[Field]:
    """Return a field for every column that is used, those first that explain effects best.

    names: what the program calls the columns.
    """
    ranked = [column.name for column in people.by_column(subject)]
    rank = {name: at for at, name in enumerate(ranked)}
    row = typical_row(subject)
    used = [pair for pair in subject.schema.blocks(row) if pair[0].name in names]
    used.sort(key=lambda pair: rank.get(str(pair[0].name), len(rank)))
    return [field_of(column, names[column.name], values) for column, values in used]


def typical_row(subject: Subject) -> Float[np.ndarray, "1 d"]:
    """Return the row of the fit that is nearest to the middle of all rows."""
    z = by_covariates(subject.memory)(subject.memory.x)
    apart = np.sum((z - np.median(z, axis=0)) ** 2, axis=1)
    return subject.memory.x[[int(np.argmin(apart))]]


@singledispatch
def field_of(column: Any, name: str, values: np.ndarray) -> Field:
    """Return the field of a column; values: its part of an encoded row."""
    raise NotImplementedError(f"{type(column).__name__} has no field")


@field_of.register
def _(column: Quantity, name: str, values: np.ndarray) -> Field:
    is_missing = bool(column.missing) and values[0, -1] > 0
    value, label = float(values[0, 0]), str(column.name)
    if column.kind == "flag":
        choices = (("1", "yes"), ("0", "no"), *((("", MISSING),) if column.missing else ()))
        return Field(name, label, "choice", "" if is_missing else f"{value:g}", choices=choices)
    if column.kind == "date":
        low, high = column.written(column.low), column.written(column.high)
        text = "" if is_missing else column.written(value)
        return Field(name, label, "date", text, low, high, can_be_missing=bool(column.missing))
    width = column.high - column.low
    step = _nice(width / STEPS)
    if all(float(end).is_integer() for end in (column.low, column.high, value)) and width <= STEPS:
        step = 1.0
    return Field(
        name,
        label,
        "number",
        "" if is_missing else _text(_rounded(value, step)),
        low=_text(column.low),
        high=_text(column.high),
        step=_text(step) if width else "any",
        can_be_missing=bool(column.missing),
    )


@field_of.register
def _(column: Category, name: str, values: np.ndarray) -> Field:
    choices = [(level, level) for level in column.levels]
    if column.rare:
        choices.append((column.rare[0], "another, rare one"))
    if column.missing:
        choices.append(("", MISSING))
    here = np.flatnonzero(values[0] > 0)
    at = int(here[0]) if len(here) else 0
    return Field(name, str(column.name), "choice", choices[at][0], choices=tuple(choices))


def _nice(step: float) -> float:
    """Return a step that people can read: 1, 2 or 5 times a power of ten."""
    if step <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(step))
    return float(power * next(factor for factor in (1, 2, 5, 10) if factor * power >= step * 0.999))


def _rounded(value: float, step: float) -> float:
    """Return a value with one digit more than a slider has."""
    return float(np.round(value, max(0, 1 - int(np.floor(np.log10(step))))))


def _text(value: float) -> str:
    return f"{value:.6g}"
