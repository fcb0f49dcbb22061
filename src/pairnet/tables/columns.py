"""What a column of training rows is, and how it becomes numbers: a `Quantity`, a `Category`, or
`LeftOut`."""

from __future__ import annotations

import abc
import dataclasses
import math
import re
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pairnet.tables.hints import looks
from pairnet.tables.values import Numbers, Strange, Values, Words, enumerated, fault, word

LEVELS = 20  # the most levels of a category that have a number of their own
RARE = 5  # levels of fewer training rows share "other"
MOST_WORDS = 1000  # text with more different values is no category
RUN = 30  # rows from which on different whole numbers close together cannot be chance
REPEATS = 50  # of so many rows one may repeat another's number, where numbers run
ID_NAME = re.compile(
    r"(?i:(^|[_\s.-])(id|ids|key|uuid|guid)$|^(rownumber|index|unnamed: ?\d*)$)|[a-z](Id|ID|Key)$"
)
SHOWN = 5  # rows and words that an error names

Name = str | int  # an array's columns have positions


@dataclass
class Notes:
    """What reading new rows came across, to be said once."""

    said: list[str] = field(default_factory=list)

    def filled(self, name: Name, count: int, value: str) -> None:
        """Values are missing where none was in fit."""
        self.said.append(
            f"column {name!r} has {_rows(count)} without a value, unlike in fit: {value}"
        )

    def unseen(self, name: Name, count: int, words: list[str], value: str) -> None:
        """Levels came that fit has not seen."""
        self.said.append(
            f"column {name!r} has {_rows(count)} with levels not seen in fit ({_few(words)}): "
            f"{value}"
        )

    def far(self, name: Name, count: int, of_fit: str, value: str) -> None:
        """Numbers came that are far from those of fit."""
        self.said.append(
            f"column {name!r} has {_rows(count)} far outside the range of fit, {of_fit}: as far "
            f"as {value}"
        )


class AbstractColumn(abc.ABC):
    """A column as it was in the training rows."""

    name: Name
    kind: str

    @property
    @abc.abstractmethod
    def features(self) -> tuple[str, ...]:
        """The names of the numbers it becomes."""

    @abc.abstractmethod
    def encode(self, values: Values, notes: Notes) -> np.ndarray:
        """Return the numbers [n, features] of new rows."""

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


@dataclass(frozen=True)
class Quantity(AbstractColumn):
    """A number, a flag (0 or 1) or a date (days since 1970). Where training rows lacked it, a
    second number says so."""

    name: Name
    kind: Literal["number", "flag", "date"]
    fill: float  # the median of training rows, in place of a missing value
    low: float
    high: float
    missing: int = 0  # training rows without a value

    @classmethod
    def of(cls, name: Name, column: Numbers) -> Quantity:
        """Learn from training rows, some of which have values."""
        known = column.values[~column.missing]
        middle = float(np.median(known))
        fill = float(middle >= 0.5) if column.kind == "flag" else middle
        return cls(
            name,
            column.kind,
            fill,
            float(known.min()),
            float(known.max()),
            int(column.missing.sum()),
        )

    @property
    def features(self):
        """Itself, and whether it is missing."""
        return (str(self.name), f"{self.name} is missing")[: 1 + bool(self.missing)]

    def encode(self, values, notes):
        """Return the numbers, missing ones filled."""
        numbers = self._numbers(values)
        missing = np.isnan(numbers)
        check_finite(self.name, numbers)
        if missing.any():
            numbers = np.where(missing, self.fill, numbers)
            if not self.missing:
                notes.filled(self.name, int(missing.sum()), f"taken as {self._show(self.fill)}")
        if (far := self._is_far(numbers)).any():
            farthest = numbers[np.argmax(np.maximum(self.low - numbers, numbers - self.high))]
            notes.far(self.name, int(far.sum()), self._range(), self._show(farthest))
        return np.stack([numbers, missing], axis=1) if self.missing else numbers[:, None]

    def far(self, values: Values) -> np.ndarray:
        """Tell which rows are farther outside the range of training rows than it is wide."""
        return self._is_far(self._numbers(values))

    def lacks(self):
        """Say how many training rows have no value."""
        return str(self.missing)

    def about(self):
        """Its range, and what fills it."""
        text = "yes or no" if self.kind == "flag" else self._range()
        return text + (f"; filled with {self._show(self.fill)}" if self.missing else "")

    def _is_far(self, numbers: np.ndarray) -> np.ndarray:
        width = self.high - self.low or max(abs(self.high), 1.0)
        return (numbers < self.low - width) | (numbers > self.high + width)  # a missing one is not

    def _range(self) -> str:
        return f"{self._show(self.low)} to {self._show(self.high)}"

    def _show(self, value: float) -> str:
        if self.kind == "date":
            return str(np.datetime64("1970-01-01") + np.timedelta64(round(value), "D"))
        if self.kind == "flag" and value in (0, 1):
            return "yes" if value else "no"
        return f"{value:.5g}"

    def _numbers(self, values: Values) -> np.ndarray:
        is_date = self.kind == "date"
        what = "dates" if is_date else "numbers"
        if isinstance(values, Numbers):
            if (values.kind == "date") == is_date or values.missing.all():
                return values.values
            other = "numbers" if is_date else "dates"
            raise ValueError(f"X must hold {what} in column {self.name!r}, as in fit: got {other}.")
        if isinstance(values, Words):
            by_word = values.as_dates() if is_date else values.as_numbers()
            if values.missing.all() or (by_word is not None and not np.isnan(by_word).any()):
                return values.spread(np.zeros(0) if by_word is None else by_word)
            bad = (
                np.isin(values.codes, np.flatnonzero(np.isnan(by_word)))
                if by_word is not None
                else ~values.missing
            )
            advice = f" It {said}." if (said := looks(values.words)) else ""
            raise ValueError(
                f"X must hold {what} in column {self.name!r}, as in fit: "
                f"{_where(values, bad)}.{advice}"
            )
        raise ValueError(
            f"X must hold {what} in column {self.name!r}, as in fit: got {values.what}."
        )


@dataclass(frozen=True)
class Category(AbstractColumn):
    """One of several levels, each a flag of its own; rare levels share one, and so do missing
    values if there were."""

    name: Name
    levels: tuple[str, ...]
    rare: tuple[str, ...] = ()
    missing: int = 0
    kind: Literal["category"] = "category"

    @classmethod
    def of(cls, name: Name, column: Words) -> Category | LeftOut:
        """Learn from training rows, some of which have values."""
        count = np.bincount(column.codes[~column.missing], minlength=len(column.words))
        found = sorted(
            ((int(n), text) for n, text in zip(count, column.words, strict=True) if n),
            key=_commonest,
        )
        if len(found) == 1 and not column.missing.any():
            return LeftOut(name, f"the same in all rows: {found[0][1]!r}")
        kept = [text for n, text in found[:LEVELS] if n >= RARE]
        rare = [text for _, text in found[len(kept) :]]
        known = int(count.sum())
        if not kept or 2 * len(found) > known:
            seems = looks(column.words) or "looks like an identifier or free text"
            return LeftOut(name, f"{seems}: {len(found)} different values in {known} rows")
        if len(found) > MOST_WORDS:
            advice = looks(column.words) or "group them into fewer to use them"
            return LeftOut(name, f"has {len(found)} different values: {advice}")
        return cls(name, tuple(sorted(kept)), tuple(sorted(rare)), int(column.missing.sum()))

    @property
    def features(self):
        """A flag a level, one for rare levels, one for missing values."""
        more = [f"{self.name}=other"] * bool(self.rare) + [f"{self.name} is missing"] * bool(
            self.missing
        )
        return (*(f"{self.name}={level}" for level in self.levels), *more)

    def encode(self, values, notes):
        """Return the flags; a level not seen in fit counts as a rare one, or as none."""
        column = self._words(values)
        other = len(self.levels) if self.rare else -1
        place = {text: at for at, text in enumerate(self.levels)} | dict.fromkeys(self.rare, other)
        lookup = np.asarray([place.get(text, other) for text in column.words] + [-1], np.int64)
        self._note(column, place, notes)
        if self.missing:
            lookup[-1] = len(self.features) - 1
        at = lookup[column.codes]
        flags = np.zeros((len(at), len(self.features)))
        rows = np.flatnonzero(at >= 0)
        flags[rows, at[rows]] = 1.0
        return flags

    def lacks(self):
        """Say how many training rows have no value."""
        return str(self.missing)

    def about(self):
        """Its levels."""
        more = f" and {len(self.rare)} rare as 'other'" if self.rare else ""
        return (
            f"{len(self.levels)} level{'s' * (len(self.levels) != 1)}{more}: "
            f"{enumerated(self.levels)}"
        )

    def hint(self):
        """What its levels look like, if not like levels."""
        return looks((*self.levels, *self.rare))

    def _note(self, column: Words, place: dict[str, int], notes: Notes) -> None:
        new = [at for at, text in enumerate(column.words) if text not in place]
        count = int(np.isin(column.codes, new).sum()) if new else 0
        if count:
            taken = "taken as 'other'" if self.rare else "taken as none of the known ones"
            notes.unseen(self.name, count, sorted(column.words[at] for at in new), taken)
        absent = int(column.missing.sum())
        if absent and not self.missing:
            notes.filled(self.name, absent, "taken as none of the known levels")

    def _words(self, values: Values) -> Words:
        if isinstance(values, Words):
            return values
        if isinstance(values, Strange):
            raise ValueError(
                f"X must hold a category in column {self.name!r}, as in fit: got {values.what}."
            )
        found, codes = np.unique(values.values, return_inverse=True)
        known = found[~np.isnan(found)]  # NaN sorts last
        return Words(
            np.where(codes < len(known), codes, -1), tuple(word(value) for value in known.tolist())
        )


@dataclass(frozen=True)
class LeftOut(AbstractColumn):
    """A column that is not used, and why."""

    name: Name
    why: str
    kind: Literal["left out"] = "left out"

    @property
    def features(self):
        """None."""
        return ()

    def encode(self, values, notes):
        """Return no numbers."""
        raise NotImplementedError("A column that is left out has no numbers.")

    def about(self):
        """Why."""
        return self.why


KINDS: dict[str, type] = dict.fromkeys(("number", "flag", "date"), Quantity) | {
    "category": Category,
    "left out": LeftOut,
}


def learned(name: Name, values: Values, *, everything: bool = False) -> AbstractColumn:
    """Find out what a column of training rows is. `everything`: keep constants and identifiers, as
    of plain arrays."""
    if isinstance(values, Strange):
        return LeftOut(name, f"holds {values.what}, neither numbers nor text nor dates")
    if values.missing.all():
        return LeftOut(name, "has no values at all")
    if isinstance(values, Words) and not values.declared:
        values = understood(name, values)
    if isinstance(values, Words):
        return Category.of(name, values)
    check_finite(name, values.values)
    column = Quantity.of(name, values)
    if everything:
        return column
    if column.low == column.high and not column.missing:
        return LeftOut(name, f"the same in all rows: {column._show(column.low)}")
    if values.kind == "number" and _identifies(str(name), values):
        known = values.values[~values.missing]
        different = f"{len(np.unique(known))} different whole numbers in {_rows(len(known))}"
        return LeftOut(name, f"looks like an identifier: {different}")
    return column


def is_identifiers_name(name: str) -> bool:
    """Tell whether a column is called as identifiers are: customer_id, orderId, key."""
    return bool(ID_NAME.search(name))


def check_finite(name: Name, numbers: np.ndarray, what: str = "X") -> None:
    """Raise for infinite and too large values, with their place."""
    if found := fault(numbers, f" in column {name!r}"):
        raise ValueError(
            f"{what} {found}. Is it a code for a missing value, or a slip? Leave such values "
            "empty or drop those rows; "
            "if they are right, use a larger unit."
        )


def from_json(value: Any) -> AbstractColumn:
    """Make a column of what `to_json` returned; anything else is refused."""
    if not isinstance(value, dict):
        raise ValueError(f"a column must be a JSON object, got {value!r}")
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"a column must be one of {', '.join(KINDS)}, got {kind!r}")
    cls = KINDS[kind]
    names = {each.name for each in dataclasses.fields(cls)}
    if set(value) != names:
        raise ValueError(
            f"a column of kind {kind!r} must have {sorted(names)}, got {sorted(map(str, value))}"
        )
    for name, content in value.items():
        if not _JSON_CHECKS[name](content):
            raise ValueError(f"{name!r} of a column is {content!r}")
    return cls(
        **{
            name: tuple(content) if isinstance(content, list) else content
            for name, content in value.items()
        }
    )


def understood(name: Name, column: Words) -> Numbers | Words:
    """Return text that spells numbers or dates as such; raise if nearly all of it spells
    numbers."""
    numbers = column.as_numbers()
    spelled = ~np.isnan(numbers)
    if spelled.all():
        return Numbers(
            "number", column.spread(numbers), whole=bool(np.all(numbers == np.round(numbers)))
        )
    dates = column.as_dates()
    if dates is not None:
        return Numbers("date", column.spread(dates))
    is_number = np.append(spelled, False)[column.codes]
    wrong = ~is_number & ~column.missing
    if is_number.sum() > wrong.sum():
        raise ValueError(
            f"Column {name!r} holds numbers in {int(is_number.sum())} rows and text in "
            f"{int(wrong.sum())}: "
            f"{_where(column, wrong)}. Make all of them numbers (with a decimal point), leave out "
            "what is missing, or "
            "declare the column a category if its numbers are names."
        )
    return column


def _identifies(name: str, column: Numbers) -> bool:
    """Tell whether whole numbers name rows: mostly different ones under such a name, or nearly all,
    close together."""
    known = column.values[~column.missing]
    if len(known) < RUN or (known != np.round(known)).any():
        return False
    different = len(np.unique(known))
    if is_identifiers_name(name):
        return 2 * different > len(known)
    counted = column.whole or column.missing.any()  # pandas makes floats of integers with gaps
    repeated = len(known) - different
    return bool(counted and repeated <= len(known) // REPEATS and np.ptp(known) < 3 * len(known))


def _commonest(level: tuple[int, str]) -> tuple[int, str]:
    return -level[0], level[1]


def _where(column: Words, bad: np.ndarray) -> str:
    """Say which words stand where no words should."""
    rows = np.flatnonzero(bad)
    found = list(dict.fromkeys(column.words[code] for code in column.codes[rows]))
    more = ", ..." if len(rows) > SHOWN else ""
    places = ", ".join(map(str, rows[:SHOWN].tolist())) + more
    return f"got {_few(found)} in row{'s' * (len(rows) > 1)} {places} (the first row is 0)"


def _few(words: list[str]) -> str:
    return ", ".join(map(repr, words[:SHOWN])) + (", ..." if len(words) > SHOWN else "")


def _rows(count: int) -> str:
    return f"{count} row{'s' * (count != 1)}"


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_JSON_CHECKS = {
    "name": lambda value: isinstance(value, str | int) and not isinstance(value, bool),
    "kind": lambda value: value in KINDS,
    "fill": _finite,
    "low": _finite,
    "high": _finite,
    "missing": lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    "levels": _texts,
    "rare": _texts,
    "why": lambda value: isinstance(value, str),
}
