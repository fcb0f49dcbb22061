"""A file of text with a line of column names: where it begins and ends, and its names."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any

from pairnet.core.errors import BadInput
from pairnet.tables.formats import layout
from pairnet.tables.formats.base import IN_UTF8, Reading
from pairnet.tables.formats.packed import unpacked
from pairnet.tables.formats.separators import chosen, in_first_line

LONGEST_FIELD = 2**31 - 1  # letters
BOM = b"\xef\xbb\xbf"
NO_LINES: list[list[str]] = [[]]
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # how such a file begins
IMPORTED = '"ImportId"'  # what Qualtrics writes into each value of a line below the names
END = 4096  # bytes at the end of a file in which footers are looked for


@dataclass(frozen=True)
class Text:
    """The part of a file that is a table.

    content: it begins with the names of columns and ends with the last row. separator: the
    character between values. line: the line of the file, counted from 1, on which it begins.
    below: how many lines of the file between the names and the rows are left out.
    """

    path: Path
    content: bytes
    separator: str
    line: int = 1
    below: int = 0

    @classmethod
    def opened(cls, path: Path, reading: Reading, usual: str | None) -> Text:
        """Find the table in a file, and say which lines are no part of it.

        usual: the usual separator of such files, None: what is in it tells.
        """
        text = cls.begun(path, _in_utf8(path, unpacked(path), reading), reading, usual)
        text = text.without_questions(reading).without_footers(reading)
        return text.with_names_of_rows(reading)

    @classmethod
    def begun(cls, path: Path, content: bytes, reading: Reading, usual: str | None) -> Text:
        """Find where the table begins; its end may be missing from the content."""
        _check_is_no_print(path, content)
        told = in_first_line(content)
        if told and reading.skip is None:
            place = content.index(b"\n") + 1
            text = cls(path, content[place:], reading.separator or told, 2)
        else:
            separator = reading.separator or usual or chosen(path, content, reading.say)
            text = cls(path, content, separator)
        return text.without_title(reading)

    @contextmanager
    def records(self) -> Iterator[Any]:
        """Open the text as a reader of records, whose fields may be of any length."""
        before = csv.field_size_limit(LONGEST_FIELD)
        try:
            with io.TextIOWrapper(io.BytesIO(self.content), "utf-8-sig", newline="") as file:
                yield csv.reader(file, delimiter=self.separator)
        finally:
            csv.field_size_limit(before)

    def first(self, count: int) -> list[list[str]]:
        """Return the first records; empty lines before them are skipped."""
        with self.records() as reader:
            return list(itertools.islice(filter(None, reader), count))

    def lines_of_names(self) -> int:
        """Return how many lines the names of columns take, with empty lines above them."""
        with self.records() as reader:
            return reader.line_num if next(filter(None, reader), None) else 0

    def names(self) -> list[str]:
        """Return the names of columns; raise if two columns have the same one.

        Of several columns without a name each gets one of its own.
        """
        names = (self.first(1) or NO_LINES)[0]
        if any("\0" in name for name in names):
            problem = f"{self.path} is not in UTF-8: its first line holds NUL characters"
            raise BadInput("", problem, IN_UTF8)
        if names.count("") > 1:
            names = [name or f"column {at}" for at, name in enumerate(names, 1)]
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            some = ", ".join(map(repr, twice[:5]))
            problem = f"{self.path} has several columns of the same name: {some}"
            raise BadInput("", problem, "Rename or remove them.")
        return names

    def lines(self, rows: list[int]) -> list[int]:
        """Return the lines of the file on which rows begin."""
        with self.records() as reader:
            names: list[str] = next(filter(None, reader), [])
            begins = [reader.line_num + 1] if names else []
            begins += (reader.line_num + 1 for _ in itertools.islice(reader, max(rows)))
        return [begins[row] + self.line - 1 + self.below for row in rows]

    def without_title(self, reading: Reading) -> Text:
        """Leave out lines above the names: as many as the user says, or those of a title."""
        lines = self._lines_above() if reading.skip is None else reading.skip
        *above, content = self.content.split(b"\n", lines)
        if reading.skip and (len(above) < lines or not content.strip()):
            problem = f"--skip-rows {lines} leaves no line of {self.path}"
            raise BadInput("", problem, "It counts the lines above the names of columns.")
        if lines == 0 or len(above) < lines:
            return self
        if said := layout.said("line", [_decoded(line) for line in above], [], 0):
            reading.say(said)
        return dataclasses.replace(self, content=content, line=self.line + lines)

    def _lines_above(self) -> int:
        """Return how many lines look like a title, or are empty, above the names."""
        records: list[list[str]] = []
        above: list[int] = []
        with self.records() as reader:
            while len(records) < layout.HEAD:
                line = reader.line_num
                record = next(reader, None)
                if record is None:
                    break
                if record:
                    records.append(record)
                    above.append(line)
        return above[layout.titles(records)] if records else 0

    def without_questions(self, reading: Reading) -> Text:
        """Leave out the lines below the names in which Qualtrics writes questions and its names."""
        with self.records() as reader:
            if not next(filter(None, reader), None):
                return self
            first = reader.line_num
            second = next(reader, None), reader.line_num
            third = next(reader, None), reader.line_num
        for record, end in (second, third):
            if record and any(record) and all(IMPORTED in value for value in record if value):
                lines = self.content.split(b"\n", end)
                shown = shorten(_decoded(lines[first]), 40, placeholder=" ...")
                numbers = f"{self.line + first} to {self.line + end - 1}"
                reading.say(
                    f"Not read: lines {numbers} below the names ({shown!r}), in which Qualtrics "
                    "writes questions."
                )
                content = b"\n".join([*lines[:first], lines[end]])
                return dataclasses.replace(self, content=content, below=end - first)
        return self

    def without_footers(self, reading: Reading) -> Text:
        """Leave out those of the last lines that are footers.

        A line with a single quote is the end of a text that may begin far above.
        """
        names = len((self.first(1) or NO_LINES)[0])
        lines = [*filter(None, re.split(rb"(?<=\n)", self.content[-END:]))][1:][-layout.TAIL :]
        quoted = [at for at, line in enumerate(lines) if line.count(b'"') % 2]
        lines = lines[quoted[-1] + 1 :] if quoted else lines
        texts = [_decoded(line) for line in lines]
        below = layout.footers([_record(text, self.separator) for text in texts], names)
        if not below:
            return self
        content = self.content[: -sum(map(len, lines[-below:]))]
        first = self.line + self.below + content.count(b"\n")
        if said := layout.said("line", [], texts[-below:], first):
            reading.say(said)
        return dataclasses.replace(self, content=content)

    def with_names_of_rows(self, reading: Reading) -> Text:
        """Give a name to the first column where rows have one value more than there are names.

        So R writes tables with names of rows; they stand in quotes, or are 1, 2, 3 and so on.
        """
        names, *rows = self.first(layout.HEAD) or NO_LINES
        if not rows or len(names) < 2 or any(len(row) != len(names) + 1 for row in rows):
            return self
        starts = [line[:1] for line in itertools.islice(io.BytesIO(self.content), 1, len(rows) + 1)]
        counted = [row[0] for row in rows] == [str(at) for at in range(1, len(rows) + 1)]
        if not counted and set(starts) != {b'"'}:
            return self
        reading.say("The first values of rows are names of rows: no column has that name.")
        content = b'""' + self.separator.encode() + self.content.removeprefix(BOM)
        return dataclasses.replace(self, content=content)


def _in_utf8(path: Path, content: bytes, reading: Reading) -> bytes:
    """Return text in UTF-8; a file that begins with the mark of UTF-16 is in that encoding."""
    if not content.startswith(UTF16):
        return content
    try:
        text = content.decode("utf-16")
    except UnicodeDecodeError:
        problem = f"{path} is in UTF-16 and damaged or incomplete"
        raise BadInput("", problem, "Copy it anew.") from None
    reading.say("The file is in UTF-16.")
    return text.encode()


def _check_is_no_print(path: Path, content: bytes) -> None:
    """Raise for a table as a database's terminal prints it, with lines of dashes."""
    lines = content[:END].split(b"\n")[:5]
    if any(re.fullmatch(rb"\s*(\|)?\+?-{2,}(\+-{2,})+\+?(\|)?\s*", line) for line in lines):
        problem = f"{path} is a table as a terminal prints it, with lines of dashes"
        advice = "Export it as CSV; in psql: \\copy (select ...) to 'table.csv' csv header."
        raise BadInput("", problem, advice)


def _record(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return line.split(separator)


def _decoded(line: bytes) -> str:
    return line.decode("utf-8-sig", errors="replace").rstrip("\r\n")
