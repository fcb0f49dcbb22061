"""What every kind of column answers, and what is said of rows that are unlike those of the fit."""

from __future__ import annotations

import abc
import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pairnet.core.errors import At, Part
from pairnet.tables.values import Values, Words

MOST_NAMED = 5  # rows and words that an error names

Name = str | int  # an array's columns have positions


@dataclass
class Strangeness:
    """What is strange about new rows: parts of a sentence, said at the end in one warning."""

    sayings: list[str] = field(default_factory=list)

    def filled(self, name: Name, count: int, value: str) -> None:
        """Note values that are missing where none was missing in fit."""
        self._note(name, count, f"without a value, unlike in fit: {value}")

    def unseen(self, name: Name, count: int, levels: list[str], value: str) -> None:
        """Note levels that fit has not seen."""
        self._note(name, count, f"with levels not seen in fit ({few(levels)}): {value}")

    def far(self, name: Name, count: int, range_of_fit: str, value: str) -> None:
        """Note numbers that are far from those of the fit."""
        self._note(name, count, f"far outside the range of fit, {range_of_fit}: as far as {value}")

    def _note(self, name: Name, count: int, what: str) -> None:
        self.sayings.append(f"column {name!r} has {rows_of(count)} {what}")


class AbstractColumn(abc.ABC):
    """A column as it was in the training rows."""

    name: Name
    kind: str

    @property
    @abc.abstractmethod
    def features(self) -> tuple[str, ...]:
        """The names of the numbers it becomes."""

    @abc.abstractmethod
    def encode(self, values: Values, strangeness: Strangeness) -> np.ndarray:
        """Return the numbers [n, features] of new rows, and note what is strange about them."""

    @abc.abstractmethod
    def about(self) -> str:
        """Say in a few words what it holds and becomes."""

    def lacks(self) -> str:
        """Say how many training rows have no value, where that matters."""
        return ""

    def hint(self) -> str:
        """Say what people may have meant it to be, where it was not taken for that."""
        return ""

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return dataclasses.asdict(self)  # type: ignore[call-overload]


def wrong_words(column: Words, wrong: np.ndarray) -> tuple[Part, ...]:
    """Say which words stand in the rows where none should, and in which rows."""
    rows = np.flatnonzero(wrong)
    words = list(dict.fromkeys(column.words[code] for code in column.codes[rows]))
    first = At(tuple(rows[:MOST_NAMED].tolist()), more=len(rows) > MOST_NAMED)
    return f"got {few(words)} in ", first


def rows_of(count: int) -> str:
    """Return a number of rows in words: 1 row, 1500 rows."""
    return f"{count} row{'s' * (count != 1)}"


def few(words: list[str]) -> str:
    """Return the first words in quotes."""
    return ", ".join(map(repr, words[:MOST_NAMED])) + ", ..." * (len(words) > MOST_NAMED)
