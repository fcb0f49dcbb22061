"""Text in the cells of a file becomes numbers and dates where it can be read in one way only.

What one column leaves open, others may settle: people write all numbers of a file with the same
decimal mark. Of two readings that are left none is taken: the column is in doubt.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from pairnet.core.errors import BadInput
from pairnet.core.words import spelled, word
from pairnet.tables.exact import by_name, replaced
from pairnet.tables.written import blanks, days, figures
from pairnet.tables.written.days import Days
from pairnet.tables.written.figures import Figures
from pairnet.tables.written.slips import slip
from pairnet.tables.written.writing import Writing, Written

if TYPE_CHECKING:
    import polars as pl

    from pairnet.tables.formats.base import Reading
    from pairnet.tables.location import Location

OTHER = {",": ".", ".": ","}  # what stands between thousands, and the decimal mark beside it


@dataclass(frozen=True)
class Cells:
    """A table as it was read, how it was written, and columns with two readings, which are text."""

    frame: pl.DataFrame
    writing: Writing
    doubts: Mapping[str, BadInput]


class _Made(NamedTuple):
    values: pl.Series
    written: Written | None = None
    doubt: BadInput | None = None


def understood(
    path: Location, read: Callable[[Reading], pl.DataFrame], asked: Reading, is_text: bool
) -> Cells:
    """Read a file whose text may be numbers and dates as people write them.

    is_text: whether all of its values are text, so that its numbers depend on the decimal mark.
    """
    raw = dataclasses.replace(asked, words={*asked.words, *asked.known.columns})
    decimal = asked.decimal or OTHER.get(asked.thousands or "")
    if decimal is None:
        frame, decimal = _by_other_columns(read, raw, is_text)
    else:
        frame = read(dataclasses.replace(raw, decimal=decimal))
        _check_has_commas(path, frame, asked)
    asked = dataclasses.replace(asked, decimal=decimal)
    made = {name: _made(path, name, text, asked) for name, text in _texts(frame).items()}
    frame = replaced(without_codes(frame, asked.na), {name: made[name].values for name in made})
    written = {name: column.written for name, column in made.items() if column.written}
    doubts = {name: column.doubt for name, column in made.items() if column.doubt}
    return Cells(frame, Writing(decimal, tuple(asked.na), written), doubts)


def without_codes(frame: pl.DataFrame, na: Collection[str]) -> pl.DataFrame:
    """Return a table in which the numbers that stand for missing values are missing."""
    import polars as pl

    codes = [number for number in map(spelled, na) if not math.isnan(number)]
    if not codes:
        return frame
    numbers = {name: column for name, column in by_name(frame).items() if column.dtype.is_numeric()}
    kept = lambda column: column.zip_with(
        ~column.cast(pl.Float64).is_in(codes).fill_null(False), column.clear(1)
    )
    return replaced(frame, {name: kept(column) for name, column in numbers.items()})


def _texts(frame: pl.DataFrame) -> dict[str, pl.Series]:
    import polars as pl

    return {name: column for name, column in by_name(frame).items() if column.dtype == pl.String}


def _by_other_columns(
    read: Callable[[Reading], pl.DataFrame], asked: Reading, is_text: bool
) -> tuple[pl.DataFrame, str | None]:
    """Read a file with the decimal mark that its columns tell; None where they tell none."""
    frame, usual = read(dataclasses.replace(asked, decimal=".")), asked.known.decimal
    found = [_ways(text, asked) for name, text in _texts(frame).items() if name not in asked.words]
    has_commas = any(way.decimal == "," for ways in found for way in ways)
    other = frame
    if is_text and (has_commas or usual == ","):
        other = read(dataclasses.replace(asked, decimal=",", say=lambda text: None))
        texts = _texts(other).items()
        found += [_ways(text, asked) for name, text in texts if name not in asked.words]
    certain = {ways[0].decimal for ways in found if len(ways) == 1}
    mark = usual if not certain else certain.pop() if len(certain) == 1 else None
    return (other if mark == "," else frame), mark


def _ways(text: pl.Series, asked: Reading) -> list[Figures]:
    """Return the ways in which a column of text, with some mark in it, is numbers."""
    present = _present(figures.plain(text), asked)
    if not present.str.contains(r"[.,]").any():
        return []
    return [way for way, _ in figures.readings(present, thousands=asked.thousands)]


def _present(texts: pl.Series, asked: Reading) -> pl.Series:
    """Return the different texts that stand for a value."""
    blank = blanks.missing(texts, asked.na, beside_numbers=True) | (texts == "")
    return texts.filter(~blank).drop_nulls().unique(maintain_order=True)


def _made(path: Location, name: str, text: pl.Series, asked: Reading) -> _Made:
    """Return a column of text as what it spells."""
    plain = figures.plain(text)
    present = _present(plain, asked)
    doubt = None
    if len(present) and name not in asked.words:
        way, values, doubt = _spelled(path, name, present, asked)
        if values is not None:
            return _spread(plain, present, values, way)
        doubt = doubt or slip(name, plain, present)
    gone = blanks.missing(plain, asked.na, beside_numbers=False).fill_null(False)
    if not gone.any():
        return _Made(text, None, doubt)
    missing = Written(None, None, tuple(plain.filter(gone).unique(maintain_order=True)))
    return _Made(text.zip_with(~gone, text.clear(1)), missing, doubt)


def _spelled(
    path: Location, name: str, present: pl.Series, asked: Reading
) -> tuple[Figures | Days | None, pl.Series | None, BadInput | None]:
    """Return the way in which texts are written, the numbers or dates they spell, and a doubt."""
    known = asked.known.columns.get(name, Written()).way
    values = known.read(present) if known else None
    if values is not None:
        return known, values, None
    if asked.decimal != "," or not present.str.contains(".", literal=True).any():
        values = figures.spelled(present)
    if values is None:
        values = days.spelled(present)
    if values is not None:
        return None, values, None
    numbers = figures.readings(present, asked.decimal, asked.thousands)
    if len(numbers) > 1:
        return None, None, _two_numbers(path, name, present, numbers)
    dates = days.readings(present)
    if len(dates) > 1:
        dates = _settled(path, name, present, dates, asked.dates)
    found: list[tuple[Figures | Days, pl.Series]] = [*numbers, *dates]
    return (*found[0], None) if found else (None, None, None)


def _spread(
    texts: pl.Series, present: pl.Series, values: pl.Series, way: Figures | Days | None
) -> _Made:
    """Return a column in which each text is the value that it spells, and how it was written.

    Plain numbers without missing values stay text, so that 007 stays a name where it is none.
    """
    column = texts.replace_strict(present, values, default=None, return_dtype=values.dtype)
    gone = texts.filter(column.is_null() & (texts != "")).drop_nulls().unique(maintain_order=True)
    if way is None and gone.is_empty():
        return _Made(texts if values.dtype.is_numeric() else column)
    return _Made(column, Written(way, _telling(present, values) if way else None, tuple(gone)))


def _telling(present: pl.Series, values: pl.Series) -> tuple[str, str]:
    """Return the first text that is not the number or date as programs write it, and its value."""
    shown = [word(value) for value in values.to_list()]
    pairs = list(zip(present.to_list(), shown, strict=True))
    return next((pair for pair in pairs if pair[0] != pair[1]), pairs[0])


def _two_numbers(
    path: Location, name: str, present: pl.Series, ways: list[tuple[Figures, pl.Series]]
) -> BadInput:
    """Return the error for numbers that can be read in two ways."""
    (one, first), (other, second) = ways[:2]
    at = (first != second).arg_max() or 0
    problem = (
        f"{path} has numbers in column {name!r} that can be read in two ways: {present[at]!r} is "
        f"{word(first[at])} with {one.as_option()}, and {word(second[at])} with {other.as_option()}"
    )
    return BadInput("", problem, "Say one of these options, or leave the column out with --ignore.")


def _settled(
    path: Location,
    name: str,
    present: pl.Series,
    ways: list[tuple[Days, pl.Series]],
    dates: Collection[str],
) -> list[tuple[Days, pl.Series]]:
    """Return the order of dates in doubt: none or, in columns that must hold dates, raise.

    In these, dates with dots have the day first.
    """
    if name not in dates:
        return []
    unclear = present.filter(~present.str.contains(".", literal=True))
    if unclear.is_empty():
        return ways[:1]
    problem = (
        f"{path} has dates in column {name!r} whose day and month could be either way round, as "
        f"{unclear[0]!r}: no day is past the 12th"
    )
    raise BadInput("", problem, "Write all of them with the year first, as 2024-12-31.")


def _check_has_commas(path: Location, frame: pl.DataFrame, asked: Reading) -> None:
    """Raise if a file in which numbers have points is said to have decimal commas."""
    if asked.decimal != "," or asked.thousands == ".":
        return
    texts = {name: _present(figures.plain(text), asked) for name, text in _texts(frame).items()}
    has = lambda mark: [
        (name, text)
        for name, text in texts.items()
        if name not in asked.words
        and text.str.contains(mark, literal=True).any()
        and figures.readings(text, decimal=",")
    ]
    if (points := has(".")) and not has(",") and not any(kind.is_float() for kind in frame.dtypes):
        name, text = points[0]
        raise BadInput(
            "",
            f"{path} has no number with a decimal comma, but points in column {name!r}, as "
            f"{text[0]!r}: --decimal ',' would take them away",
            "Leave it out.",
        )
