"""Text with a character between values: CSV and TSV."""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pairnet.core.errors import BadInput
from pairnet.tables.exact import by_name, replaced
from pairnet.tables.formats import local, quotes
from pairnet.tables.formats.base import IN_UTF8, AbstractFormat
from pairnet.tables.spelling import has_commas, is_local_date

if TYPE_CHECKING:
    import polars as pl

SEPARATORS = (";", "\t", "|", ",")
# rows that tell the types of columns: all rows of a large file would take minutes
FIRST_ROWS = 10_000
LONGEST_FIELD = 2**31 - 1  # letters
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
        if any('"' in name for name in names):  # polars may take one that is not closed for more
            quotes.check_closed(path, separator)
        commas = reading.decimal == ","
        options = {"separator": separator, "null_values": FOR_MISSING, "decimal_comma": commas}
        as_written = {name: name.replace('"', '""') for name in names}  # polars leaves names so
        as_meant = {written: name for name, written in as_written.items()}

        def read(schema_overrides: Mapping[str, Any] | None = None, **more: Any) -> pl.DataFrame:
            types = {as_written[name]: kind for name, kind in (schema_overrides or {}).items()}
            with path.open("rb") as file:  # a path such as a*.csv would be many files for polars
                frame = pl.read_csv(file, schema_overrides=types, **options, **more)
            frame.columns = [as_meant.get(name, name) for name in frame.columns]
            return frame

        try:
            frame = _typed(read, names, reading.words)
        except pl.exceptions.ComputeError:
            quotes.check_closed(path, separator)
            raise
        if row := quotes.swallowing(frame, separator):
            (line,) = self.lines(path, [row.position], separator)
            raise quotes.swallowed(path, line, row.lines)
        if commas:
            frame = _without_points(path, frame, read, reading.words)
        return _with_dates(path, frame, read, reading.dates)

    def write(self, frame, file):
        frame.write_csv(file, separator=self.separator)

    def lines(self, path, rows, separator):
        with _records(path, separator or self.separator) as reader:
            names = _first(reader)
            begins = [reader.line_num + 1] if names else []
            begins += (reader.line_num + 1 for _ in itertools.islice(reader, max(rows)))
        return [begins[row] for row in rows]


CSV = Delimited("csv", (".csv",), ",")
TSV = Delimited("tsv", (".tsv",), "\t")


@contextmanager
def _records(path: Path, separator: str) -> Iterator[Any]:
    """Open a file as a reader of records, whose fields may be of any length."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            yield csv.reader(file, delimiter=separator)
    finally:
        csv.field_size_limit(before)


def _names(path: Path, separator: str) -> list[str]:
    """Return the names in the first line; raise if two columns have the same name."""
    with _records(path, separator) as reader:
        names = _first(reader)
    if any("\0" in name for name in names):
        raise BadInput("", f"{path} is not in UTF-8: its first line holds NUL characters", IN_UTF8)
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        some = ", ".join(map(repr, twice[:5]))
        problem = f"{path} has several columns of the same name: {some}"
        raise BadInput("", problem, "Rename or remove them.")
    return names


def _first(reader: Iterator[list[str]]) -> list[str]:
    """Return the first record; empty lines before it are skipped."""
    return next((record for record in reader if record), [])


def _check_separator(path: Path, name: str, separator: str, decimal: str) -> None:
    """Raise if the only column's name looks like several names; say which options help."""
    other = max(SEPARATORS, key=name.count)
    if other == separator or other not in name:
        return
    with _records(path, other) as reader:
        rows = list(itertools.islice(reader, 1, 1 + PEEK))
    commas = decimal != "," and any(has_commas(value) for row in rows for value in row)
    too, option = (", and to have decimal commas", " --decimal ','") if commas else ("", "")
    raise BadInput(
        "",
        f"{path} has one column, called {name[:60]!r}: its values seem to be separated by "
        f"{other!r}, not {separator!r}{too}",
        f"Say --separator {other!r}{option}.",
    )


def _typed(
    read: Callable[..., pl.DataFrame], names: Sequence[str], words: Collection[str]
) -> pl.DataFrame:
    """Read a file with the types of its columns.

    The first rows tell the types or, if they do not, all rows. A column with a value that is not
    of the type that polars finds is text.
    """
    import polars as pl

    read = partial(read, try_parse_dates=True)
    overrides = {name: pl.String for name in words if name in names}
    try:
        frame = read(infer_schema_length=FIRST_ROWS, schema_overrides=overrides)
    except pl.exceptions.ComputeError:  # a later value is of another kind, or more is wrong
        return _typed_by_all_rows(read, names, overrides)
    texts = [column.alias("") for column in frame if column.dtype == pl.String]
    begins_late = lambda text: text[:FIRST_ROWS].is_null().all() and not text.is_null().all()
    if any(map(begins_late, texts)):
        return _typed_by_all_rows(read, names, overrides)
    return frame


def _typed_by_all_rows(
    read: Callable[..., pl.DataFrame], names: Sequence[str], overrides: dict[str, Any]
) -> pl.DataFrame:
    import polars as pl

    while True:
        try:
            return read(infer_schema_length=None, schema_overrides=overrides)
        except pl.exceptions.ComputeError as error:
            number = re.search(r"\(column number (\d+)\)", str(error))
            place = int(number[1]) - 1 if number else len(names)
            name = names[place] if place < len(names) else None  # a row may have more values
            if name is None or name in overrides:
                raise
            overrides |= {name: pl.String}


def _without_points(
    path: Path, frame: pl.DataFrame, read: Callable[..., pl.DataFrame], words: Collection[str]
) -> pl.DataFrame:
    """Read numbers with points between thousands, in a file that has decimal commas.

    In a file without decimal commas, 1.234 does not mean 1234; that is an error.
    """
    columns = by_name(frame)
    pointed = {name: text for name, text in columns.items() if local.has_points(text)}
    pointed = {name: text for name, text in pointed.items() if name not in words}
    texts = by_name(read(infer_schema=False)).values() if pointed else ()
    if pointed and not any(map(local.has_decimal_comma, texts)):
        name, text = next(iter(pointed.items()))
        raise BadInput(
            "",
            f"{path} has no number with a decimal comma, but points in column {name!r}, "
            f"as {text.drop_nulls()[0]!r}: --decimal ',' would take them away",
            "Leave it out.",
        )
    return replaced(frame, {name: local.without_points(text) for name, text in pointed.items()})


def _with_dates(
    path: Path, frame: pl.DataFrame, read: Callable[..., pl.DataFrame], dates: Collection[str]
) -> pl.DataFrame:
    """Return a table whose dates have their centuries and are beyond doubt: doubtful ones are text.

    In columns that must hold dates (`dates`), those with dots have the day first; others whose day
    and month could be swapped are an error.
    """
    columns = by_name(frame)
    has_doubt = {name for name, column in columns.items() if local.is_in_doubt(column)}
    is_short = {name for name, column in columns.items() if local.has_short_years(column)}
    places = [at for at, name in enumerate(columns) if name in has_doubt | is_short]
    if not places:
        return frame
    texts = by_name(read(columns=places, infer_schema=False))  # names could be taken for patterns
    new = {name: local.with_century(columns[name], texts[name]) for name in is_short}
    for name in has_doubt:
        text = texts[name]
        if not is_local_date(text.drop_nulls()[0]):
            continue
        unclear = local.without_dots(text)
        if name in dates and len(unclear):
            raise BadInput(
                "",
                f"{path} has dates in column {name!r} whose day and month could be either "
                f"way round, as {unclear[0]!r}: no day is past the 12th",
                "Write all of them with the year first, as 2024-12-31.",
            )
        if name not in dates:
            new[name] = text
    return replaced(frame, new)
