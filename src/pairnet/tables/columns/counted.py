"""What is known of a column exactly, though its rows are never in memory together.

A sample of the rows says what kind of column it is. All of the rows, counted block by block, say
its range, its levels and how many values are missing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from pairnet.tables.columns.base import AbstractColumn
from pairnet.tables.columns.category import MOST_WORDS, Category
from pairnet.tables.columns.left_out import LeftOut
from pairnet.tables.columns.quantity import Quantity
from pairnet.tables.values import Numbers, Values, Words

MOST_COUNTED = 50 * MOST_WORDS  # different texts; a column with more is free text or an identifier


class Counted:
    """Counts of a column, to which blocks are added."""

    def __init__(self) -> None:
        self.missing, self.present = 0, 0
        self.low, self.high = np.inf, -np.inf
        self.words: Counter[str] | None = Counter()  # None: too many different ones

    def add(self, values: Values) -> None:
        """Count the values of a block."""
        if isinstance(values, Numbers):
            self._add_numbers(values.values)
        elif isinstance(values, Words):
            self._add_words(values)

    def correct(self, column: AbstractColumn) -> AbstractColumn:
        """Return a column that was learned from a sample, as all rows show it."""
        if isinstance(column, Quantity) and self.present:
            return replace(column, low=self.low, high=self.high, missing=self.missing)
        if isinstance(column, Category):
            if self.words is None:
                return LeftOut(column.name, f"text with more than {MOST_COUNTED:,} values")
            return Category.of_counts(column.name, self.words, self.missing)
        if isinstance(column, LeftOut):
            return replace(column, why=f"{column.why} (in rows drawn by lot)")
        return column

    def _add_numbers(self, values: np.ndarray) -> None:
        present = values[~np.isnan(values)]
        self.missing += len(values) - len(present)
        self.present += len(present)
        if len(present):
            self.low = min(self.low, float(present.min()))
            self.high = max(self.high, float(present.max()))

    def _add_words(self, values: Words) -> None:
        counts = np.bincount(values.codes[values.codes >= 0], minlength=len(values.words))
        self.missing += int((values.codes < 0).sum())
        self.present += int(counts.sum())
        for spelled in (values.as_numbers(), values.as_dates()):
            if len(spelled) and not np.isnan(spelled).any():
                self.low = min(self.low, float(spelled.min()))
                self.high = max(self.high, float(spelled.max()))
        if self.words is not None:
            self.words.update(
                {word: int(n) for word, n in zip(values.words, counts, strict=True) if n}
            )
            if len(self.words) > MOST_COUNTED:
                self.words = None
