"""Tables in files: the ending of a name tells the format (see `formats/`)."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from pairnet.core.errors import BadInput, listed
from pairnet.core.writing import reason, whole
from pairnet.tables.formats import AbstractFormat, Reading, formats
from pairnet.tables.formats.base import IN_UTF8
from pairnet.tables.location import Location, Query
from pairnet.tables.written.cells import Cells, understood, without_codes
from pairnet.tables.written.writing import Writing

if TYPE_CHECKING:
    import polars as pl

STDERR = 2
IMPOSSIBLE = '"\r\n'  # as separators
LONGEST = 200  # letters of another library's words
BEGINNING = 1000  # bytes of an unreadable file that are looked at to tell why


def read_table(
    path: Location,
    separator: str | None = None,
    words: Collection[str] = (),
    dates: Collection[str] = (),
    decimal: str | None = None,
    **more: Any,
) -> pl.DataFrame:
    """Return the table in a file; raise if something is wrong with the file.

    Options are those of `Reading`. Columns that can be read in two ways are text.
    """
    asked = Reading(separator=separator, words=words, dates=dates, decimal=decimal, **more)
    return read_cells(path, asked).frame


def read_cells(path: Location, asked: Reading) -> Cells:
    """Return the table in a file, how it was written, and which columns have two readings.

    Of formats that have types only the codes for missing values are looked for.
    """
    file_format = format_of(path)
    check_options(path, asked)
    if isinstance(path, Path):
        _check_can_be_read(path)
    read = lambda reading: _read(path, file_format, reading)
    if file_format.is_spelled:
        return understood(path, read, asked, file_format.is_text)
    return Cells(without_codes(read(asked), asked.na), Writing(na=tuple(asked.na)), {})


def _read(path: Location, file_format: AbstractFormat, asked: Reading) -> pl.DataFrame:
    """Return the table in a file as its format has it; raise for a file that has none."""
    if isinstance(path, Query):  # which words its own errors
        return path.kind.read(path, asked)
    with in_words(path):
        frame = file_format.read(path, asked)
    if frame.height == 0:
        raise BadInput("", f"{path} has column names and no rows", _why_no_rows(path, file_format))
    return frame


@contextmanager
def in_words(path: Path) -> Iterator[None]:
    """Let errors of reading a file say in our words what is wrong with it."""
    import polars as pl

    try:
        with _no_panics_shown():
            yield
    except UnicodeDecodeError:
        raise BadInput("", f"{path} is not in UTF-8", IN_UTF8) from None
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, MemoryError) as error:
        why = _why(path, format_of(path), str(error))
        raise BadInput("", f"{path} cannot be read as {_ending(path)[1:]}: {why}") from None


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a table into a file, all of it or nothing."""
    import polars as pl

    file_format = format_of(path, writes=True)
    with whole(path) as file:
        try:
            with _no_panics_shown():
                file_format.write(frame, file)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise _of_the_system(str(error)) from None


def format_of(path: Location, writes: bool = False) -> AbstractFormat:
    """Return the format that the ending of a name tells, or raise with all endings.

    writes: whether only formats count that can be written.
    """
    if isinstance(path, Query):
        return path.kind
    known = [kind for kind in formats.values() if kind.writes or not writes]
    by_ending = {ending: kind for kind in known for ending in kind.endings}
    ending = _ending(path)
    if ending in by_ending:
        return by_ending[ending]
    endings = listed(list(by_ending), "or")
    raise BadInput("", f"{path} must end in {endings}: the ending says the format")


def check_ending(path: Path) -> str:
    """Return the ending of a table's name, or raise with all endings."""
    format_of(path)
    return _ending(path)


def check_writes(path: Path) -> None:
    """Raise, before any work, if a table of this name could not be written."""
    format_of(path, writes=True).check_writes()


def is_text(path: Location) -> bool:
    """Tell whether a file is text, with a separator that people may name."""
    return format_of(path).is_text


def is_spelled(path: Location) -> bool:
    """Tell whether a file may have text that spells numbers and dates as people write them."""
    return format_of(path).is_spelled


def lines_of(
    path: Location, rows: Collection[int], separator: str | None = None, **more: Any
) -> list[int] | None:
    """Return the lines of a file on which rows begin, or None if the format has no lines.

    They are counted as editors do: row 0 is on line 2, if no column name has line breaks. Options
    are those of `Reading`.
    """
    return format_of(path).lines(path, rows, Reading(separator=separator, **more))


def place_of(path: Location) -> tuple[str, str]:
    """Return what the place of a row is called, and what it is a place in: a line of the file."""
    return format_of(path).place


def _ending(path: Path) -> str:
    """Return the ending of a name, of a compressed file with the one before it: .csv.gz."""
    *_, before, last = ("", "", *path.suffixes)
    ending = before + last if last.lower() in (".gz", ".zst") else last
    return ending.lower()


def check_options(path: Location, asked: Reading) -> None:
    """Raise if an option is impossible, or the file's format does not need it."""
    file_format, separator = format_of(path), asked.separator
    if separator is not None and (len(separator.encode()) != 1 or separator in IMPOSSIBLE):
        raise BadInput("", f"--separator must be one plain character, as ';', got {separator!r}")
    if asked.decimal not in (None, ".", ","):
        raise BadInput("", f"--decimal must be '.' or ',', got {asked.decimal!r}")
    _check_thousands(asked)
    is_odd = not file_format.is_text and separator is not None
    if is_odd or (not file_format.is_spelled and asked.decimal not in (None, ".")):
        problem = f"--separator and --decimal are for text files; {path} needs neither"
        raise BadInput("", problem, "Leave them out.")
    has_lines = file_format.is_text or file_format.has_sheets
    for option, is_said, fits in (
        ("--thousands", asked.thousands is not None, file_format.is_spelled),
        ("--skip-rows", asked.skip is not None, has_lines),
        ("--sheet", asked.sheet is not None, file_format.has_sheets),
    ):
        if is_said and not fits:
            raise BadInput("", f"{option} means nothing for {path}", "Leave it out.")


def _check_thousands(asked: Reading) -> None:
    marks = (".", ",", " ", "'")
    if asked.thousands is not None and asked.thousands not in marks:
        problem = f"--thousands must be one of {listed([*map(repr, marks)], 'or')}"
        raise BadInput("", f"{problem}, got {asked.thousands!r}")
    if asked.thousands is not None and asked.thousands == asked.decimal:
        raise BadInput(
            "", f"--thousands and --decimal are both {asked.decimal!r}: they must differ"
        )


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
    try:
        with path.open("rb") as file:
            start = file.read(BEGINNING)
    except OSError as gone:
        return reason(gone)
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
