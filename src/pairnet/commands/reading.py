"""How commands read a file, and how they say what was made of it.

What is read in a way that needs a word is said: lines that are no rows, and values that are written
as people write them. Columns with two readings are an error as soon as they are used.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from pairnet.commands.asked import FileOptions
from pairnet.commands.wording import in_lines
from pairnet.core.errors import BadInput
from pairnet.tables import Schema
from pairnet.tables.files import check_options, read_cells
from pairnet.tables.formats import Reading
from pairnet.tables.location import Location
from pairnet.tables.source import Source, files_of, numbers_of, reading_for, scanned
from pairnet.tables.written.cells import Cells
from pairnet.tables.written.days import Days
from pairnet.tables.written.figures import PER_CENT, Figures
from pairnet.tables.written.writing import Writing, Written


class Read(NamedTuple):
    """A table as it was read, and sentences on what was made of its lines."""

    cells: Cells
    said: list[str]

    @property
    def frame(self) -> pl.DataFrame:
        """The table."""
        return self.cells.frame

    def check(self, names: Iterable[str]) -> None:
        """Raise if one of these columns can be read in two ways."""
        for name in names:
            if name in self.cells.doubts:
                raise self.cells.doubts[name]


def read(path: Location, asked: FileOptions, words: Collection[str] = ()) -> Read:
    """Read a table to learn from; words: columns whose values are names."""
    said: list[str] = []
    cells = read_cells(path, _reading(asked, said, words=words))
    if cells.writing.decimal == "," and asked.decimal is None:
        said.append("Numbers are read with decimal commas.")
    return Read(cells, said)


def read_for(schema: Schema, path: Location, asked: FileOptions) -> Read:
    """Read a table; its columns are taken for what they were in the fit, as a schema says."""
    known = schema.written
    said: list[str] = []
    cells = read_cells(path, _reading_for(schema, asked, said))
    used = [str(column.name) for column in schema.columns if column.features]
    with in_lines_of(path, asked):
        Read(cells, said).check(used)
    said += [text for name in used if (text := _unlike(path, name, cells.writing, known))]
    return Read(cells, said)


def scanned_for(schema: Schema, path: Path, asked: FileOptions) -> tuple[Source, list[str]]:
    """Return a table that is read in blocks, and sentences on what is made of its lines.

    Its columns are taken for what they were in the fit, as a schema says.
    """
    said: list[str] = []
    reading = _reading_for(schema, asked, said)
    for file in files_of(path)[:1]:
        check_options(file, reading)
    source, used = scanned(path, reading, numbers_of(schema)), schema.used
    for name in used:
        if name in source.doubts:
            raise source.doubts[name]
    first, known = source.files[0], schema.written
    said += [text for name in used if (text := _unlike(first, name, source.writing, known))]
    return source, said


def in_lines_of(
    path: Location, asked: FileOptions, positions: np.ndarray | None = None
) -> AbstractContextManager[None]:
    """Let errors name the lines of a file instead of rows; see `in_lines`."""
    return in_lines(path, asked.separator, positions, asked.skip_rows, asked.sheet)


def _reading(asked: FileOptions, said: list[str], **more) -> Reading:
    na = [word for word in map(str.strip, asked.na.split(",")) if word]
    options = {
        "separator": asked.separator,
        "decimal": asked.decimal,
        "thousands": asked.thousands,
        "skip": asked.skip_rows,
        "sheet": asked.sheet,
        "na": na,
    }
    return Reading(**options | more, say=said.append)


def _reading_for(schema: Schema, asked: FileOptions, said: list[str]) -> Reading:
    """Return how a table is read whose columns are to be what they were in the fit."""
    own = reading_for(schema, asked.na.split(","))
    of_fit = {"words": own.words, "dates": own.dates, "known": own.known, "na": own.na}
    return _reading(asked, said, **of_fit)


def _is_share(way: Figures | Days | None) -> bool:
    return isinstance(way, Figures) and way.unit == PER_CENT


def _unlike(path: Location, name: str, now: Writing, fit: Writing) -> str:
    """Say how a column is written otherwise than in the fit, or nothing; raise for other units."""
    here, there = now.columns.get(name, Written()), fit.columns.get(name, Written())
    way, before = here.way, there.way
    if way == before or (way is None and not _is_share(before)):
        return ""
    units = [one.unit for one in (way, before) if isinstance(one, Figures) and one.unit]
    if len({*units}) > 1:
        problem = f"{path} has {units[0]!r} in column {name!r}, where the fit had {units[1]!r}"
        raise BadInput("", problem, "Convert it to the unit of the fit.")
    was = f"in the fit {there.about()}" if before else "the fit had plain values"
    is_now = f"here {here.about()}" if way else "values are read as they are"
    return f"Column {name!r}: {is_now}; {was}."
