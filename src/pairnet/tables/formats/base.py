"""What a file format defines: how its files begin and end, and how tables are read and written."""

from __future__ import annotations

import abc
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    import polars as pl

IN_UTF8 = "Save it in that encoding (spreadsheets offer 'CSV UTF-8')."


@dataclass(frozen=True)
class Reading:
    """What the user says about a file that is to be read.

    separator, decimal: in a text file, the character between values (None: what its ending tells),
    and the decimal mark. words: columns that hold words, even if values look like numbers or dates.
    dates: columns that must hold dates whose day and month are beyond doubt.
    """

    separator: str | None = None
    decimal: str = "."
    words: Collection[str] = ()
    dates: Collection[str] = ()


class AbstractFormat(abc.ABC):
    """A format of files that hold one table."""

    name: str
    endings: tuple[str, ...]  # of the names of its files, with the point
    begins: ClassVar[tuple[bytes, ...]] = ()  # how its files begin; text may begin with anything
    is_text: ClassVar[bool] = False  # whether people may name a separator and decimal commas

    @abc.abstractmethod
    def read(self, path: Path, reading: Reading) -> pl.DataFrame:
        """Return the table in a file; raise BadInput, or an error of polars, if there is none."""

    @abc.abstractmethod
    def write(self, frame: pl.DataFrame, file: IO[bytes]) -> None:
        """Write a table into an open file."""

    def lines(self, path: Path, rows: Collection[int], separator: str | None) -> list[int] | None:
        """Return the lines on which rows begin, counted from 1; None if a file has no lines."""
        return None
