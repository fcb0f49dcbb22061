"""What every kind of column can do, and how rows unlike those of the fit are reported."""

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
    """What is strange about new rows, collected as parts of one warning."""

    sayings: list[str] = field(default_factory=list)

    def filled(self, name: Name, count: int, value: str) -> None:
        """Note missing values in a column that had none in the fit."""
        self._note(name, count, f"without a value, unlike in fit: {value}")

    def unseen(self, name: Name, count: int, levels: list[str], value: str) -> None:
        """Note levels that the fit has not seen."""
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


def few(words: list[str]) -> str:
    """Write the first words in quotes."""
    return ", ".join(map(repr, words[:MOST_NAMED])) + ", ..." * (len(words) > MOST_NAMED)
