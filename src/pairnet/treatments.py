"""What the treatment column is: `Arms`, two or more named alternatives, or a `Dose`. Inside, an arm is its position."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from pairnet.types import Array


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

    def encode(self, values: object, what: str) -> np.ndarray:
        """Turn labels (one, or one a row) into positions 0, 1, ...; `what` names the argument in errors."""
        given = np.asarray(values)
        known = np.asarray(self.labels)
        try:
            position = np.searchsorted(known, given)
            found = known[np.minimum(position, len(known) - 1)] == given
        except (TypeError, np.exceptions.DTypePromotionError):
            position, found = np.zeros(given.shape, int), np.zeros(given.shape, bool)
        if not np.all(found):
            strange = sorted({repr(value) for value in given[~np.asarray(found)].reshape(-1).tolist()})
            raise ValueError(
                f"{what} names no arm of this model: expected one of {', '.join(map(repr, self.labels))}, "
                f"got {', '.join(strange[:5])}. Name the arms to compare, for example "
                f"effect(X, T0={self.labels[0]!r}, T1={self.labels[-1]!r})."
            )
        return np.asarray(position, np.float32)


@dataclass(frozen=True)
class Dose:
    """An amount between two ends, in the user's units."""

    low: float
    high: float
