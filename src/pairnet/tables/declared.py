"""What a column holds, where people say it or every row must have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pairnet.core.errors import BadInput
from pairnet.tables.exact import nameless, replaced

if TYPE_CHECKING:
    import polars as pl


def with_categories(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return a table in which the columns of these names are declared to be categories."""
    return replaced(frame, {name: _category(name, nameless(frame, name)) for name in names})


def _category(name: str, column: pl.Series) -> pl.Series:
    import polars as pl

    try:
        return column.cast(pl.String).cast(pl.Categorical)
    except pl.exceptions.PolarsError:
        problem = f"names column {name!r}, which holds values of the type {column.dtype}"
        raise BadInput("--categories", f"{problem}: expected text, numbers or dates") from None


def present(column: pl.Series) -> pl.Series:
    """Tell which rows have a value other than NaN and empty text."""
    import polars as pl

    has_value = column.is_not_null()
    if column.dtype.is_float():
        return has_value & column.is_not_nan().fill_null(False)
    if column.dtype == pl.String:
        return has_value & (column.str.strip_chars() != "").fill_null(False)
    return has_value
