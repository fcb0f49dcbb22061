"""Columns of a frame of polars by their exact names.

Where polars takes expressions, names such as `*` and `^a.*$` are patterns that stand for many
columns. Even the methods of a series look for its name in that way, so columns that are worked
with have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def by_name(frame: pl.DataFrame) -> dict[str, pl.Series]:
    """Return the columns by their names; the columns themselves have none."""
    return {column.name: column.alias("") for column in frame}


def nameless(frame: pl.DataFrame, name: str) -> pl.Series:
    """Return the column of a name; the column itself has none."""
    return frame.get_column(name).alias("")


def picked(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return the columns of these names, in this order."""
    return type(frame)({name: frame.get_column(name) for name in names})


def replaced(frame: pl.DataFrame, columns: Mapping[str, pl.Series]) -> pl.DataFrame:
    """Return a frame in which some columns have other values."""
    return type(frame)({column.name: columns.get(column.name, column) for column in frame})
