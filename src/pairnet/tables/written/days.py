"""Dates as people write them: 24.07.2023, 07/24/2023, 24-Jul-2023, 7/24/23 3:15 PM.

A way of writing dates is the order of their parts. Where several orders are possible, as for
03/05/2024, the dates are in doubt.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

DAY_FIRST, MONTH_FIRST, YEAR_FIRST, NAMED = "day first", "month first", "year first", "named month"
ORDERS = {DAY_FIRST: "abc", MONTH_FIRST: "bac", YEAR_FIRST: "cba"}  # which part is day, month, year
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
MONTH = f"(?P<b>{'|'.join(MONTHS)})[a-z]*"
TIME = (
    r"(?:,?[ T]\s*(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?:\.\d+)?"
    r"(?:\s*(?P<half>[ap])\.?m\.?)?)?$"
)
NUMBERS = rf"(?i)^(?P<a>\d{{1,2}})(?P<s>[./-])(?P<b>\d{{1,2}})(?P<z>[./-])(?P<c>\d{{4}}|\d\d){TIME}"
DAY_MONTH = rf"(?i)^(?P<a>\d{{1,2}})[-./ ]*{MONTH}[-./ ,]*(?P<c>\d{{4}}|\d\d){TIME}"
MONTH_DAY = rf"(?i)^{MONTH}\.? *(?P<a>\d{{1,2}})(?:st|nd|rd|th)?,? +(?P<c>\d{{4}}){TIME}"
PATTERNS = (NUMBERS, DAY_MONTH, MONTH_DAY)
ISO = r"^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$"
OFFSET = r" ?([+-]\d\d):?(\d\d)$"  # of a time, as in 10:15:00 +0100
CENTURY = 69  # two-digit years from this one on are 19xx, those before it are 20xx


@dataclass(frozen=True)
class Days:
    """A way of writing dates."""

    order: str

    def read(self, texts: pl.Series) -> pl.Series | None:
        """Return the dates that all of the texts spell in this way, or None."""
        parts = _named(texts) if self.order == NAMED else _parts(texts, NUMBERS)
        return None if parts is None else _dates(parts, ORDERS.get(self.order, "abc"))

    def to_json(self) -> dict[str, Any]:
        """Return the way as plain values."""
        return {"order": self.order}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Days:
        """Make a way from the result of `to_json`; anything else is refused."""
        made = cls(**value)
        if made.order not in (*ORDERS, NAMED):
            raise ValueError(f"dates cannot be written with {value}")
        return made


def readings(texts: pl.Series) -> list[tuple[Days, pl.Series]]:
    """Return the orders in which all of the texts are dates, and the dates.

    Years of two digits stand first only if they change more than what could be the day.
    """
    found: list[tuple[Days, pl.Series]] = []
    for order in (*ORDERS, NAMED):
        dates = Days(order).read(texts)
        if dates is not None and not any(dates.equals(other) for _, other in found):
            found.append((Days(order), dates))
    if len(found) == 2 and [way.order for way, _ in found] == [DAY_FIRST, YEAR_FIRST]:
        parts = _parts(texts, NUMBERS)
        if parts is not None and parts["c"].n_unique() <= parts["a"].n_unique():
            return found[:1]
    return found


def spelled(texts: pl.Series) -> pl.Series | None:
    """Return the dates that all of the texts spell as programs write them: 2024-12-31."""
    import polars as pl

    if texts.is_empty() or not texts.str.contains(ISO).all():
        return None
    try:
        is_short = bool((texts.str.len_chars() == 10).all())
        dates = texts.str.to_date("%Y-%m-%d", strict=False) if is_short else None
        dates = texts.str.to_datetime(strict=False) if dates is None else dates
    except pl.exceptions.PolarsError:
        return _with_offsets(texts)
    return _with_offsets(texts) if dates.null_count() else dates


def _with_offsets(texts: pl.Series) -> pl.Series | None:
    """Return times that are written with their distance from UTC, as times of UTC."""
    import polars as pl

    if not texts.str.contains(OFFSET).all():
        return None
    plain = texts.str.replace("T", " ").str.replace(OFFSET, "$1$2")
    for form in ("%Y-%m-%d %H:%M:%S%.f%z", "%Y-%m-%d %H:%M:%S%z", "%Y-%m-%d %H:%M%z"):
        try:
            times = plain.str.to_datetime(form, strict=False)
        except pl.exceptions.PolarsError:
            continue
        if not times.null_count():
            return times.dt.replace_time_zone(None)
    return None


def _named(texts: pl.Series) -> pl.DataFrame | None:
    """Return the parts of dates whose months have names."""
    import polars as pl

    parts = _parts(texts, DAY_MONTH)
    parts = _parts(texts, MONTH_DAY) if parts is None else parts
    if parts is None:
        return None
    numbers = {name: str(number) for number, name in enumerate(MONTHS, 1)}
    return parts.with_columns(pl.col("b").str.to_lowercase().replace_strict(numbers))


def _parts(texts: pl.Series, pattern: str) -> pl.DataFrame | None:
    if texts.is_empty() or not texts.str.contains(pattern).all():
        return None
    parts = texts.str.extract_groups(pattern).struct.unnest()
    if "s" in parts.columns and not (parts["s"] == parts["z"]).all():
        return None
    return parts


def _dates(parts: pl.DataFrame, order: str) -> pl.Series | None:
    """Return dates whose parts stand in this order; None if one of them is no date."""
    import polars as pl

    day, month, year = (pl.col(part) for part in order)
    number = year.cast(pl.Int32)
    century = pl.when(number < CENTURY).then(2000).otherwise(1900)
    full = pl.when(year.str.len_chars() == 2).then(number + century).otherwise(number)
    if parts.select((day.str.len_chars() > 2).any() | (full > 9999).any()).item():
        return None  # a year of four digits is no day
    hour = pl.col("hour").fill_null("0").cast(pl.Int32)
    half = pl.col("half").str.to_lowercase()
    after_noon = pl.when(half == "p").then(12).otherwise(0)
    hour = pl.when(half.is_null()).then(hour).otherwise(hour % 12 + after_noon)
    two = lambda text: text.fill_null("0").cast(pl.String).str.zfill(2)
    stamp = pl.concat_str(
        *(full.cast(pl.String).str.zfill(4), pl.lit("-"), two(month), pl.lit("-"), two(day)),
        *(pl.lit(" "), two(hour.cast(pl.String)), pl.lit(":"), two(pl.col("minute"))),
        *(pl.lit(":"), two(pl.col("second"))),
    )
    dates = parts.select(stamp.str.to_datetime("%Y-%m-%d %H:%M:%S", strict=False)).to_series()
    if dates.null_count():
        return None
    return dates if parts["hour"].is_not_null().any() else dates.cast(pl.Date)
