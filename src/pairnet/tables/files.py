"""Tables in files: the ending of a name tells the format (see `formats/`)."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from pairnet.core.errors import BadInput, listed
from pairnet.core.writing import reason, whole
from pairnet.tables.formats import AbstractFormat, Reading, formats
from pairnet.tables.formats.base import IN_UTF8

if TYPE_CHECKING:
    import polars as pl

STDERR = 2
IMPOSSIBLE = '"\r\n'  # as separators
LONGEST = 200  # letters of another library's words
BEGINNING = 1000  # bytes of an unreadable file that are looked at to tell why


def read_table(
    path: Path,
    separator: str | None = None,
    words: Collection[str] = (),
    dates: Collection[str] = (),
    decimal: str = ".",
) -> pl.DataFrame:
    """Return the table in a file; raise if something is wrong with the file.

    separator, decimal: in a text file, the character between values, and the decimal mark.

    words: columns that hold words, even if the values of a text file look like numbers or dates.
    dates: columns that must hold dates; in these, dates with dots have the day first, and other
    dates whose day and month cannot be told apart are an error.
    """
    import polars as pl

    file_format = format_of(path)
    _check_options(path, file_format, separator, decimal)
    _check_can_be_read(path)
    try:
        with _no_panics_shown():
            frame = file_format.read(path, Reading(separator, decimal, words, dates))
    except UnicodeDecodeError:
        raise BadInput("", f"{path} is not in UTF-8", IN_UTF8) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, MemoryError) as error:
        why = _why(path, file_format, str(error))
        ending = path.suffix.lower()[1:]
        raise BadInput("", f"{path} cannot be read as {ending}: {why}") from None
    if frame.height == 0:
        raise BadInput("", f"{path} has column names and no rows", _why_no_rows(path, file_format))
    return frame


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a table into a file, all of it or nothing."""
    import polars as pl

    file_format = format_of(path)
    with whole(path) as file:
        try:
            with _no_panics_shown():
                file_format.write(frame, file)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise _of_the_system(str(error)) from None


def format_of(path: Path) -> AbstractFormat:
    """Return the format that the ending of a name tells, or raise with all endings."""
    by_ending = {ending: kind for kind in formats.values() for ending in kind.endings}
    if path.suffix.lower() in by_ending:
        return by_ending[path.suffix.lower()]
    endings = listed(list(by_ending), "or")
    raise BadInput("", f"{path} must end in {endings}: the ending says the format")


def check_ending(path: Path) -> str:
    """Return the ending of a table's name, or raise with all endings."""
    format_of(path)
    return path.suffix.lower()


def is_text(path: Path) -> bool:
    """Tell whether a file is text, with a separator and decimals that people may name."""
    return format_of(path).is_text


def lines_of(path: Path, rows: Collection[int], separator: str | None = None) -> list[int] | None:
    """Return the lines of a file on which rows begin, or None if the format has no lines.

    They are counted as editors do: row 0 is on line 2, if no column name has line breaks.
    """
    return format_of(path).lines(path, rows, separator)


def _check_options(
    path: Path, file_format: AbstractFormat, separator: str | None, decimal: str
) -> None:
    """Raise if a separator or decimal mark is impossible, or the file's format does not need it."""
    if separator is not None and (len(separator.encode()) != 1 or separator in IMPOSSIBLE):
        raise BadInput("", f"--separator must be one plain character, as ';', got {separator!r}")
    if decimal not in (".", ","):
        raise BadInput("", f"--decimal must be '.' or ',', got {decimal!r}")
    if not file_format.is_text and (separator is not None or decimal != "."):
        problem = f"--separator and --decimal are for text files; {path} needs neither"
        raise BadInput("", problem, "Leave them out.")


def _check_can_be_read(path: Path) -> None:
    try:
        if not path.is_file():
            is_folder = "a folder, not a file," if path.is_dir() else "no file"
            raise BadInput("", f"There is {is_folder} at {path}")
        with path.open("rb") as file:
            is_empty = not file.read(1)
    except OSError as error:
        problem = f"{path} cannot be read: {reason(error)}"
        raise BadInput("", problem) from None
    if is_empty:
        problem = f"{path} is empty: expected a table with a line of column names and rows"
        raise BadInput("", problem)


def _why(path: Path, file_format: AbstractFormat, error: str) -> str:
    """Write why a file could not be read, in our own words if we have some."""
    if "more fields" in error:
        return "some rows have more values than there are column names"
    if not file_format.begins:
        return _first_line(error)
    with path.open("rb") as file:
        start = file.read(BEGINNING)
    if any(start.startswith(beginning) for kind in formats.values() for beginning in kind.begins):
        return "it is damaged or incomplete, copy it anew"
    if b"\0" in start:
        return "it is of another format"
    return "it holds text; if that is a table, let its name end in .csv"


def _why_no_rows(path: Path, file_format: AbstractFormat) -> str:
    with path.open("rb") as file:
        start = file.read(BEGINNING)
    if file_format.is_text and b"\r" in start and b"\n" not in start:
        return "Its lines end with CR alone, as long ago on a Mac: save it with other line ends."
    return ""


def _of_the_system(error: str) -> OSError:
    """Return the error of the system that another library tells of."""
    number = re.search(r"\(os error (\d+)\)", error)
    return OSError(int(number[1]), error) if number else OSError(_first_line(error))


def _first_line(error: str) -> str:
    return shorten((error.strip().splitlines() or ["for an unknown reason"])[0], LONGEST)


@contextmanager
def _no_panics_shown() -> Iterator[None]:
    """Keep polars from writing on the terminal where it fails on a damaged file; it raises, too."""
    try:
        shown = os.dup(STDERR)
    except OSError:  # there is no terminal
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        sys.stderr.flush()
        os.dup2(nowhere, STDERR)
        yield
    finally:
        os.dup2(shown, STDERR)
        os.close(shown)
        os.close(nowhere)
