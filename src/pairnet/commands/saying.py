"""How commands speak: in lines that fit a terminal, warnings as notes, advice in options and not in
Python."""

from __future__ import annotations

import contextlib
import re
import signal
import sys
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path

from pairnet.tables.files import is_text, lines_of

WIDTH = 80
OPTIONS = {  # advice for people who write Python, and what it is on the command line
    r"treatment='(arms|dose)'": r"--kind \1",
    r"VCNet\(\), DRNet\(\) or PairNet\(base=VCNet\(\)\)": "--method vcnet, drnet or pairnet",
    r"VCNet\(\) or PairNet\(base=VCNet\(\)\)": "--method vcnet or pairnet, and --kind dose",
    r"PairNet\(\) or TARNet\(\)": "--method pairnet or tarnet",
    r"use PairNet\(\)": "say --kind arms",
    r"Leave it out, or effects say nothing": "Leave it out with --ignore, or effects say nothing",
    r"declare the column a category if": "name it in --categories if",
    r" model\.schema_\.summary\(\) shows all columns\.": "",
    r"(write them with a decimal point, as 1234\.5)": r"say --decimal ',' if the file has decimal "
    r"commas, else \1",
    r" with y\.astype\(float\)": "",
    r"T0 and T1 must": "--from and --to must",
    r"^T0 ": "--from ",
    r"^T1 ": "--to ",
    r"^(goal|alpha|folds) must": r"--\1 must",
    r"^y ": "The outcome ",
    r"^treatment ": "The treatment ",
    r"^X ": "The table ",
}

ROWS = re.compile(r"row(s?) (\d+(?:, \d+)*)(, \.\.\.)? \(the first row is 0\)")


class Ended(SystemExit):
    """The end of a command that has said why it ends."""


def paragraphs(*lines: str) -> str:
    """Return lines, long ones folded."""
    return "\n".join(textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in lines)


def rows(count: int) -> str:
    """Return a number of rows in words: 1 row, 1,500 rows."""
    return f"{count:,} row{'s' * (count != 1)}"


def in_options(text: str) -> str:
    """Return a message with its advice in options of the command line, not in Python."""
    for pattern, words in OPTIONS.items():
        text = re.sub(pattern, words, text)
    return text


@contextlib.contextmanager
def in_lines(table: Path, separator: str | None) -> Iterator[None]:
    """Let errors name the lines of a text file, as editors count them, and not the positions of
    rows."""

    def lines(found: re.Match[str]) -> str:
        there = lines_of(table, [int(row) for row in found[2].split(", ")], separator)
        return f"line{found[1]} {', '.join(map(str, there))}{found[3] or ''} of the file"

    try:
        yield
    except ValueError as error:
        if not is_text(table):
            raise
        raise ValueError(ROWS.sub(lines, str(error))) from None


@contextlib.contextmanager
def stopping() -> Iterator[None]:
    """Let Ctrl-C end a command at once; in Python it ends a training early and keeps what there
    is."""

    def stop(*_: object) -> None:
        print("Interrupted; nothing was written.", file=sys.stderr)
        raise Ended(130)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def notes(but: str | None = None) -> Iterator[None]:
    """Show warnings as notes of a line or two, not as Python shows them."""

    shown = set()

    def show(message, category, filename, lineno, file=None, line=None):
        if str(message) not in shown and (but is None or not str(message).startswith(but)):
            shown.add(str(message))
            print(textwrap.fill(f"Note: {in_options(str(message))}", WIDTH), file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        yield
