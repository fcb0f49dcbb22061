"""A column of names: one of several levels in every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.tables.columns.base import AbstractColumn, Name, Strangeness
from pairnet.tables.columns.left_out import LeftOut
from pairnet.tables.hints import looks
from pairnet.tables.values import Strange, Values, Words, enumerated, word

MOST_FLAGS = 20  # the most levels of a category with a flag of their own
RARE = 5  # levels of fewer training rows share "other"
MOST_WORDS = 1000  # text with more different values is no category


@dataclass(frozen=True)
class Category(AbstractColumn):
    """One of several levels, each with a flag of its own.

    Rare levels share one flag, and so do missing values, if training rows had some.
    """

    name: Name
    levels: tuple[str, ...]
    rare: tuple[str, ...] = ()
    missing: int = 0  # training rows without a value
    kind: Literal["category"] = "category"

    @classmethod
    def of(cls, name: Name, column: Words) -> Category | LeftOut:
        """Learn from training rows, some of which have values."""
        counts = np.bincount(column.codes[~column.missing], minlength=len(column.words))
        rows_of = {text: int(n) for text, n in zip(column.words, counts, strict=True) if n}
        return cls.of_counts(name, rows_of, int(column.missing.sum()))

    @classmethod
    def of_counts(cls, name: Name, rows_of: Mapping[str, int], missing: int) -> Category | LeftOut:
        """Learn from how many training rows have each level, and how many have none."""
        levels = sorted(rows_of, key=lambda text: (-rows_of[text], text))  # common ones first
        if len(levels) == 1 and not missing:
            return LeftOut(name, f"the same in all rows: {levels[0]!r}")
        common = [text for text in levels[:MOST_FLAGS] if rows_of[text] >= RARE]
        if why := _no_levels(tuple(rows_of), len(levels), sum(rows_of.values()), bool(common)):
            return LeftOut(name, why)
        rare = levels[len(common) :]
        return cls(name, tuple(sorted(common)), tuple(sorted(rare)), missing)

    @property
    def features(self):
        """One flag for each level, one for rare levels, one for missing values."""
        flags = [f"{self.name}={level}" for level in self.levels]
        flags += [f"{self.name}=other"] if self.rare else []
        flags += [f"{self.name} is missing"] if self.missing else []
        return tuple(flags)

    def encode(self, values, strangeness):
        """Return the flags; a level that was not in the fit counts as a rare one, or as none."""
        column = self._words(values)
        other = len(self.levels) if self.rare else -1
        place = {text: at for at, text in enumerate(self.levels)} | dict.fromkeys(self.rare, other)
        lookup = np.asarray([place.get(text, other) for text in column.words] + [-1], np.int64)
        self._note(column, place, strangeness)
        if self.missing:
            lookup[-1] = len(self.features) - 1
        at = lookup[column.codes]
        flags = np.zeros((len(at), len(self.features)))
        rows = np.flatnonzero(at >= 0)
        flags[rows, at[rows]] = 1.0
        return flags

    def lacks(self):
        return str(self.missing)

    def about(self):
        count = len(self.levels)
        more = f" and {len(self.rare)} rare as 'other'" if self.rare else ""
        return f"{count} level{'s' * (count != 1)}{more}: {enumerated(self.levels)}"

    def hint(self):
        return looks((*self.levels, *self.rare))

    def _note(self, column: Words, place: dict[str, int], strangeness: Strangeness) -> None:
        new = [code for code, text in enumerate(column.words) if text not in place]
        count = int(np.isin(column.codes, new).sum()) if new else 0
        if count:
            taken = "taken as 'other'" if self.rare else "taken as none of the known ones"
            strangeness.unseen(self.name, count, sorted(column.words[at] for at in new), taken)
        absent = int(column.missing.sum())
        if absent and not self.missing:
            strangeness.filled(self.name, absent, "taken as none of the known levels")

    def _words(self, values: Values) -> Words:
        """Return values as words; numbers are names here."""
        if isinstance(values, Words):
            return values
        if isinstance(values, Strange):
            where = f"in column {self.name!r}, as in fit"
            raise BadInput("X", f"must hold a category {where}: got {values.what}")
        numbers, codes = np.unique(values.values, return_inverse=True)
        present = numbers[~np.isnan(numbers)]  # NaN sorts last
        words = tuple(word(number) for number in present.tolist())
        return Words(np.where(codes < len(present), codes, -1), words)


def _no_levels(words: Sequence[str], different: int, rows: int, some_are_common: bool) -> str:
    """Say why text is no category, if it is none: too many of its values differ."""
    if not some_are_common or 2 * different > rows:
        seems = looks(words) or "looks like an identifier or free text"
        return f"{seems}: {different} different values in {rows} rows"
    if different > MOST_WORDS:
        advice = looks(words) or "group them into fewer to use them"
        return f"has {different} different values: {advice}"
    return ""
