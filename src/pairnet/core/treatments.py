"""What the treatment column is: `Arms`, two or more named alternatives, or a `Dose`, an amount.

Inside, an arm is its position 0, 1, ..., and a dose is where it lies between the smallest (0) and
the largest (1).
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np

from pairnet.core.notices import notice
from pairnet.core.types import Array, is_number

# what arms without a treatment are called: all of the label, its first word, any word of it
UNTREATED = (
    r"(control|placebo|none|no|untreated|baseline|off|usual|standard)",
    r"(no|not|without|control|placebo|none|untreated)\b.*",
    r".*\b(control|placebo|untreated|none)",
    r"(usual|standard|baseline)\b.*",
)
TAILS = (
    10,
    90,
)  # percentiles of the observed doses that are compared where nobody says: what most rows may get
ROUNDING = 1e-6  # a dose so little outside the range is at its end


@dataclass(frozen=True)
class Arms:
    """Two or more named treatments, in sorted order. Labels may be numbers, booleans or strings."""

    labels: tuple[Hashable, ...]

    @classmethod
    def of(cls, column: Array) -> Arms:
        """Read the arms off a treatment column (already checked for missing values)."""
        return cls(tuple(np.unique(column).tolist()))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def strata(self) -> int:
        """How many groups a split and a minibatch take their share of."""
        return len(self.labels)

    @property
    def baseline(self) -> Hashable:
        """The arm to compare with where nobody says: one that is called as untreated ones are, else
        the first."""
        return self.labels[0] if (called := self._untreated()) is None else called

    def _untreated(self) -> Hashable | None:
        """Return the one arm whose label says so, the plainest way first."""
        for pattern in UNTREATED:
            called = [
                label for label in self.labels if re.fullmatch(pattern, str(label).strip().lower())
            ]
            if called:
                return called[0] if len(called) == 1 else None
        return None

    @property
    def others(self) -> tuple[Hashable, ...]:
        """The arms that are not the baseline."""
        return tuple(label for label in self.labels if label != self.baseline)

    @property
    def contrast(self) -> tuple[Hashable, Hashable]:
        """What an effect compares where nobody says: 1 against 0, or of two arms the other against
        the baseline.

        Two words of which none says that it is the untreated arm are not enough: the sign would be
        a guess.
        """
        ordered = not isinstance(self.labels[0], str)
        if len(self.labels) == 2 and (ordered or self._untreated() is not None):
            return self.baseline, self.others[0]
        if 0 in self.labels and 1 in self.labels:
            return 0, 1
        raise ValueError(
            "T0 and T1 must say which arms to compare, of "
            f"{', '.join(map(repr, self.labels[:10]))}: for example "
            f"T0={self.baseline!r}, T1={self.others[-1]!r}."
        )

    def encode(self, values: object, what: str) -> np.ndarray:
        """Turn labels (one, or one a row) into positions 0, 1, ...; `what` names the argument in
        errors."""
        given = np.asarray(values)
        known = np.asarray(self.labels)
        try:
            position = np.searchsorted(known, given)
            found = known[np.minimum(position, len(known) - 1)] == given
        except (TypeError, np.exceptions.DTypePromotionError):
            position, found = np.zeros(given.shape, int), np.zeros(given.shape, bool)
        if not np.all(found):
            strange = sorted(
                {repr(value) for value in given[~np.asarray(found)].reshape(-1).tolist()}
            )
            raise ValueError(
                f"{what} names no arm of this model: expected one of "
                f"{', '.join(map(repr, self.labels))}, "
                f"got {', '.join(strange[:5])}. Name arms as they are in fit, for example "
                f"{self.baseline!r}."
            )
        return np.asarray(position, np.float32)


@dataclass(frozen=True)
class Dose:
    """An amount between the smallest and the largest dose that was observed, in the user's units.

    usual: a low and a high dose between which most rows lie, where rows were looked at.
    """

    low: float
    high: float
    usual: tuple[float, float] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, column: Array) -> Dose:
        """Read the range off a column of doses, of which at least two differ."""
        low, high = float(np.min(column)), float(np.max(column))
        digits = min(300, -int(np.floor(np.log10((high - low) / 50))))  # for people to read
        first, last = np.clip(np.round(np.percentile(column, TAILS), digits), low, high).tolist()
        return cls(low, high, (first, last) if first < last else None)

    @property
    def strata(self) -> int:
        """Doses are not stratified: one group."""
        return 1

    @property
    def contrast(self) -> tuple[float, float]:
        """What an effect compares where nobody says: a dose that is high for most rows against a
        low one."""
        return self.usual or (self.low, self.high)

    def encode(self, values: object, what: str) -> np.ndarray:
        """Turn doses (one, or several) into places between 0 and 1; `what` names the argument in
        errors."""
        given = _numbers(values)
        if given is None or not np.isfinite(given).all():
            each = np.asarray(values, object).reshape(-1).tolist()
            strange = next(value for value in each if not (is_number(value) and np.isfinite(value)))
            raise ValueError(
                f"{what} must be a dose, a number from {self.low:g} to {self.high:g}, got "
                f"{strange!r}."
            )
        place = self.place(given)
        if given.size and (place.min() < -ROUNDING or place.max() > 1 + ROUNDING):
            low, high = given.min(), given.max()
            span = f"is {low:g}" if low == high else f"goes from {low:g} to {high:g}"
            notice(
                f"{what} {span}, outside the doses that were observed, {self.low:g} to "
                f"{self.high:g}: what is said of "
                "doses outside is extrapolated."
            )
        return place.astype(np.float32)

    def place(self, values: Array) -> np.ndarray:
        """Return where doses lie between the smallest (0) and the largest (1)."""
        return np.asarray((np.asarray(values, np.float64) - self.low) / (self.high - self.low))

    def amount(self, place: Array) -> np.ndarray:
        """Return the doses that lie at these places."""
        return np.asarray(self.low + np.asarray(place, np.float64) * (self.high - self.low))


Treatment = Arms | Dose


def dose_grid(dose: Dose, count: int = 64) -> np.ndarray:
    """Return doses at even steps from the smallest to the largest."""
    return np.linspace(dose.low, dose.high, count)


def _numbers(values: object) -> np.ndarray | None:
    """Return numbers as an array, also those of a column of objects, or None where there are
    others."""
    given = np.asarray(values, object) if isinstance(values, list | tuple) else np.asarray(values)
    if given.dtype == object:
        flat = given.reshape(-1).tolist()
        if not all(is_number(value) for value in flat):
            return None
        given = np.asarray(flat, float).reshape(given.shape)
    return given if given.dtype.kind in "ifu" else None
