"""A column as it came from any library: `Numbers`, `Words`, or `Strange` things.

Missing values are NaN in numbers and -1 in words. Dates are days since 1970.
"""

from __future__ import annotations

import datetime
import decimal
import math
import numbers
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from pairnet.core.errors import At, Part
from pairnet.core.missing import is_missing
from pairnet.core.types import LARGEST, SMALLEST
from pairnet.core.words import as_float, word
from pairnet.tables.spelling import spelled

DAY = np.timedelta64(1, "D") / np.timedelta64(1, "us")
ALIKE = 1e-10  # numbers that differ by less, in units of the largest, are all the same
SHORT = 200  # rows: up to this many, a plain loop is quicker than a library
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?")


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers, booleans as 0 and 1, or dates as days since 1970."""

    kind: Literal["number", "flag", "date"]
    values: np.ndarray  # [n], float64
    whole: bool = False  # of an integer type

    @property
    def missing(self) -> np.ndarray:
        """Which rows have no value."""
        return np.isnan(self.values)


@dataclass(frozen=True, eq=False)
class Words:
    """Text, each different text kept once: row i holds `words[codes[i]]`."""

    codes: np.ndarray  # [n]
    words: tuple[str, ...]
    declared: bool = False  # of a categorical type, so that "01" is a name and not a number

    @property
    def missing(self) -> np.ndarray:
        """Which rows have no value."""
        return self.codes < 0

    def as_numbers(self) -> np.ndarray:
        """Return the number that each word spells, NaN if it spells none."""
        return np.asarray([spelled(word) for word in self.words], np.float64)

    def as_dates(self) -> np.ndarray:
        """Return the date, in days since 1970, that each word spells; NaN if it spells none."""
        return np.asarray([_date(word.strip()) for word in self.words], np.float64)

    def spread(self, by_word: np.ndarray) -> np.ndarray:
        """Return one value a row, given one for each word; NaN where it is missing."""
        return np.append(by_word, np.nan)[self.codes]


@dataclass(frozen=True, eq=False)
class Strange:
    """Values that no network can learn from: lists, bytes, structures."""

    what: str


Values = Numbers | Words | Strange


def of_array(column: np.ndarray) -> Values:
    """Read a column of an array."""
    if column.dtype.kind in "bifu":
        return Numbers("flag" if column.dtype.kind == "b" else "number", column.astype(np.float64))
    if column.dtype.kind in "mM":
        return Numbers("date" if column.dtype.kind == "M" else "number", days(column))
    return of_objects(column.tolist())


def of_objects(values: Sequence[Any]) -> Values:
    """Read a column of Python's own objects, of one type or mixed."""
    present = [None if is_missing(value) else value for value in values]
    kinds = {kind_of(value) for value in present if value is not None}
    if not kinds:
        return Numbers("number", np.full(len(present), np.nan))
    if kinds <= {"flag", "number"}:
        floats = [np.nan if value is None else as_float(value) for value in present]
        return Numbers("flag" if kinds == {"flag"} else "number", np.asarray(floats))
    if kinds == {"date"}:
        stamps = [np.datetime64("NaT") if value is None else _utc(value) for value in present]
        return Numbers("date", days(np.asarray(stamps, "datetime64[us]")))
    if "strange" in kinds:
        example = next(v for v in present if v is not None and kind_of(v) == "strange")
        return Strange(type(example).__name__)
    return of_words([None if value is None else word(value) for value in present])


def of_words(values: Sequence[str | None], declared: bool = False) -> Words:
    """Read a column of text, None where it is missing."""
    position: dict[str, int] = {}
    codes = [-1 if value is None else position.setdefault(value, len(position)) for value in values]
    return _without_blanks(Words(np.asarray(codes, np.int64), tuple(position), declared))


def of_series(series: Any) -> Values:
    """Read a column of a data frame (a narwhals series)."""
    import narwhals as nw

    kind = series.dtype
    if kind == nw.Boolean:
        return Numbers("flag", series.cast(nw.Float64).to_numpy())
    if kind.is_numeric():
        return Numbers("number", series.cast(nw.Float64).to_numpy(), whole=kind.is_integer())
    if kind in (nw.Date, nw.Datetime):
        return Numbers("date", days(series.to_numpy()))
    if kind == nw.Duration:
        return Numbers("number", days(series.to_numpy().astype("timedelta64[us]")))
    if kind in (nw.String, nw.Categorical, nw.Enum):
        return _factorised(series, declared=kind != nw.String)
    if kind in (nw.Object, nw.Unknown):
        return of_objects(series.to_list())
    return Strange(str(kind))


def uncomputable(numbers: np.ndarray, where: str = "") -> tuple[Part, ...]:
    """Write which values no network can compute with, infinite or too large ones, or nothing."""
    if numbers.dtype == np.float16:  # in which the bound itself is infinite
        numbers = numbers.astype(np.float64)
    for bad, what in (
        (np.isinf(numbers), "infinite values"),
        (np.abs(numbers) > LARGEST, f"values beyond {LARGEST:g}"),
    ):
        if bad.any():
            row = int(np.argmax(bad))
            count = f"has {what}: {int(bad.sum())} in all{where}, the first at "
            return count, At((row,)), f": {numbers[row]:g}"
    return ()


def too_alike(numbers: np.ndarray) -> str:
    """Write why no network can tell numbers apart that are not all the same, or nothing."""
    span = float(np.ptp(numbers))
    if span == 0 or span >= max(SMALLEST, ALIKE * float(np.abs(numbers).max())):
        return ""
    return f"has numbers that differ by only {span:.2g}, from {numbers.min():g}, too little to use"


def days(stamps: np.ndarray) -> np.ndarray:
    """Return dates as days since 1970, and time spans as days; NaN where there is none."""
    kind = stamps.dtype.kind
    whole = stamps.astype(f"{kind}8[D]").astype(np.int64)
    exact = stamps.astype(f"{kind}8[us]").astype(np.int64) / DAY
    exact = np.where(np.abs(exact - whole) > 1, whole, exact)  # too far away for microseconds
    return np.where(np.isnat(stamps), np.nan, exact)


def kind_of(value: Any) -> str:
    """Return what one value is: a flag, a number, a date, text, or strange."""
    if isinstance(value, bool | np.bool_):
        return "flag"
    if isinstance(value, numbers.Real | decimal.Decimal):
        return "number"
    if isinstance(value, datetime.date | np.datetime64):
        return "date"
    return "text" if isinstance(value, str) else "strange"


def enumerated(words: Sequence[str], most: int | None = None) -> str:
    """Write words with commas between them; words that have commas are quoted."""
    few = [repr(text) if "," in text else text for text in words[:most]]
    return ", ".join(few) + ", ..." * (len(few) < len(words))


def _date(text: str) -> float:
    """Return a date like 2024-05-31 as days since 1970; NaN if it is none."""
    if not DATE.fullmatch(text):
        return math.nan
    try:
        return float(np.datetime64(text, "us").astype(np.int64) / DAY)
    except ValueError:
        return math.nan


def _factorised(series: Any, declared: bool) -> Words:
    import narwhals as nw

    if len(series) <= SHORT:
        listed = series.to_list()
        return of_words([None if is_missing(value) else word(value) for value in listed], declared)
    levels = series.drop_nulls().unique().to_list()
    if not levels:
        return Words(np.full(len(series), -1), (), declared)
    codes = series.replace_strict(
        levels, list(range(len(levels))), default=-1, return_dtype=nw.Int64
    ).to_numpy()
    return _without_blanks(Words(codes, tuple(map(word, levels)), declared))


def _without_blanks(column: Words) -> Words:
    """Return a column in which empty text is missing."""
    full = np.asarray([bool(text.strip()) for text in column.words], bool)
    if full.all():
        return column
    renumbered = np.append(np.where(full, np.cumsum(full) - 1, -1), -1)
    return Words(
        renumbered[column.codes], tuple(np.asarray(column.words)[full].tolist()), column.declared
    )


def _utc(value: Any) -> np.datetime64:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return np.datetime64(value, "us")
