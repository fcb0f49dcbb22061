"""A text file that is read in parts: where its rows begin and end, and parts that end with rows.

A line break inside quotes ends no row. So quotes are counted from the beginning of the file, and a
part ends where their number is even.
"""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, ClassVar

from pairnet.core.errors import BadInput
from pairnet.tables.exact import picked
from pairnet.tables.formats.scans import COPY, AbstractScan, Part
from pairnet.tables.formats.text import Text

if TYPE_CHECKING:
    import polars as pl

    from pairnet.tables.formats.base import Reading

BEGINNING = 2**20  # bytes that tell where the table begins
END = 2**14  # bytes that tell where it ends
CHUNK = 2**20  # bytes that are looked at at a time
LONGEST = 2**26  # bytes of a row


@dataclass(frozen=True)
class TextScan(AbstractScan):
    """A text file, of which each part is read with the line of names before it.

    names: the text of that line, which takes so many `lines`. start, stop: the bytes of the rows.
    per_row: bytes of a row, by the first ones. frame: the function that reads a text.
    """

    names: Text
    lines: int
    start: int
    stop: int
    per_row: float
    frame: Callable[[Text, Reading], pl.DataFrame]
    is_spelled: ClassVar[bool] = True

    @classmethod
    def of(
        cls,
        path: Path,
        reading: Reading,
        usual: str | None,
        frame: Callable[[Text, Reading], pl.DataFrame],
    ) -> TextScan:
        """Find the line of names and the rows below it; raise if the last row is cut off."""
        size = path.stat().st_size
        first, last = _both_ends(path, size)
        begun = Text.begun(path, first, reading, usual)
        head = begun.with_names_of_rows(reading)
        lines = head.lines_of_names()
        kept = _first_lines(head.content, lines)
        start = len(_first_lines(first, begun.line - 1 + lines))
        if start >= size:
            raise BadInput("", f"{path} has column names and no rows")
        stop = size - _of_footers(begun, first, last, size, reading)
        names = dataclasses.replace(head, content=kept)
        _check_last(path, last[: len(last) - (size - stop)], names)
        below = first[start:]
        per_row = len(below) / max(1, below.count(b"\n"))
        return cls(path, names, lines, start, stop, per_row, frame)

    @property
    def types(self):
        return dict.fromkeys(self.names.names())

    @property
    def rows(self):
        return None

    def parts(self, rows):
        size = max(1, int(rows * self.per_row))
        parts, begin, line = [], self.start, self.names.line + self.lines
        with self.path.open("rb") as file:
            for end, breaks in _ends(file, self.start, self.stop, size, self.path):
                parts.append(Part(begin, end, line))
                begin, line = end, line + breaks
        return parts

    def read(self, part, reading, names=None):
        with self.path.open("rb") as file:
            file.seek(part.start)
            rows = file.read(part.stop - part.start)
        content = self.names.content + rows
        text = dataclasses.replace(self.names, content=content, line=part.line - self.lines)
        found = self.frame(text, reading)
        return found if names is None else picked(found, names)

    def lines_of(self, part: Part, rows: list[int]) -> list[int]:
        """Return the lines of the file on which rows of a part begin."""
        with self.path.open("rb") as file:
            file.seek(part.start)
            content = self.names.content + file.read(part.stop - part.start)
        line = part.line - self.lines
        return dataclasses.replace(self.names, content=content, line=line).lines(rows)


def _both_ends(path: Path, size: int) -> tuple[bytes, bytes]:
    """Return the first lines of a file, and its last ones; of a small file all of it, twice."""
    with path.open("rb") as file:
        first = file.read(BEGINNING)
        if len(first) == size:
            return first, first
        file.seek(size - END)
        last = file.read()
    return first[: first.rfind(b"\n") + 1] or first, last[last.find(b"\n") + 1 :]


def _first_lines(content: bytes, count: int) -> bytes:
    """Return so many lines of a text, with their ends."""
    lines = io.BytesIO(content)
    return b"".join(lines.readline() for _ in range(count))


def _of_footers(begun: Text, first: bytes, last: bytes, size: int, reading: Reading) -> int:
    """Return how many bytes at the end of a file are footers, which are said."""
    is_whole = len(first) == size
    text = begun if is_whole else dataclasses.replace(begun, content=begun.content + last)
    quiet = dataclasses.replace(reading, say=lambda _: None)
    cut = len(text.content) - len(text.without_footers(quiet).content)
    if cut:
        between = 0 if is_whole else _breaks(text.path, len(first), size - len(last))
        dataclasses.replace(text, line=text.line + between).without_footers(reading)
    return cut


def _breaks(path: Path, start: int, stop: int) -> int:
    """Return the number of line breaks between two places of a file."""
    count = 0
    with path.open("rb") as file:
        file.seek(start)
        while start < stop and (chunk := file.read(min(CHUNK, stop - start))):
            count, start = count + chunk.count(b"\n"), start + len(chunk)
    return count


def _check_last(path: Path, last: bytes, names: Text) -> None:
    """Raise if the last row has no end and fewer values than there are names: it is cut off."""
    if last.endswith(b"\n") or not (line := last[last.rfind(b"\n") + 1 :].strip()):
        return
    if line.count(b'"') % 2:
        return  # the end of a text that begins above: reading it tells
    found = dataclasses.replace(names, content=line).first(1)
    count, wanted = len(found[0]) if found else 0, len(names.names())
    if count < wanted:
        problem = f"{path} ends early: its last line has {count} of {wanted} values"
        raise BadInput("", problem, COPY)


def _ends(
    file: IO[bytes], start: int, stop: int, size: int, path: Path
) -> Iterator[tuple[int, int]]:
    """Yield where parts of about so many bytes end, and how many line breaks each has."""
    file.seek(start)
    place, target, is_open, breaks, begun = start, start + size, False, 0, start
    while place < stop:
        chunk = file.read(min(CHUNK, stop - place))
        if not chunk:
            raise BadInput("", f"{path} has become shorter while it was read", "Start again.")
        at = 0
        while at < len(chunk):
            near = max(at, target - place - 1)
            cut = chunk.find(b"\n", near) + 1 or len(chunk)
            is_open ^= chunk.count(b'"', at, cut) % 2 == 1
            breaks += chunk.count(b"\n", at, cut)
            ends = cut > near and chunk[cut - 1 : cut] == b"\n" and not is_open
            at = cut
            if ends and place + at < stop:
                yield place + at, breaks
                begun, target, breaks = place + at, place + at + size, 0
        place += len(chunk)
        if place - begun > size + LONGEST:
            problem = f'{path} has a quote (") that is never closed, from byte {begun:,} on'
            raise BadInput("", problem, "Remove it, or close it where the text ends.")
    if begun < stop:
        yield stop, breaks
