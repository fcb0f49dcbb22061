"""Tables in files: the ending of a name says the format (see `formats/`)."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from pairnet.core.errors import BadInput, listed
from pairnet.core.writing import whole
from pairnet.tables.formats import AbstractFormat, Reading, formats

if TYPE_CHECKING:
    import polars as pl

BEGINNING = 1000  # bytes of a file that are looked at where it cannot be read


def read_table(
    path: Path,
    separator: str | None = None,
    words: Collection[str] = (),
    dates: Collection[str] = (),
    decimal: str = ".",
) -> pl.DataFrame:
    """Return the table in a file, or say what is wrong with the file.

    separator, decimal: what a text file has between values, and before the decimals of numbers.

    words: columns that hold words, even where a text file's values look like numbers or dates.
    dates: columns that must hold dates; such whose day and month could be either way round are an
    error, those with dots have the day first.
    """
    import polars as pl

    file_format = format_of(path)
    _check_options(path, file_format, separator, decimal)
    _check_exists(path)
    try:
        frame = file_format.read(path, Reading(separator, decimal, words, dates))
    except UnicodeDecodeError:
        advice = "save it in that encoding (spreadsheets offer 'CSV UTF-8')"
        raise BadInput("", f"{path} is not in UTF-8: {advice}") from None
    except pl.exceptions.PolarsError as error:
        why = _why(path, file_format, str(error))
        ending = path.suffix.lower()[1:]
        raise BadInput("", f"{path} cannot be read as {ending}: {why}") from None
    if frame.height == 0:
        raise BadInput("", f"{path} has column names and no rows")
    return frame


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a table into a file, all of it or nothing."""
    file_format = format_of(path)
    with whole(path) as file:
        file_format.write(frame, file)


def format_of(path: Path) -> AbstractFormat:
    """Return the format that the ending of a name says, or say which endings there are."""
    by_ending = {ending: each for each in formats.values() for ending in each.endings}
    if path.suffix.lower() in by_ending:
        return by_ending[path.suffix.lower()]
    known = listed(list(by_ending), "or")
    raise BadInput("", f"{path} must end in {known}: the ending says the format")


def check_ending(path: Path) -> str:
    """Return the ending of a table's name, or say which ones there are."""
    format_of(path)
    return path.suffix.lower()


def is_text(path: Path) -> bool:
    """Tell a text file, whose separator and decimals people may name."""
    return format_of(path).is_text


def lines_of(path: Path, rows: Collection[int], separator: str | None = None) -> list[int] | None:
    """Return the lines of a file where rows begin, or None if its rows are not on lines.

    They are counted as editors do: 2 is row 0, if no name of a column has line breaks.
    """
    return format_of(path).lines(path, rows, separator)


def _check_options(
    path: Path, file_format: AbstractFormat, separator: str | None, decimal: str
) -> None:
    """Raise for a separator or a decimal mark that cannot be, or that such a file does not need."""
    if separator is not None and len(separator) != 1:
        raise BadInput("", f"--separator must be one character, as ';', got {separator!r}")
    if decimal not in (".", ","):
        raise BadInput("", f"--decimal must be '.' or ',', got {decimal!r}")
    if not file_format.is_text and (separator is not None or decimal != "."):
        problem = f"--separator and --decimal are for text files; {path} needs neither"
        raise BadInput("", problem, "Leave them out.")


def _check_exists(path: Path) -> None:
    if not path.is_file():
        raise BadInput("", f"There is no file {path}")
    if path.stat().st_size == 0:
        problem = f"{path} is empty: expected a table with a line of column names and rows"
        raise BadInput("", problem)


def _why(path: Path, file_format: AbstractFormat, error: str) -> str:
    """Say why a file could not be read, in our own words where we have some."""
    if "more fields" in error:
        return "some rows have more values than there are column names"
    if not file_format.begins:
        return error.strip().splitlines()[0]
    with path.open("rb") as file:
        start = file.read(BEGINNING)
    if any(start.startswith(beginning) for each in formats.values() for beginning in each.begins):
        return "it is damaged or incomplete, copy it anew"
    if b"\0" in start:
        return "it is of another format"
    return "it holds text; if that is a table, let its name end in .csv"
