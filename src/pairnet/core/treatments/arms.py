"""Treatments that are alternatives: two or more arms with names."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from pairnet.core.errors import Argument, BadInput, InPython, Setting, Use, count_of
from pairnet.core.missing import unmasked
from pairnet.core.treatments.base import AbstractTreatment
from pairnet.core.types import Array, is_count, is_finite
from pairnet.core.words import shown, spelled, word

# What arms without a treatment are called: all of the label, its first word, any word of it.
UNTREATED = (
    r"(control|placebo|none|no|untreated|baseline|off|usual|standard)",
    r"(no|not|without|control|placebo|none|untreated)\b.*",
    r".*\b(control|placebo|untreated|none)",
    r"(usual|standard|baseline)\b.*",
)
MOST_ARMS_OF_FEW = 50  # a column with more arms, each of few rows, holds no arms
# What to do where a search or a cross-validation has made the rows; model/searches.py looks for it.
IN_FOLDS = InPython(
    "In a search or a cross-validation, cv=pairnet.StratifiedByTreatment() puts every arm into "
    "every fold."
)
LISTED = 20  # arms that a message lists
SHOWN_ARMS = 10  # arms whose rows a summary counts


@dataclass(frozen=True)
class Arms(AbstractTreatment):
    """Two or more named treatments. Labels may be numbers, booleans or strings.

    labels: by position, the number that stands for an arm inside the library. Rows decide on the
    positions, since names must not change effects (see `arranged`); people see `in_order`.
    """

    labels: tuple[Hashable, ...]

    name: ClassVar[str] = "arms"
    one: ClassVar[str] = "arm"

    @classmethod
    def of(cls, column: Array) -> Arms:
        """Return the arms in a treatment column (already checked for missing values)."""
        return cls(tuple(np.unique(column).tolist()))

    @classmethod
    def claims(cls, column):
        return True

    @classmethod
    def read(cls, column):
        arms, rows = cls.of(column), len(column)
        if len(arms) < 2:
            raise BadInput(
                "treatment",
                f"must take at least two values, got only {arms.labels[0]!r} in all {rows} rows: "
                "an effect compares rows that were treated differently",
                IN_FOLDS,
            )
        if len(arms) > MOST_ARMS_OF_FEW and len(arms) > rows / 20:
            raise BadInput(
                "treatment",
                f"takes {len(arms)} different values in {rows} rows, which looks like a dose or an "
                f"identifier: expected up to {MOST_ARMS_OF_FEW} arms, or many rows in each",
                ("For a dose use ", Use("VCNet"), " or ", Use("PairNet", "base=VCNet()"), "."),
            )
        return arms

    def arranged(self, t, places):
        """Put the arm with most rows first; of equally many, the one that has the first place."""
        here = t[:, None] == np.arange(len(self))
        count = here.sum(axis=0)
        alike = len(np.unique(count)) < len(count)
        place = places() if alike else t
        rows = [np.sort(place[own]).tolist() if alike else [] for own in here.T]
        order = sorted(range(len(self)), key=lambda arm: (-count[arm], rows[arm]))
        return Arms(tuple(self.labels[arm] for arm in order))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def strata(self):
        return len(self.labels)

    @cached_property
    def in_order(self) -> tuple[Hashable, ...]:
        """The labels in the order of numbers or of the alphabet, as people expect them."""
        return tuple(self.labels[position] for position in self._order)

    @cached_property
    def baseline(self) -> Hashable:
        """The arm to compare with: the one whose label says untreated, else the first."""
        return self.in_order[0] if self._untreated is None else self._untreated

    @cached_property
    def others(self) -> tuple[Hashable, ...]:
        """The arms that are not the baseline."""
        return tuple(label for label in self.in_order if label != self.baseline)

    @property
    def is_ordered(self) -> bool:
        """Whether the baseline is clear: labels are numbers or booleans, or one says untreated."""
        return not isinstance(self.labels[0], str) or self._untreated is not None

    @property
    def contrast(self):
        """What an effect compares by default: of two arms, the other against the baseline.

        Of more arms it is 1 against 0, if there are such. Two words are not enough if neither says
        that it is the untreated arm: the sign would be a guess.
        """
        if len(self.labels) == 2 and self.is_ordered:
            return self.baseline, self.others[0]
        if 0 in self.labels and 1 in self.labels:
            return 0, 1
        raise BadInput(
            "",
            (
                Argument("T0"),
                " and ",
                Argument("T1"),
                f" must say which arms to compare, of {_listed(self.in_order[:10])}: for example ",
                Setting("T0", self.example[0]),
                ", ",
                Setting("T1", self.example[1]),
            ),
        )

    @property
    def example(self):
        return self.baseline, self.others[-1]

    def completed(self, T0, T1):
        if T0 is not None and T1 is not None:
            return T0, T1
        one, name = (T0, "T0") if T1 is None else (T1, "T1")
        if one is not None:
            self.encode(one, name)
        is_label = one is not None and np.ndim(one) == 0
        if is_label and len(self.labels) == 2:
            other = self.labels[1 - self.labels.index(one)]
            return (one, other) if T1 is None else (other, one)
        if is_label and T0 is None and self.is_ordered and one != self.baseline:
            return self.baseline, one
        first, second = self.contrast
        return first if T0 is None else T0, second if T1 is None else T1

    def shown_against(self, T0, T1):
        return tuple(label for label in self.in_order if label != T0)

    def comparisons(self):
        return [(self.baseline, label) for label in self.others] if self.is_ordered else []

    def encode(self, values, argument):
        try:
            labels, arms = np.asarray(unmasked(values)), np.asarray(self.in_order)
        except ValueError:
            raise BadInput(
                argument, f"must be one arm, or one per row, got {shown(values)}"
            ) from None
        try:
            rank = np.minimum(np.searchsorted(arms, labels), len(arms) - 1)
            position, is_known = self._order[rank], arms[rank] == labels
        except (TypeError, ArithmeticError, np.exceptions.DTypePromotionError):
            position, is_known = np.zeros(labels.shape, int), np.zeros(labels.shape, bool)
        if not np.all(is_known):
            others = labels[~np.asarray(is_known)].reshape(-1).tolist()
            strange = sorted({shown(value) for value in others})
            raise BadInput(
                argument,
                f"names no arm of this model: expected one of {_listed(self.in_order)}, got "
                f"{', '.join(strange[:5])}",
                (
                    f"Name arms as they are in fit, for example {self.baseline!r}.",
                    *((" ", IN_FOLDS) if labels.ndim else ()),
                ),
            )
        return np.asarray(position, np.float32)

    def label_of(self, t):
        return np.asarray(self.labels)[np.asarray(t).astype(int)]

    def label_in(self, text, argument):
        exact = [label for label in self.labels if text in (word(label), str(label))]
        alike = [
            label
            for label in self.labels
            if str(label).lower() == text.lower() or spelled(text) == label
        ]
        if exact or len(alike) == 1:
            return (exact or alike)[0]
        names = [repr(name) if "," in name else name for name in map(word, self.in_order)]
        shown = ", ".join(names[:LISTED]) + ", ..." * (len(names) > LISTED)
        raise BadInput(
            argument, f"names no arm of this model: expected one of {shown}, got {text!r}"
        )

    def holds(self, t):
        return np.isin(t, np.arange(len(self)))

    def alike(self, t, value):
        return np.abs(t - value) <= 0

    def rounded(self, t):
        return t

    def groups(self, t):
        return tuple(map(word, self.labels)), t.astype(int)

    def order(self, groups):
        return self._order

    def check_rows(self, t, needed, purpose):
        for position, label in zip(self._order, self.in_order, strict=True):
            count = int((t == position).sum())
            if count < needed:
                raise BadInput(
                    "",
                    f"Arm {label!r} has {count} rows: expected at least {needed}, {purpose}",
                    ("Collect more rows or merge small arms. ", IN_FOLDS),
                )

    def columns(self, t):
        """Return labels that are numbers as they are, and a flag for each arm."""
        flags = t[:, None] == np.arange(len(self))
        labels = np.asarray(self.labels)
        if labels.dtype.kind not in "bifu":
            return flags.astype(float)
        return np.hstack([labels.astype(float)[t.astype(int)][:, None], flags])

    def words(self, summary):
        first = summary["arms"][:SHOWN_ARMS]
        arms = ", ".join(f"{word(row['arm'])} ({count_of(row['rows'])})" for row in first)
        return f"{len(self)} arms: {arms}{', ...' if len(self) > SHOWN_ARMS else ''}"

    def summary(self, t):
        counts = np.bincount(t.astype(int), minlength=len(self))[self._order].tolist()
        arms = [
            {"arm": arm, "rows": count} for arm, count in zip(self.in_order, counts, strict=True)
        ]
        return {"kind": self.name, "arms": arms}

    def table(self, summary):
        total = sum(arm["rows"] for arm in summary["arms"])
        rows = [
            (word(arm["arm"]), arm["rows"], f"{100 * arm['rows'] / total:.1f} %")
            for arm in summary["arms"]
        ]
        return ("arm", "rows", "share"), rows

    def summary_checks(self):
        return {"kind": lambda kind: kind == self.name, "arms": self._are_arms}

    def to_json(self):
        return {"kind": self.name, "labels": list(self.labels)}

    @classmethod
    def from_json(cls, value: Any):
        labels = value["labels"]
        if not isinstance(labels, list) or len(labels) < 2:
            raise ValueError("it does not say what the treatment is")
        plain = all(isinstance(label, str | bool) or is_finite(label) for label in labels)
        if not plain or len({*map(type, labels)}) > 1 or len({*labels}) < len(labels):
            raise ValueError("its arms are not different labels")
        return cls(tuple(labels))

    def refused_by(self, method):
        return BadInput(
            "",
            f"{method} learns from doses; it cannot compare arms",
            ("Use ", Use("PairNet"), " or ", Use("TARNet"), "."),
        )

    def _are_arms(self, value: Any) -> bool:
        is_one = lambda arm: isinstance(arm, dict) and is_count(arm.get("rows"))
        good = isinstance(value, list) and all(map(is_one, value))
        if not good or [arm.get("arm") for arm in value] != list(self.in_order):
            return False
        return sum(arm["rows"] for arm in value) > 0

    @cached_property
    def _order(self) -> np.ndarray:
        """The positions of the arms in the order of their labels."""
        return np.argsort(np.asarray(self.labels), kind="stable")

    @cached_property
    def _untreated(self) -> Hashable | None:
        """Return the one arm whose label says that it is untreated; plainer labels come first."""
        for pattern in UNTREATED:
            fitting = [
                label for label in self.labels if re.fullmatch(pattern, str(label).strip().lower())
            ]
            if fitting:
                return fitting[0] if len(fitting) == 1 else None
        return None


def _listed(labels: tuple[Hashable, ...]) -> str:
    return ", ".join(map(repr, labels))
