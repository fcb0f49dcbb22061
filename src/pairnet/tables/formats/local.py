"""Numbers and dates as people of some countries write them: 1.234,5 and 25.03.24."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pairnet.tables.spelling import POINTED

if TYPE_CHECKING:
    import polars as pl

SHORT_YEAR = r"^\s*\d{1,2}[./-]\d{1,2}[./-]\d{2}(\D|$)"
DAYS = 32
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


def has_short_years(dates: pl.Series) -> bool:
    """Tell whether some years are below 100, as polars reads 25.03.24; or they are so long ago."""
    return _holds_dates(dates) and bool((dates.dt.year() < 100).any())


def with_century(dates: pl.Series, texts: pl.Series) -> pl.Series:
    """Return dates with the century that people mean where the year has two digits.

    texts: the dates as they are written. 0024-03-25 is in the year 24.
    """
    import polars as pl

    date, year = pl.col("date"), pl.col("date").dt.year()
    last, this = date.dt.offset_by("1900y"), date.dt.offset_by("2000y")
    is_short = pl.col("text").str.contains(SHORT_YEAR) & (year < 100)
    meant = pl.when(is_short & (year < CENTURY)).then(this).when(is_short).then(last)
    return pl.DataFrame({"date": dates, "text": texts}).select(meant.otherwise(date)).to_series()


def is_in_doubt(dates: pl.Series) -> bool:
    """Tell whether dates that were read with the day first could be meant in another order.

    They could if no day is past the 12th, so that the month could stand first. The year could
    stand first if it has two digits, of which all could be days, and changes more than the day.
    """
    if not _holds_dates(dates):
        return False
    dates = dates.drop_nulls()
    day, year = dates.dt.day(), dates.dt.year()
    year_first = (year < DAYS).all() and year.n_unique() > day.n_unique()
    return bool(len(dates) and ((day <= 12).all() or year_first))


def without_dots(texts: pl.Series) -> pl.Series:
    """Return the dates that are written without dots: 03/05/2024 may be in March or in May.

    Dates with dots have the day first everywhere.
    """
    return texts.filter(~texts.str.contains(".", literal=True).fill_null(True))


def _holds_dates(column: pl.Series) -> bool:
    return column.dtype.base_type().__name__ in ("Date", "Datetime")
