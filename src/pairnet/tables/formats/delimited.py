"""Text with a character between values: CSV and TSV."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from pairnet.core.errors import BadInput
from pairnet.tables.formats import local
from pairnet.tables.formats.base import AbstractFormat
from pairnet.tables.spelling import has_commas, is_local_date

if TYPE_CHECKING:
    import polars as pl

SEPARATORS = (";", "\t", "|", ",")
# rows that tell the types of columns: all rows of a large file would take minutes
FIRST_ROWS = 10_000
PEEK = 20  # rows that are looked at for decimal commas
FOR_MISSING = [
    "NA",
    "null",
    "NULL",
]  # what programs write for a missing value, beside nothing at all


@dataclass(frozen=True)
class Delimited(AbstractFormat):
    """Text with a line of column names, and a character between values."""

    name: str
    endings: tuple[str, ...]
    separator: str  # the usual one of files with this ending
    is_text: ClassVar[bool] = True

    def read(self, path, reading):
        import polars as pl

        separator = reading.separator or self.separator
        names = _names(path, separator)
        if len(names) == 1:
            _check_separator(path, names[0], separator, reading.decimal)
        commas = reading.decimal == ","
        options = {"separator": separator, "null_values": FOR_MISSING, "decimal_comma": commas}
        read = partial(pl.read_csv, path, **options)
        frame = _typed(read, [name for name in reading.words if name in names])
        if commas:
            frame = _without_points(path, frame, read, reading.words)
        frame = frame.with_columns(map(local.with_century, filter(local.is_short, frame)))
        return _without_doubt(path, frame, read, reading.dates)

    def write(self, frame, file):
        frame.write_csv(file, separator=self.separator)

    def lines(self, path, rows, separator):
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, delimiter=separator or self.separator)
            names = next((names for names in reader if names), [])  # empty lines are skipped
            begins = [reader.line_num + 1] if names else []
            begins += (reader.line_num + 1 for _ in itertools.islice(reader, max(rows)))
        return [begins[row] for row in rows]


CSV = Delimited("csv", (".csv",), ",")
TSV = Delimited("tsv", (".tsv",), "\t")


def _names(path: Path, separator: str) -> list[str]:
    """Return the names in the first line; raise if two columns have the same name."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        names = next(csv.reader(file, delimiter=separator), [])
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        some = ", ".join(map(repr, twice[:5]))
        problem = f"{path} has several columns of the same name: {some}"
        raise BadInput("", problem, "Rename or remove them.")
    return names


def _check_separator(path: Path, name: str, separator: str, decimal: str) -> None:
    """Raise if the only column's name looks like several names; say which options help."""
    other = max(SEPARATORS, key=name.count)
    if other == separator or other not in name:
        return
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(itertools.islice(csv.reader(file, delimiter=other), 1, 1 + PEEK))
    commas = decimal != "," and any(has_commas(value) for row in rows for value in row)
    too, option = (", and to have decimal commas", " --decimal ','") if commas else ("", "")
    raise BadInput(
        "",
        f"{path} has one column, called {name[:60]!r}: its values seem to be separated by "
        f"{other!r}, not {separator!r}{too}",
        f"Say --separator {other!r}{option}.",
    )


def _typed(read: Callable[..., pl.DataFrame], words: Collection[str]) -> pl.DataFrame:
    """Read a file with the types of its columns.

    The first rows tell the types or, if they do not, all rows.
    """
    import polars as pl

    read = partial(read, try_parse_dates=True, schema_overrides=dict.fromkeys(words, pl.String))
    try:
        frame = read(infer_schema_length=FIRST_ROWS)
    except pl.exceptions.ComputeError:  # a later value is of another kind, or more is wrong
        return read(infer_schema_length=None)
    texts = [column for column in frame if column.dtype == pl.String]
    begins_late = lambda text: text[:FIRST_ROWS].is_null().all() and not text.is_null().all()
    return read(infer_schema_length=None) if any(map(begins_late, texts)) else frame


def _without_points(
    path: Path, frame: pl.DataFrame, read: Callable[..., pl.DataFrame], words: Collection[str]
) -> pl.DataFrame:
    """Read numbers with points between thousands, in a file that has decimal commas.

    In a file without decimal commas, 1.234 does not mean 1234; that is an error.
    """
    pointed = [column for column in frame if column.name not in words and local.has_points(column)]
    if pointed and not any(map(local.has_decimal_comma, read(infer_schema=False))):
        raise BadInput(
            "",
            f"{path} has no number with a decimal comma, but points in column {pointed[0].name!r}, "
            f"as {pointed[0].drop_nulls()[0]!r}: --decimal ',' would take them away",
            "Leave it out.",
        )
    return frame.with_columns(map(local.without_points, pointed))


def _without_doubt(
    path: Path, frame: pl.DataFrame, read: Callable[..., pl.DataFrame], dates: Collection[str]
) -> pl.DataFrame:
    """Return a table whose dates are beyond doubt: doubtful ones stay text.

    In columns that must hold dates (`dates`), those with dots have the day first; others whose day
    and month could be swapped are an error.
    """
    in_doubt = [column.name for column in frame if local.is_in_doubt(column)]
    if not in_doubt:
        return frame
    texts = [
        column
        for column in read(columns=in_doubt, infer_schema=False)
        if is_local_date(column.drop_nulls()[0])
    ]
    for column in texts:
        unclear = local.without_dots(column)
        if column.name in dates and len(unclear):
            raise BadInput(
                "",
                f"{path} has dates in column {column.name!r} whose day and month could be either "
                f"way round, as {unclear[0]!r}: no day is past the 12th",
                "Write all of them with the year first, as 2024-12-31.",
            )
    return frame.with_columns(column for column in texts if column.name not in dates)
