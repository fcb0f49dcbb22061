"""Quotes that stand where they should not: one that opens by mistake swallows the rows below it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pairnet.core.errors import BadInput
from pairnet.tables.exact import by_name
from pairnet.tables.spelling import has_commas, is_local_date, spells_number

if TYPE_CHECKING:
    import polars as pl

FIELD = r'(?:"[^"]*(?:""[^"]*)*"|[^"{0}\r\n]*)'
OFTEN = 20  # where each word of a column stands so often, other words are unlike them
ADVICE = "Remove it, or close it where the text ends."


class Swallowing(NamedTuple):
    """A row with a text that holds other rows."""

    position: int
    lines: int  # of the text


def check_closed(path: Path, content: bytes, separator: str, first: int = 1) -> None:
    """Raise for the first quote that stands inside a value, or is never closed.

    first: the line of the file on which its content begins.
    """
    text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    field = FIELD.format(re.escape(separator))
    record = re.compile(f"{field}(?:{re.escape(separator)}{field})*(?:\r\n|\n|\r|$)")
    place = 0
    while place < len(text):
        found = record.match(text, place)
        if not found:
            line = text.count("\n", 0, place) + first
            problem = f'{path} has a quote (") in line {line} inside a value, or one never closed'
            raise BadInput("", problem, ADVICE)
        place = max(found.end(), place + 1)


def swallowing(frame: pl.DataFrame, separator: str) -> Swallowing | None:
    """Return the first row with a text in quotes whose lines look like rows, or None."""
    import polars as pl

    columns = by_name(frame)
    texts = [name for name, column in columns.items() if column.dtype == pl.String]
    long = {name: _may_hold_rows(columns[name], separator, frame.width) for name in texts}
    if not any(map(len, long.values())):
        return None
    fits = [_fit(column) for column in columns.values()]
    found = [
        Swallowing(row, text.count("\n"))
        for name, rows in long.items()
        for row, text in ((row, columns[name][row]) for row in rows)
        if _are_rows(text, frame.columns.index(name), separator, fits)
    ]
    return min(found, default=None)


def swallowed(path: Path, line: int, lines: int) -> BadInput:
    """Return the error for a quote that swallows rows."""
    count = "in the next line" if lines == 1 else f"{lines} lines further down"
    problem = f'{path} has a quote (") that opens in line {line} and closes {count}'
    return BadInput("", f"{problem}: what is between looks like rows, which would be lost", ADVICE)


def _may_hold_rows(texts: pl.Series, separator: str, width: int) -> list[int]:
    """Return the rows whose text has line breaks, and separators enough for a row."""
    breaks = texts.str.contains("\n", literal=True)
    separators = texts.str.count_matches(separator, literal=True)
    return (breaks & (separators >= width - 1)).fill_null(False).arg_true().to_list()


Fit = Callable[[str], bool | None]  # True: just like others of the column; False: unlike them


def _fit(column: pl.Series) -> Fit:
    """Return the function that tells whether a text fits into a column; None where none tells."""
    import polars as pl

    if column.dtype.is_numeric():
        return lambda text: spells_number(text) or has_commas(text)
    if column.dtype.is_temporal():
        return lambda text: is_local_date(text) or bool(re.match(r"\s*\d{4}-\d\d-\d\d", text))
    if column.dtype == pl.Boolean:
        return lambda text: text.strip().lower() in ("true", "false")
    words = set(column.drop_nulls().unique().to_list())
    unlike = None if OFTEN * len(words) > len(column) else False
    return lambda text: True if 2 * len(words) <= len(column) and text in words else unlike


def _are_rows(text: str, at: int, separator: str, fits: Sequence[Fit]) -> bool:
    """Tell whether lines of a text, which stands in the column `at`, look like rows.

    Most do, or several whole lines do in more than one column.
    """
    lines = re.split("\r\n|\r|\n", text)
    first, *others = (line.split(separator) if line else [] for line in lines)
    *inner, last = others
    whole = [_alike(values, fits) for values in inner]
    parts = (_alike(first[1:], fits[at + 1 :]), _alike(last[:-1], fits[:at]))
    like_rows = sum(map(bool, (*whole, *parts)))
    return 2 * like_rows > len(whole) + len(parts) or sum(count > 1 for count in whole) > 1


def _alike(values: Sequence[str], fits: Sequence[Fit]) -> int:
    """Return how many values are just like their columns; 0 if some is unlike, or one too many."""
    if len(values) != len(fits):
        return 0
    judged = [fit(value) for value, fit in zip(values, fits, strict=True) if value.strip()]
    return 0 if False in judged else judged.count(True)
