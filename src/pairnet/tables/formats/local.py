"""Numbers and dates as people of some countries write them: 1.234,5 and 25.03.24."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pairnet.tables.spelling import POINTED

if TYPE_CHECKING:
    import polars as pl

CENTURY = 69  # two-digit years from this one on are 19xx, those before it are 20xx


def has_points(column: pl.Series) -> bool:
    """Tell whether text is numbers with decimal commas, some with points between thousands."""
    if column.dtype.base_type().__name__ != "String":
        return False
    texts = column.drop_nulls().str.strip_chars()
    has_any = texts.str.contains(".", literal=True).any()
    return bool(has_any and texts.str.contains(f"^({POINTED})$").all())


def has_decimal_comma(texts: pl.Series) -> bool:
    """Tell whether some of the text is a number with a decimal comma."""
    return bool(texts.str.contains(r"^\s*[-+]?[\d.]+,\d+\s*$").any())


def without_points(column: pl.Series) -> pl.Series:
    """Return text with decimal commas, and points between thousands, as numbers."""
    import polars as pl

    plain = column.str.strip_chars().str.replace_all(".", "", literal=True)
    return plain.str.replace(",", ".", literal=True).cast(pl.Float64)


def is_short(column: pl.Series) -> bool:
    """Tell dates whose years have two digits, as in 25.03.24; polars reads them as the year 24."""
    if not _holds_dates(column):
        return False
    return bool((column.drop_nulls().dt.year() < 100).all()) and not column.is_null().all()


def with_century(column: pl.Series) -> pl.Series:
    """Return dates whose years have two digits with the century that people mean."""
    import polars as pl

    date = pl.col(column.name)
    last, this = date.dt.offset_by("1900y"), date.dt.offset_by("2000y")
    meant = pl.when(date.dt.year() < CENTURY).then(this).otherwise(last)
    return column.to_frame().select(meant).to_series()


def is_in_doubt(column: pl.Series) -> bool:
    """Tell whether dates that were read with the day first could have the month first.

    They could if no day is past the 12th.
    """
    if not _holds_dates(column):
        return False
    dates = column.drop_nulls()
    return bool(len(dates) and (dates.dt.day() <= 12).all())


def without_dots(texts: pl.Series) -> pl.Series:
    """Return the dates that are written without dots: 03/05/2024 may be in March or in May.

    Dates with dots have the day first everywhere.
    """
    return texts.filter(~texts.str.contains(".", literal=True).fill_null(True))


def _holds_dates(column: pl.Series) -> bool:
    return column.dtype.base_type().__name__ in ("Date", "Datetime")
