"""What every kind of column can do, and how rows unlike those of the fit are reported."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pairnet.core.errors import Argument, At, Part
from pairnet.core.notices import notice
from pairnet.tables.values import Values, Words

MOST_NAMED = 5  # rows and words that an error names

Name = str | int  # an array's columns have positions


class Note(NamedTuple):
    """What is strange about some rows of one column.

    what: "filled", "unseen" or "far". rows: how many. taken: what was made of them. levels: those
    that are not known. range: that of the fit. size, value: how far outside it the farthest number
    lies, and this number.
    """

    name: Name
    what: str
    rows: int
    taken: str = ""
    levels: tuple[str, ...] = ()
    range: str = ""
    size: float = 0.0
    value: str = ""

    def and_(self, other: Note) -> Note:
        """Return what is strange about these rows and others of the column."""
        farther = self if self.size >= other.size else other
        levels = tuple(sorted({*self.levels, *other.levels})[: MOST_NAMED + 1])
        return farther._replace(rows=self.rows + other.rows, levels=levels)

    def __str__(self) -> str:
        what = {
            "filled": f"without a value, unlike in fit: {self.taken}",
            "unseen": f"with levels not seen in fit ({few(self.levels)}): {self.taken}",
            "far": f"far outside the range of fit, {self.range}: as far as {self.value}",
        }[self.what]
        return f"column {self.name!r} has {rows_of(self.rows)} {what}"


@dataclass
class Strangeness:
    """What is strange about new rows, collected as parts of one warning."""

    notes: list[Note] = field(default_factory=list)

    def filled(self, name: Name, count: int, taken: str) -> None:
        """Note missing values in a column that had none in the fit."""
        self.notes.append(Note(name, "filled", count, taken))

    def unseen(self, name: Name, count: int, levels: list[str], taken: str) -> None:
        """Note levels that the fit has not seen."""
        self.notes.append(Note(name, "unseen", count, taken, tuple(levels[: MOST_NAMED + 1])))

    def far(self, name: Name, count: int, range_of_fit: str, size: float, value: str) -> None:
        """Note numbers that are far from those of the fit."""
        self.notes.append(Note(name, "far", count, range=range_of_fit, size=size, value=value))

    def add(self, notes: Iterable[Note]) -> None:
        """Note what is strange about other rows of the same columns, too."""
        by_kind = {(note.name, note.what): note for note in self.notes}
        for note in notes:
            key = note.name, note.what
            by_kind[key] = by_kind[key].and_(note) if key in by_kind else note
        self.notes = list(by_kind.values())

    def tell(self) -> None:
        """Warn of all that was noted, if anything was."""
        if self.notes:
            differences = "; ".join(map(str, self.notes))
            notice(Argument("X"), f" differs from the rows of the fit: {differences}.")


class AbstractColumn(abc.ABC):
    """A column as it was in the training rows."""

    name: Name
    kind: str

    @property
    @abc.abstractmethod
    def features(self) -> tuple[str, ...]:
        """The names of the numbers that the column becomes."""

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """The smallest and the largest value of each of these numbers in the training rows."""
        return ((0.0, 1.0),) * len(self.features)

    @abc.abstractmethod
    def encode(self, values: Values, strangeness: Strangeness) -> np.ndarray:
        """Return the numbers [n, features] of new rows, and note what is strange about them."""

    @abc.abstractmethod
    def about(self) -> str:
        """Write in a few words what the column holds, and what it becomes."""

    def lacks(self) -> str:
        """Return how many training rows have no value, if that matters."""
        return ""

    def hint(self) -> str:
        """Write what people may have meant the column to be, if it was taken for something else."""
        return ""

    def to_json(self) -> dict[str, Any]:
        """Return the column as plain values of JSON."""
        return dataclasses.asdict(self)  # type: ignore[call-overload]


def wrong_words(column: Words, wrong: np.ndarray) -> tuple[Part, ...]:
    """Write which words stand where none should be, and in which rows."""
    rows = np.flatnonzero(wrong)
    words = list(dict.fromkeys(column.words[code] for code in column.codes[rows]))
    first = At(tuple(rows[:MOST_NAMED].tolist()), more=len(rows) > MOST_NAMED)
    return f"got {few(words)} in ", first


def rows_of(count: int) -> str:
    """Write a number of rows: 1 row, 1500 rows."""
    return f"{count} row{'s' * (count != 1)}"


def few(words: Sequence[str]) -> str:
    """Write the first words in quotes."""
    return ", ".join(map(repr, words[:MOST_NAMED])) + ", ..." * (len(words) > MOST_NAMED)
