"""Where a table lies in a file: below a title, and above lines that sum it up or comment on it.

A title has few values where the rows have many, and stands above a line of names. A footer is a
line that begins with "Total" or such a word, or one sentence alone. Both are left out, and said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import shorten

from pairnet.core.errors import listed
from pairnet.tables.spelling import spells_number

Record = Sequence[str]  # the values of a line, "" where there are none

HEAD, TAIL = 30, 10  # lines that are looked at, at the beginning and at the end
ALIKE = 2 / 3  # of the lines below the names
LONGEST = 40  # letters of a line that is shown
TOTALS = {
    *("total", "totals", "grand total", "subtotal", "sum", "sums", "average", "mean"),
    *("summe", "gesamt", "gesamtsumme", "insgesamt", "mittelwert", "durchschnitt"),
    *("total général", "somme", "moyenne", "total general", "suma", "totale", "media", "totaal"),
}


def titles(records: Sequence[Record]) -> int:
    """Return how many of the first lines stand above the names of columns.

    Below the names most lines have as many places for values as there are names.
    """
    filled = [_filled(record) for record in records]
    full = max(filled, default=0)
    above = next((at for at, count in enumerate(filled) if count > 1 and 2 * count > full), 0)
    if above == 0 or any(spells_number(value) for value in records[above] if value):
        return 0  # what stands there are no names
    rows = [len(record) in (len(records[above]), 0) for record in records[above + 1 :]]
    return above if rows and sum(rows) >= ALIKE * len(rows) else 0


def footers(records: Sequence[Record], names: int) -> int:
    """Return how many of the last lines are no rows; `names`: how many names the columns have.

    Lines without values are rows, unless there is no separator in them or a footer below them.
    """
    below = _below(records, names, lambda record: _is_alone(record, names))
    if not any(_is_footer(record, names) for record in records[len(records) - below :]):
        below = _below(records, names, lambda record: False)
    last = list(records[len(records) - below :])
    words = [_first(record).strip().lower() for record in records]
    if below == len(records) or any(
        words.count(_first(record).strip().lower()) > 1 for record in last if _filled(record)
    ):
        return 0  # a word that stands in several lines is a level
    if not any(map(_filled, last)):
        return next((at for at, record in enumerate(reversed(last)) if record), below)
    return below


def _below(records: Sequence[Record], names: int, or_else: Callable[[Record], bool]) -> int:
    """Return how many of the last lines are footers, empty, or what `or_else` says."""
    below = 0
    for record in reversed(records):
        fits = _filled(record) == 0 or _is_footer(record, names) or or_else(record)
        if names < 2 or not fits:
            break
        below += 1
    return below


def said(place: str, above: Sequence[str], below: Sequence[str], first: int) -> str:
    """Say which lines were not read, or nothing; `first`: the number of the first one below."""
    some = [(above, 1, "above the names"), (below, first, "below the rows")]
    parts = []
    for lines, start, where in some:
        if any(line.strip() for line in lines):
            count = len(lines)
            numbers = f"{start}" if count == 1 else f"{start} to {start + count - 1}"
            shown = next(line for line in lines if line.strip())
            text = repr(shorten(shown.strip(), LONGEST, placeholder=" ..."))
            parts.append(f"{place}{'s' * (count > 1)} {numbers} {where} ({text})")
    return f"Not read: {listed(parts)}." if parts else ""


def _filled(record: Record) -> int:
    return sum(bool(value.strip()) for value in record)


def _first(record: Record) -> str:
    return next((value for value in record if value.strip()), "")


def _is_alone(record: Record, names: int) -> bool:
    """Tell whether a line is one word without any separator: a footer if other lines are some."""
    return names > 2 and len(record) == 1 and not spells_number(record[0])


def _is_footer(record: Record, names: int) -> bool:
    """Tell whether a line begins with a word for a sum, or holds one sentence and nothing else."""
    text = _first(record).strip()
    if text.rstrip(":").lower() in TOTALS:
        return True
    return names > 2 and _filled(record) == 1 and " " in text and not spells_number(text)
