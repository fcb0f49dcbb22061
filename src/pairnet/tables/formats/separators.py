"""The character between the values of a text file: what its ending and its first lines say."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from pairnet.core.errors import BadInput
from pairnet.tables.formats import layout
from pairnet.tables.spelling import has_commas

SEPARATORS = (";", "\t", "|", ",")
NAMES = {"\t": "tabs", " ": "spaces", ";": "semicolons", ",": "commas", "|": "the character |"}
BEGINNING = 2**16  # bytes that are looked at
MOST = 0.9  # of the lines that must have as many values as the line of names


def in_first_line(content: bytes) -> str:
    """Return the separator that a first line `sep=;` tells, as Excel writes it, or nothing."""
    found = re.match(rb"(?:\xef\xbb\xbf)?\"?sep=(.)\"?\r?\n", content[:20], re.DOTALL)
    return found[1].decode("latin-1") if found else ""


def chosen(path: Path, content: bytes, say: Callable[[str], None]) -> str:
    """Return the separator of a file whose ending tells none, as .txt; raise if two would do."""
    text = content[:BEGINNING].decode("utf-8-sig", errors="replace")
    if len(content) > BEGINNING:
        text = text[: text.rfind("\n") + 1]
    records = {separator: _records(text, separator) for separator in (*SEPARATORS, " ")}
    columns = {separator: _columns(lines) for separator, lines in records.items()}
    if max(columns.values()) < 2:  # perhaps below a title
        titled = {s: lines[layout.titles(lines[: layout.HEAD]) :] for s, lines in records.items()}
        columns = {separator: _columns(lines) for separator, lines in titled.items()}
    possible = {separator: count for separator, count in columns.items() if count > 1}
    if len(possible) > 1:
        possible.pop(" ", None)
    if len(possible) > 1:
        ways = " or ".join(f"--separator {separator!r} ({n})" for separator, n in possible.items())
        problem = f"{path} can be read in two ways, with different numbers of columns"
        raise BadInput("", problem, f"Say {ways}.")
    for separator in possible:
        say(f"Values are taken to be separated by {NAMES[separator]}.")
        return separator
    return "\t"


def other_than(separator: str, name: str) -> str:
    """Return the separator that seems to stand in the only column's name, or nothing."""
    other = max(SEPARATORS, key=name.count)
    return other if other != separator and other in name else ""


def wrong(
    path: Path, rows: Sequence[Sequence[str]], separator: str, other: str, decimal: str | None
) -> BadInput:
    """Return the error for a file of another separator; rows: its first lines, as that has them."""
    name = other.join(rows[0])
    values = (value for row in rows[1:] for value in row)
    commas = decimal != "," and any(map(has_commas, values))
    too, option = (", and to have decimal commas", " --decimal ','") if commas else ("", "")
    return BadInput(
        "",
        f"{path} has one column, called {name[:60]!r}: its values seem to be separated by "
        f"{other!r}, not {separator!r}{too}",
        f"Say --separator {other!r}{option}.",
    )


def _records(text: str, separator: str) -> list[list[str]]:
    try:
        return [*filter(None, csv.reader(io.StringIO(text), delimiter=separator))]
    except csv.Error:
        return []


def _columns(records: Sequence[Sequence[str]]) -> int:
    """Return how many columns a text has, 0 if its lines do not agree with that of the names."""
    names, *rows = records or [[]]
    if len(names) < 2 or not rows:
        return len(names)
    count, often = Counter(map(len, rows)).most_common(1)[0]
    agree = often >= MOST * len(rows) and len(names) in (count, count - 1)
    return count if agree else 0
