"""Columns by their names: `fit(df, "re78", treatment="treat")`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from pairnet.core.errors import BadInput, BadType
from pairnet.tables import opened


def named_apart(X: Any, **columns: Any) -> tuple[Any, dict[str, Any]]:
    """Return X without the columns that are named, and these columns by their roles.

    A column that is not a text is returned as it came.
    """
    names = {role: name for role, name in columns.items() if isinstance(name, str)}
    if not names:
        return X, columns
    table = opened(X)
    if table.names is None:
        (role, name), *_ = names.items()
        problem = f"is the text {name!r}, which could name a column, but X has no column names"
        raise BadInput(role, problem, "Pass its values, or X as a data frame.")
    check_named(names, table.names)
    rest, apart = table.parted(tuple(names.values()))
    return rest, columns | dict(zip(names, apart, strict=True))


def check_named(names: Mapping[str, str], columns: Sequence[str]) -> None:
    """Raise if a table lacks columns that are named by their roles, or has no others."""
    for role, name in names.items():
        if name not in columns:
            close = difflib.get_close_matches(name, columns, n=1)
            advice = f"Did you mean {close[0]!r}?" if close else "Pass its values, or another name."
            raise BadInput(role, f"names the column {name!r}, which X does not have", advice)
    if twice := [name for name in names.values() if list(names.values()).count(name) > 1]:
        raise BadInput("", f"{' and '.join(names)} name the same column of X: {twice[0]!r}")
    if len(names) == len(columns):
        raise BadInput("X", "must hold at least one covariate beside the columns that are named")


def check_places(method: str, others: tuple[Any, ...]) -> None:
    """Raise if more than the covariates and the outcome were passed by their place."""
    if others:
        raise BadType(
            "",
            f"{method} takes two arguments by place, covariates and outcomes, and got "
            f"{2 + len(others)}: other libraries have their treatments second or third",
            f"Name the treatment: {method}(X, y, treatment=t).",
        )
