"""What a file format defines: how its files begin and end, and how tables are read and written."""

from __future__ import annotations

import abc
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ClassVar

from pairnet.core.errors import BadInput
from pairnet.tables.written.writing import PLAIN, Writing

if TYPE_CHECKING:
    import polars as pl

    from pairnet.tables.formats.scans import AbstractScan

IN_UTF8 = "Save it in that encoding (spreadsheets offer 'CSV UTF-8')."


def _unsaid(text: str) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Reading:
    """What the user says about a file that is to be read; None: what is in it tells.

    separator: in a text file, the character between values. decimal, thousands: the marks of
    numbers that are text. words: columns that hold words, even if values look like numbers or
    dates. dates: columns that must hold dates whose day and month are beyond doubt. na: words, or
    numbers, that stand for a missing value. skip: how many lines stand above the column names.
    sheet: of a workbook, its name or its number. known: how the table of the fit was written. say:
    told what was made of lines that are no rows.
    """

    separator: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    words: Collection[str] = ()
    dates: Collection[str] = ()
    na: Collection[str] = ()
    skip: int | None = None
    sheet: str | None = None
    known: Writing = PLAIN
    say: Callable[[str], None] = _unsaid


class AbstractFormat(abc.ABC):
    """A format of files that hold one table."""

    name: str
    endings: tuple[str, ...]  # of the names of its files, with the point
    begins: ClassVar[tuple[bytes, ...]] = ()  # how its files begin; text may begin with anything
    is_text: ClassVar[bool] = False  # whether people may name a separator
    is_spelled: ClassVar[bool] = False  # whether text may be numbers and dates as people write them
    has_sheets: ClassVar[bool] = False
    writes: ClassVar[bool] = True
    place: ClassVar[tuple[str, str]] = ("line", "file")  # what errors call a row's place, and where
    has_parts: ClassVar[bool] = False  # whether its files can be read in parts
    joins: ClassVar[bool] = False  # whether one file can be made of parts, see `join`

    @abc.abstractmethod
    def read(self, path: Any, reading: Reading) -> pl.DataFrame:
        """Return the table in a file; raise BadInput, or an error of polars, if there is none."""

    @abc.abstractmethod
    def write(self, frame: pl.DataFrame, file: IO[bytes]) -> None:
        """Write a table into an open file."""

    def join(self, parts: Sequence[Path], file: IO[bytes]) -> None:
        """Write the rows of several Parquet files into an open file, in memory for a few of them.

        Formats that can do so say that they `join`.
        """
        raise NotImplementedError

    def check_writes(self) -> None:  # noqa: B027 (most formats need nothing)
        """Raise if tables cannot be written, for the lack of a package."""

    def scan(self, path: Path, reading: Reading) -> AbstractScan:
        """Return a file as one that is read in parts; raise if there is something wrong with it."""
        problem = f"{path} cannot be read in parts: {self.name} files are read whole"
        raise BadInput("", problem, "Convert it to .parquet, .feather or .csv.")

    def lines(self, path: Any, rows: Collection[int], reading: Reading) -> list[int] | None:
        """Return the lines on which rows begin, counted from 1; None if a file has no lines."""
        return None
