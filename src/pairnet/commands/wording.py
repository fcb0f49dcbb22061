"""How the command line words errors and notices: options for arguments, lines for rows.

Python names arguments, the command line options: `T0` is --from, `X` is the table. Every
hyperparameter is an option of its own, and the text between two of them stays as it is: "members=5
and bootstrap=True" becomes "--members 5 and --bootstrap", "l2=0.1 or members=5" becomes "--set
l2=0.1 or --members 5". Of several methods in a list, only the first has its option before it:
"VCNet() or DRNet()" becomes "--method vcnet or drnet".
"""

from __future__ import annotations

import shlex
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from pairnet.commands.saying import WIDTH
from pairnet.commands.settings import OWN_OPTIONS, option_of, written
from pairnet.core.errors import PYTHON, Argument, BadInput, Part, Use, Worded, Wording
from pairnet.tables.files import lines_of, place_of
from pairnet.tables.location import Location

OPTIONS = (
    {"T0": "--from", "T1": "--to", "groups": "--clusters", "sample_weight": "--weights"}
    | {
        name: f"--{name}"
        for name in (
            "alpha",
            "bounds",
            "budget",
            "by",
            "cost",
            "folds",
            "goal",
            "kind",
            "propensity",
            "repeats",
        )
    }
    | {"target": "--target", "worth": "--worth", "negative_controls": "--negative-controls"}
)
NOUNS = {"X": "the table", "y": "the outcome", "treatment": "the treatment"}
BETWEEN = (", ", " or ", " and ", ", or ", ", and ")  # what stands between two things in a list

LinesOfRows = Callable[[Sequence[int]], list[int] | None]


class CommandLineWording(Wording):
    """The words for people who type commands.

    lines: the function that tells on which lines of the file rows begin, or None. positions: the
    rows of the file that errors count; left out, all of them. place: what a line is called, and
    what it is a line of.
    """

    def __init__(
        self,
        lines: LinesOfRows = lambda rows: None,
        positions: np.ndarray | None = None,
        place: tuple[str, str] = ("line", "file"),
    ):
        self.lines, self.positions, self.place = lines, positions, place

    def argument(self, name):
        owner, _, field = name.rpartition(".")
        if owner.isidentifier():  # a hyperparameter, as PairNet.drop or Plan.patience
            return option_of(f"plan.{field}" if owner == "Plan" else field)
        return NOUNS.get(name) or OPTIONS.get(name, name)

    def subject(self, name):
        text = self.argument(name)
        return text.capitalize() if name in NOUNS else text

    def setting(self, name, value):
        if name in OPTIONS:
            return f"{OPTIONS[name]} {shlex.quote(written(value))}"
        if name == "bootstrap":
            return "--bootstrap" if value else "--no-bootstrap"
        between = " " if name in OWN_OPTIONS else "="
        return f"{option_of(name)}{between}{written(value)}"

    def method(self, name, settings):
        return f"--method {name.lower()}"

    def rows(self, rows, more):
        in_file = rows if self.positions is None else [int(self.positions[row]) for row in rows]
        lines = self.lines(in_file)
        if lines is None:
            return PYTHON.rows(in_file, more)
        (line, file), several = self.place, "s" * (len(lines) > 1)
        return f"{line}{several} {', '.join(map(str, lines))}{', ...' * more} of the {file}"

    def only_python(self, text, else_):
        return else_

    def text(self, message):
        parts = message if isinstance(message, tuple) else (message,)
        earlier = (None, None, *parts)
        return "".join(map(self._part_after, parts, earlier, earlier[1:]))

    def _part_after(self, part: Part, earlier: Part | None, before: Part | None) -> str:
        """Write a part of a sentence that follows the two parts `earlier` and `before`, if any."""
        if before is None and isinstance(part, Argument):
            return self.subject(part.name)
        if isinstance(part, Use) and isinstance(earlier, Use) and before in BETWEEN:
            return part.method.lower()
        return self._part(part)


COMMAND_LINE = CommandLineWording()


def worded(message: BaseException) -> str:
    """Return an error or a warning in the words of the command line."""
    return message.worded(COMMAND_LINE) if isinstance(message, Worded) else str(message)


@contextmanager
def in_lines(
    table: Location,
    separator: str | None,
    positions: np.ndarray | None = None,
    skip: int | None = None,
    sheet: str | None = None,
) -> Iterator[None]:
    """Let errors name the lines of a text file, as editors count them, instead of rows.

    positions: the rows of the file that errors count, if not all rows were taken. skip, sheet: what
    the user says of where the table begins.
    """
    lines = lambda rows: lines_of(table, rows, separator, skip=skip, sheet=sheet)
    wording = CommandLineWording(lines, positions, place_of(table))
    try:
        yield
    except BadInput as error:
        raise ValueError(error.worded(wording)) from None


@contextmanager
def notes(
    but: str | None = None, told: list[str] | None = None, shown: bool = True
) -> Iterator[None]:
    """Show each warning once, as a note, except those that begin with `but`.

    told: a list for their texts. shown: whether they are printed, on standard error.
    """
    texts: list[str] = [] if told is None else told

    def show(message, category, filename, lineno, file=None, line=None):
        text = worded(message)
        if text not in texts and (but is None or not text.startswith(but)):
            texts.append(text)
            if shown:
                print(textwrap.fill(f"Note: {text}", WIDTH), file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        yield
