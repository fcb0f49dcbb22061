"""One file that is read in parts, so that it need not fit in memory."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from pairnet.core.errors import BadInput
from pairnet.tables.exact import picked

if TYPE_CHECKING:
    import polars as pl

    from pairnet.tables.formats.base import Reading

COPY = "Copy it anew from where it was written, or write it again."


class Part(NamedTuple):
    """Some rows of a file that follow one another.

    start, stop: rows or, of text, bytes. line: of text, the line on which the first row begins.
    """

    start: int
    stop: int
    line: int = 0


@dataclass(frozen=True)
class AbstractScan(abc.ABC):
    """A file whose columns are known, and whose rows are read part by part."""

    path: Path
    is_spelled: ClassVar[bool] = False  # whether text may be numbers and dates as people write them

    @property
    @abc.abstractmethod
    def types(self) -> dict[str, Any]:
        """The types of the columns, by their names; of text there are none."""

    @property
    @abc.abstractmethod
    def rows(self) -> int | None:
        """How many rows there are; None if the format does not say."""

    @abc.abstractmethod
    def parts(self, rows: int) -> list[Part]:
        """Return all parts in order, each of so many rows (of text, about so many)."""

    @abc.abstractmethod
    def read(
        self, part: Part, reading: Reading, names: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Return some rows, of them the columns of these names (None: all)."""


@dataclass(frozen=True)
class TypedScan(AbstractScan):
    """A file with types and a number of rows, of which polars can read some.

    lazily: the function of polars that plans to read a file. ends: the bytes at its end.
    """

    lazily: Callable[..., pl.LazyFrame]
    schema: dict[str, Any]
    count: int

    @classmethod
    def of(cls, path: Path, lazily: Callable[..., pl.LazyFrame], ends: bytes) -> TypedScan:
        """Look at what a file says of itself; raise if its end is missing."""
        import polars as pl

        check_end(path, ends)
        frame = lazily(path)
        schema = dict(frame.collect_schema())
        return cls(path, lazily, schema, frame.select(pl.len()).collect().item())

    @property
    def types(self):
        return self.schema

    @property
    def rows(self):
        return self.count

    def parts(self, rows):
        starts = range(0, self.count, rows)
        return [Part(start, min(start + rows, self.count)) for start in starts]

    def read(self, part, reading, names=None):
        frame = self.lazily(self.path)
        exact = names is not None and not any(map(_is_pattern, names))
        if exact:
            frame = frame.select(list(names))
        size = part.stop - part.start
        found = frame.slice(part.start, size).collect(engine="streaming")
        if found.height != size:
            problem = f"{self.path} has lost rows while it was read: expected {size:,} from row "
            raise BadInput("", f"{problem}{part.start:,} on, got {found.height:,}", "Start again.")
        return found if exact or names is None else picked(found, names)


def check_end(path: Path, ends: bytes) -> None:
    """Raise if a file does not end as its format does: it was not written or copied whole."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - len(ends)))
        if file.read() != ends:
            ending = path.suffix[1:]
            problem = f"{path} cannot be read as {ending}: it ends early, or is no {ending} file"
            raise BadInput("", problem, COPY)


def _is_pattern(name: str) -> bool:
    """Tell whether polars would take a name for a pattern of several names."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))
