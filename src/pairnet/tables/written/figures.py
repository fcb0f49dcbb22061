"""Numbers as people write them: 22,407.58 and 1.234,5, $1,200.00 and 105,73 €, (5) and 18.3%.

A way of writing numbers is a decimal mark, a mark between thousands, and a unit. A column is read
in a way only if every value of it can be; `readings` returns all ways that give different numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

MARKS = (
    *((".", ""), (".", ","), (".", " "), (".", "'")),
    *((",", ""), (",", "."), (",", " "), (",", "'")),
)  # decimal mark, and what stands between thousands
CODES = (
    "USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|BGN|TRY|ILS|ZAR|BRL|MXN|"
    "ARS|CLP|COP|KRW|SGD|HKD|TWD|THB|IDR|MYR|PHP|AED|SAR|EGP|NGN|KES|UAH"
)
CURRENCY = rf"(?:[A-Z]{{0,3}}\p{{Sc}}|{CODES}|kr\.?|zł|Kč|Fr\.|Rs\.?|R\$)"
PARTS = (
    rf"^(?P<open>\(?)\s*(?P<sign>[-+]?)\s*(?P<front>{CURRENCY}?)\s*(?P<later>[-+]?)\s*"
    rf"(?P<number>[.,]?\d(?:[\d.,' ]*\d)?)\s*(?P<back>{CURRENCY}?|%)\s*(?P<close>[-)]?)$"
)
PER_CENT = "%"


@dataclass(frozen=True)
class Figures:
    """A way of writing numbers."""

    decimal: str = "."
    thousands: str = ""
    unit: str = ""  # a currency, or %

    def read(self, texts: pl.Series) -> pl.Series | None:
        """Return the numbers that all of the texts spell in this way, or None."""
        parts = _parts(texts)
        if parts is None or (parts["unit"][0] or self.unit) != self.unit:
            return None
        if self.unit == PER_CENT != parts["unit"][0]:
            return None
        return _numbers(parts, self.decimal, self.thousands)

    def as_option(self) -> str:
        """Return the option that settles this way."""
        if self.thousands in (",", "."):
            return f"--thousands {self.thousands!r}"
        return f"--decimal {self.decimal!r}"

    def to_json(self) -> dict[str, Any]:
        """Return the way as plain values."""
        return {"decimal": self.decimal, "thousands": self.thousands, "unit": self.unit}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Figures:
        """Make a way from the result of `to_json`; anything else is refused."""
        made = cls(**value)
        if (made.decimal, made.thousands) not in MARKS or not isinstance(made.unit, str):
            raise ValueError(f"numbers cannot be written with {value}")
        return made


def readings(
    texts: pl.Series, decimal: str | None = None, thousands: str | None = None
) -> list[tuple[Figures, pl.Series]]:
    """Return the ways in which all of the texts are numbers, and the numbers.

    Of ways that give the same numbers it is the simplest. texts: none missing, and plain. decimal,
    thousands: marks that are known; numbers may do without them.
    """
    parts = _parts(texts)
    if parts is None:
        return []
    found: list[tuple[Figures, pl.Series]] = []
    for mark, between in MARKS:
        if decimal not in (None, mark) or between not in ("", thousands or between):
            continue
        numbers = _numbers(parts, mark, between)
        if numbers is not None and not any(numbers.equals(other) for _, other in found):
            found.append((Figures(mark, between, parts["unit"][0]), numbers))
    return found


def spelled(texts: pl.Series) -> pl.Series | None:
    """Return the numbers that all of the texts spell as programs write them: 5, 1.5, 1e-3."""
    import polars as pl

    numbers = texts.cast(pl.Float64, strict=False)
    return None if numbers.null_count() else _whole(numbers, texts)


def plain(texts: pl.Series) -> pl.Series:
    """Return texts with plain spaces, signs and apostrophes, and none around them."""
    return (
        texts.str.replace_all("[\u00a0\u2007\u2009\u202f]", " ")
        .str.replace_all("[\u2212\u2013]", "-")
        .str.replace_all("[\u2019\u00b4`]", "'")
        .str.strip_chars()
    )


def _parts(texts: pl.Series) -> pl.DataFrame | None:
    """Return signs, numbers and the unit of texts; None if these are no numbers of one kind."""
    import polars as pl

    if texts.is_empty() or not texts.str.contains(PARTS).all():
        return None
    parts = texts.str.extract_groups(PARTS).struct.unnest()
    col = pl.col
    one = lambda *names: pl.sum_horizontal(col(name) != "" for name in names) <= 1
    brackets = (col("open") == "(") == (col("close") == ")")
    if not parts.select(
        (one("sign", "later", "close") & one("front", "back") & brackets).all()
    ).item():
        return None
    units = {*parts["front"], *parts["back"]} - {""}
    bare = parts.select(((col("front") == "") & (col("back") == "")).any()).item()
    if len(units) > 1 or (units == {PER_CENT} and bare) or (parts["open"] == "(").all():
        return None  # different units, shares beside numbers, or (1), (2), (3), which are names
    minus = (col("sign") == "-") | (col("later") == "-") | (col("close") != "")
    return parts.select("number", minus=minus, unit=pl.lit(next(iter(units), "")))


def _numbers(parts: pl.DataFrame, decimal: str, thousands: str) -> pl.Series | None:
    import polars as pl

    texts = parts["number"]
    if not texts.str.contains(_pattern(decimal, thousands)).all():
        return None
    if thousands:
        texts = texts.str.replace_all(thousands, "", literal=True)
    points = texts.str.replace(decimal, ".", literal=True)
    signs = parts["minus"].cast(pl.Int8) * -2 + 1
    if parts["unit"][0] == PER_CENT:
        return (points + "e-2").cast(pl.Float64) * signs
    return _whole(points.cast(pl.Float64) * signs, texts)


def _pattern(decimal: str, thousands: str) -> str:
    """Return what numbers of a way look like; no first group of three digits begins with 0."""
    mark, between = re.escape(decimal), re.escape(thousands)
    whole = [r"\d+"]
    if thousands:
        whole.append(rf"[1-9]\d{{0,2}}(?:{between}\d{{3}})+")
    if thousands == ",":
        whole.append(r"[1-9]\d?(?:,\d\d)+,\d{3}")  # as in India: 12,34,567
    return rf"^(?:(?:{'|'.join(whole)})(?:{mark}\d+)?|{mark}\d+)$"


def _whole(numbers: pl.Series, texts: pl.Series) -> pl.Series:
    """Return numbers that are written without decimals as whole numbers."""
    import polars as pl

    if texts.str.contains(r"^\D*\d{1,18}\D*$").all() and not texts.str.contains(r"[.,eE]").any():
        return numbers.cast(pl.Int64)
    return numbers
