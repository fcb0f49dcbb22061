"""Negative controls: outcomes that the treatment cannot have changed, as those of the year before.

An effect on one of them shows that something drives both, which the covariates do not hold
(Lipsitch, Tchetgen Tchetgen and Cohen, 2010).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from pairnet.core.errors import BadInput, listed
from pairnet.core.words import shown
from pairnet.model.groups import FIT, chosen_columns, rows_of_fit
from pairnet.model.question import Question
from pairnet.tables.opening import AbstractTable
from pairnet.tables.single import single_column
from pairnet.tables.values import Numbers, Values

ARGUMENT = "negative_controls"


@dataclass(frozen=True, eq=False)
class Control:
    """An outcome of the rows that a model remembers.

    rows: those that have it. kept: the encoded columns that are covariates all the same.
    """

    name: str
    y: Float[np.ndarray, " n"]
    rows: Bool[np.ndarray, " n"]
    kept: Bool[np.ndarray, " d"]


def controls_of(question: Question, controls: Any) -> list[Control]:
    """Return negative controls by name, out of the covariates or the table passed.

    controls: a name or names, or a dictionary of columns, with a value for each row of the fit.
    """
    if controls is None:
        return []
    if isinstance(controls, Mapping):
        return [_given(question, str(name), values) for name, values in controls.items()]
    names = [controls] if isinstance(controls, str | int) else list(controls)
    return [_named(question, name) for name in dict.fromkeys(names)]


def _given(question: Question, name: str, values: Any) -> Control:
    """Return a column that was passed."""
    count = len(np.asarray(values))
    row = rows_of_fit(question, count, ARGUMENT)
    advice = f"Pass a value for each row of {FIT}."
    column = single_column(values, ARGUMENT, count, wanted="numbers", advice=advice)
    if column.dtype.kind not in "biuf":
        raise BadInput(ARGUMENT, f"must hold numbers, got text in {name!r}")
    return _control(question, name, column.astype(float)[row])


def _named(question: Question, name: Any) -> Control:
    """Return a covariate, which is then none for this outcome, or a column of the table."""
    names = [column.name for column in question.model.schema.columns if column.features]
    if name in names:
        ((column, at),) = chosen_columns(question, [name], ARGUMENT)
        own = question.memory.x[:, at]
        if column.kind == "category" and len(at) > 2:
            problem = f"must name numbers or yes / no, got the category {name!r}"
            raise BadInput(ARGUMENT, problem)
        present = np.ones(len(own), bool)
        if column.kind != "category" and len(at) > 1:
            present = own[:, 1] == 0
        y = own[:, 1 if column.kind == "category" and len(at) == 2 else 0]
        return _control(question, str(name), np.where(present, y, np.nan), without=at)
    table = question.table
    places = list(table.names or ()) if table is not None else []
    if table is None or name not in places:
        few = listed(
            [shown(one) for one in (*names[:5], *[p for p in places if p not in names][:5])]
        )
        problem = f"must name columns of {FIT} ({few}), got {shown(name)}"
        raise BadInput(ARGUMENT, problem, f"Pass {FIT} with this column as X.")
    row = rows_of_fit(question, table.rows, ARGUMENT)
    return _control(question, str(name), _numbers(table, places.index(name), name)[row])


def _numbers(table: AbstractTable, position: int, name: Any) -> Float[np.ndarray, " n"]:
    values: Values = table.column(position)
    if not isinstance(values, Numbers):
        raise BadInput(ARGUMENT, f"must hold numbers or yes / no, got text in {name!r}")
    return np.where(values.missing, np.nan, values.values)


def _control(question: Question, name: str, y: np.ndarray, without: Any = ()) -> Control:
    kept = ~np.isin(np.arange(question.memory.x.shape[1]), without)
    rows = np.isfinite(y)
    if not kept.any():
        raise BadInput(ARGUMENT, f"must leave a covariate, but {name!r} is the only one")
    if rows.sum() < 20 or np.ptp(y[rows]) == 0:
        problem = f"must hold at least 20 values that differ, got {name!r} with {rows.sum()}"
        raise BadInput(ARGUMENT, problem)
    return Control(name, y, rows, kept)
