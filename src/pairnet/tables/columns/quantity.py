"""A column of numbers, of flags, or of dates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.types import LARGEST
from pairnet.tables.columns.base import AbstractColumn, Name, wrong_words
from pairnet.tables.hints import hint_of_covariate
from pairnet.tables.values import Numbers, Values, Words, uncomputable


@dataclass(frozen=True)
class Quantity(AbstractColumn):
    """A number, a flag (0 or 1) or a date (days since 1970).

    If training rows lacked values, a second number tells which rows do.
    """

    name: Name
    kind: Literal["number", "flag", "date"]
    fill: float  # the median of training rows, in place of a missing value
    low: float
    high: float
    missing: int = 0  # training rows without a value

    @classmethod
    def of(cls, name: Name, column: Numbers) -> Quantity:
        """Learn from training rows, some of which have values."""
        present = column.values[~column.missing]
        middle = float(np.median(present))
        fill = float(middle >= 0.5) if column.kind == "flag" else middle
        low, high = float(present.min()), float(present.max())
        return cls(name, column.kind, fill, low, high, int(column.missing.sum()))

    @property
    def features(self):
        """The value itself, and a flag for missing values, if there were any."""
        return (str(self.name), f"{self.name} is missing")[: 1 + bool(self.missing)]

    @property
    def bounds(self):
        return ((self.low, self.high), *super().bounds[1:])

    @property
    def usual(self) -> tuple[float, float]:
        """The ends of what is neither far from the training rows nor too large."""
        low, high = self._reach()
        return max(low, -LARGEST), min(high, LARGEST)

    def encode(self, values, strangeness):
        """Return the numbers, with missing ones filled."""
        numbers = self._numbers(values)
        missing = np.isnan(numbers)
        check_finite(self.name, numbers)
        if missing.any():
            numbers = np.where(missing, self.fill, numbers)
            if not self.missing:
                taken = f"taken as {self.written(self.fill)}"
                strangeness.filled(self.name, int(missing.sum()), taken)
        if (far := self._is_far(numbers)).any():
            outside = np.maximum(self.low - numbers, numbers - self.high)
            at = int(np.argmax(outside))
            size, value = float(outside[at]), self.written(numbers[at])
            strangeness.far(self.name, int(far.sum()), self._range(), size, value)
        return np.stack([numbers, missing], axis=1) if self.missing else numbers[:, None]

    def far(self, values: Values) -> np.ndarray:
        """Tell which rows lie outside the range of training rows by more than its width."""
        return self._is_far(self._numbers(values))

    def lacks(self):
        return str(self.missing)

    def about(self):
        text = "yes or no" if self.kind == "flag" else self._range()
        return text + (f"; filled with {self.written(self.fill)}" if self.missing else "")

    def written(self, value: float) -> str:
        """Write a value of this column for people: a date, yes or no, or a short number."""
        if self.kind == "date":
            return str(np.datetime64("1970-01-01") + np.timedelta64(round(value), "D"))
        if self.kind == "flag" and value in (0, 1):
            return "yes" if value else "no"
        return f"{value:.5g}"

    def _is_far(self, numbers: np.ndarray) -> np.ndarray:
        low, high = self._reach()
        return (numbers < low) | (numbers > high)  # False for missing values

    def _reach(self) -> tuple[float, float]:
        width = self.high - self.low or max(abs(self.high), 1.0)
        return self.low - width, self.high + width

    def _range(self) -> str:
        return f"{self.written(self.low)} to {self.written(self.high)}"

    def _numbers(self, values: Values) -> np.ndarray:
        """Return values as numbers, or as days since 1970; NaN where they are missing."""
        is_date = self.kind == "date"
        what, other = ("dates", "numbers") if is_date else ("numbers", "dates")
        problem = f"must hold {what} in column {self.name!r}, as in fit: "
        if isinstance(values, Words):
            return _spelled_by(values, is_date, problem)
        if not isinstance(values, Numbers):
            raise BadInput("X", f"{problem}got {values.what}")
        if (values.kind == "date") == is_date or values.missing.all():
            return values.values
        raise BadInput("X", f"{problem}got {other}")


def _spelled_by(column: Words, as_dates: bool, problem: str) -> np.ndarray:
    """Return the numbers or dates that words spell; `problem` begins the error for other words."""
    by_word = column.as_dates() if as_dates else column.as_numbers()
    if not np.isnan(by_word).any():
        return column.spread(by_word)
    wrong = np.isin(column.codes, np.flatnonzero(np.isnan(by_word)))
    hint = hint_of_covariate(column.words)
    raise BadInput("X", (problem, *wrong_words(column, wrong)), ("It ", *hint, ".") if hint else "")


def check_finite(name: Name, numbers: np.ndarray, argument: str = "X") -> None:
    """Raise for infinite and too large values, and say where they are."""
    if problem := uncomputable(numbers, f" in column {name!r}"):
        raise BadInput(
            argument,
            problem,
            "Is it a code for a missing value, or a slip? Leave such values empty or drop those "
            "rows; if they are right, use a larger unit.",
        )
