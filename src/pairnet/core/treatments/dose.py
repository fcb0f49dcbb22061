"""Treatments that are amounts: doses."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pairnet.core.errors import Argument, BadInput, Use
from pairnet.core.missing import unmasked
from pairnet.core.notices import notice
from pairnet.core.treatments.base import AbstractTreatment
from pairnet.core.types import SMALLEST, Array, is_finite, is_number
from pairnet.core.words import kind_of_values, shown, spelled

MOST_ARMS = 10  # numbers with more different values are a dose, where a method can take both
TAILS = (10, 90)  # percentiles of the doses that are compared by default
ROUNDING = 1e-6  # a dose that is this little outside the range counts as its end
FARTHEST = 1e6  # ranges of doses: a dose that is farther away is a slip
WINDOW = 0.1  # of the range of doses: rows this near to a dose were treated alike


@dataclass(frozen=True)
class Dose(AbstractTreatment):
    """An amount between the smallest and the largest dose observed, in the user's units.

    usual: a low and a high dose between which most rows lie, if rows were looked at.
    """

    low: float
    high: float
    usual: tuple[float, float] | None = field(default=None, compare=False)

    name: ClassVar[str] = "dose"
    one: ClassVar[str] = "dose"
    about: ClassVar[str] = "a dose"
    whole_range: ClassVar[bool] = True

    @classmethod
    def of(cls, column: Array) -> Dose:
        """Return the range of a column of doses, of which at least two differ."""
        low, high = float(np.min(column)), float(np.max(column))
        digits = min(300, -int(np.floor(np.log10((high - low) / 50))))  # for people to read
        tails = np.round(np.percentile(column, TAILS), digits)
        first, last = np.clip(tails, low, high).tolist()
        return cls(low, high, (first, last) if first < last else None)

    @classmethod
    def claims(cls, column):
        return column.dtype.kind in "ifu" and len(np.unique(column)) > MOST_ARMS

    @classmethod
    def read(cls, column):
        if column.dtype.kind not in "ifu":
            raise BadInput(
                "treatment",
                f"must be numbers to be a dose, got {kind_of_values(column)}",
                ("Labels are arms: use ", Use("PairNet"), "."),
            )
        if column.min() == column.max():
            raise BadInput(
                "treatment",
                f"must take at least two values, got only the dose {column[0]:g} in all "
                f"{len(column)} rows: an effect compares rows that were treated differently",
            )
        doses = column.astype(np.float64)
        if len(np.unique(doses)) < len(np.unique(column)) or np.ptp(doses) < SMALLEST:
            raise BadInput(
                "treatment",
                f"has doses that differ too little to tell them apart, from {column.min():g} to "
                f"{column.max():g}",
                "Use a smaller unit, or subtract what they have in common.",
            )
        return cls.of(doses)

    @property
    def strata(self):
        """1: doses are not stratified."""
        return 1

    @property
    def span(self):
        return self.high - self.low

    @property
    def contrast(self):
        """What an effect compares by default: a dose that is high for most rows with a low one."""
        return self.usual or (self.low, self.high)

    @property
    def example(self):
        return self.contrast

    def completed(self, T0, T1):
        first, second = self.contrast
        return first if T0 is None else T0, second if T1 is None else T1

    def shown_against(self, T0, T1):
        return (T1,)

    def comparisons(self):
        return [self.contrast]

    def encode(self, values, argument):
        doses = _numbers(values)
        if doses is None or not np.isfinite(doses).all():
            flat = np.asarray(unmasked(values), object).reshape(-1).tolist()
            strange = next(value for value in flat if not (is_number(value) and np.isfinite(value)))
            raise BadInput(
                argument,
                f"must be a dose, a number from {self.low:g} to {self.high:g}, got "
                f"{shown(strange)}",
            )
        with np.errstate(over="ignore"):
            place = self.place(doses)
        if doses.size and not np.abs(place).max() <= FARTHEST:
            farthest = doses.reshape(-1)[np.argmax(np.abs(place))]
            observed = f"the doses that were observed, {self.low:g} to {self.high:g}"
            problem = f"is {farthest:g}, too far from {observed}, to know anything about it"
            raise BadInput(argument, problem, "Is it in the unit of the fit?")
        if doses.size and (place.min() < -ROUNDING or place.max() > 1 + ROUNDING):
            low, high = doses.min(), doses.max()
            span = f"is {low:g}" if low == high else f"goes from {low:g} to {high:g}"
            notice(
                Argument(argument),
                f" {span}, outside the doses that were observed, {self.low:g} to {self.high:g}: "
                "what is said of doses outside is extrapolated.",
            )
        return place.astype(np.float32)

    def place(self, values: Array) -> np.ndarray:
        """Return the places of doses: the smallest dose is at 0, the largest at 1."""
        return np.asarray((np.asarray(values, np.float64) - self.low) / self.span)

    def amount(self, place: Array) -> np.ndarray:
        """Return the doses at these places."""
        return np.asarray(self.low + np.asarray(place, np.float64) * self.span)

    def label_of(self, t):
        return self.amount(t)

    def label_in(self, text, argument):
        value = spelled(text)
        if not math.isfinite(value):
            raise BadInput(argument, f"must be a dose, a number, got {text!r}")
        return value

    def holds(self, t):
        return (t >= 0) & (t <= 1)

    def alike(self, t, value):
        return np.abs(t - value) <= WINDOW

    def rounded(self, t):
        return np.round(t, 2)

    def groups(self, t):
        """Three groups of rows, as equal as they can be."""
        ends = np.unique(np.quantile(t, (1 / 3, 2 / 3)))
        group = np.unique(np.searchsorted(ends, t), return_inverse=True)[1]
        amounts = [self.amount(t[group == g]) for g in range(int(group.max()) + 1)]
        return tuple(f"{doses.min():g} to {doses.max():g}" for doses in amounts), group

    def check_rows(self, t, needed, purpose):
        if len(t) < needed:
            raise BadInput(
                "",
                f"There are {len(t)} rows: expected at least {needed}, {purpose}",
                "Collect more rows.",
            )

    def columns(self, t):
        return t[:, None]

    def words(self, summary):
        first, last = self.contrast
        return f"a dose from {self.low:g} to {self.high:g}, mostly {first:g} to {last:g}"

    def summary(self, t):
        mean = float(self.amount(t).mean())
        return {"kind": self.name, "low": self.low, "high": self.high, "mean": mean}

    def table(self, summary):
        return ("smallest", "mean", "largest"), [
            tuple(float(summary[name]) for name in ("low", "mean", "high"))
        ]

    def summary_checks(self):
        is_inside = lambda mean: is_finite(mean) and self.low <= mean <= self.high
        ends = {"low": lambda low: low == self.low, "high": lambda high: high == self.high}
        return {"kind": lambda kind: kind == self.name, **ends, "mean": is_inside}

    def to_json(self):
        return {"kind": self.name, "low": self.low, "high": self.high, "usual": self.usual}

    @classmethod
    def from_json(cls, value: Any):
        low, high = value["low"], value["high"]
        first, last = value.get("usual") or (low, high)  # models of older versions lack it
        numbers = all(map(is_finite, (low, first, last, high)))
        if not (numbers and low <= first < last <= high):
            raise ValueError(
                f"its doses go from {low!r} to {high!r}, most of them from {first!r} to {last!r}"
            )
        return cls(float(low), float(high), (float(first), float(last)))

    def refused_by(self, method):
        return BadInput(
            "",
            f"{method} compares arms; it cannot learn from doses",
            (
                "Use ",
                Use("VCNet"),
                ", ",
                Use("DRNet"),
                " or ",
                Use("PairNet", "base=VCNet()"),
                ".",
            ),
        )


def dose_grid(dose: Dose, count: int = 64) -> np.ndarray:
    """Return doses at even steps from the smallest to the largest."""
    return np.linspace(dose.low, dose.high, count)


def _numbers(values: object) -> np.ndarray | None:
    """Return numbers as an array, also from a column of objects; None if a value is no number."""
    values = unmasked(values)
    array = np.asarray(values, object) if isinstance(values, list | tuple) else np.asarray(values)
    if array.dtype == object:
        flat = array.reshape(-1).tolist()
        if not all(is_number(value) for value in flat):
            return None
        array = np.asarray(flat, float).reshape(array.shape)
    return array if array.dtype.kind in "ifu" else None
