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
    possible = {separator: _columns(text, separator) for separator in (*SEPARATORS, " ")}
    possible = {separator: count for separator, count in possible.items() if count > 1}
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


def check(path: Path, rows: Sequence[Sequence[str]], separator: str, decimal: str) -> None:
    """Raise if the only column's name looks like several names; say which options help.

    rows: the first lines, that of the names and others, as single values.
    """
    name = rows[0][0]
    other = max(SEPARATORS, key=name.count)
    if other == separator or other not in name:
        return
    values = [value for (line, *_) in rows[1:] for value in line.split(other)]
    commas = decimal != "," and any(map(has_commas, values))
    too, option = (", and to have decimal commas", " --decimal ','") if commas else ("", "")
    raise BadInput(
        "",
        f"{path} has one column, called {name[:60]!r}: its values seem to be separated by "
        f"{other!r}, not {separator!r}{too}",
        f"Say --separator {other!r}{option}.",
    )


def _columns(text: str, separator: str) -> int:
    """Return how many columns a text has with a separator, 0 if its lines do not agree on it."""
    try:
        records = [
            record for record in csv.reader(io.StringIO(text), delimiter=separator) if record
        ]
    except csv.Error:
        return 0
    names, *rows = records[layout.titles(records[: layout.HEAD]) :] or [[]]
    if len(names) < 2 or not rows:
        return len(names)
    count, often = Counter(map(len, rows)).most_common(1)[0]
    agree = often >= MOST * len(rows) and len(names) in (count, count - 1)
    return count if agree else 0
