"""How the columns of a file were written: what was made of each, to be said, saved and done again.

Only what is not plain is kept: a column of 12.5 and 2024-12-31 needs no word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pairnet.core.errors import listed
from pairnet.tables.written.days import Days
from pairnet.tables.written.figures import Figures

MOST_NAMED = 5  # words that are shown


@dataclass(frozen=True)
class Written:
    """How a column was written.

    way: of numbers or dates, None if they are plain. shown: a value as it is written, and what it
    was read as. missing: words that were taken for missing values.
    """

    way: Figures | Days | None = None
    shown: tuple[str, str] | None = None
    missing: tuple[str, ...] = ()

    def about(self) -> str:
        """Write what was made of the column."""
        parts = [f"{self.shown[0]!r} is read as {self.shown[1]}"] if self.shown else []
        if self.missing:
            words = listed([*map(repr, self.missing[:MOST_NAMED])])
            more = ", ..." * (len(self.missing) > MOST_NAMED)
            parts.append(f"{words}{more} {'is' if len(self.missing) == 1 else 'are'} missing")
        return "; ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        way = {} if self.way is None else {"way": self.way.to_json()}
        shown = {} if self.shown is None else {"shown": list(self.shown)}
        return {**way, **shown, "missing": list(self.missing)}

    @classmethod
    def from_json(cls, value: Any) -> Written:
        """Make it from the result of `to_json`; anything else is refused."""
        if not isinstance(value, dict) or not {*value} <= {"way", "shown", "missing"}:
            raise ValueError(f"a column cannot be written as {value!r}")
        shown = _texts(value.get("shown", []))
        if len(shown) not in (0, 2):
            raise ValueError(f"'shown' must be a value and what it is read as, got {shown!r}")
        pair = (shown[0], shown[1]) if shown else None
        return cls(_way(value.get("way")), pair, _texts(value.get("missing")))


@dataclass(frozen=True)
class Writing:
    """How a file was written: the decimal mark, if it is known, words for missing, and columns."""

    decimal: str | None = None
    na: tuple[str, ...] = ()
    columns: Mapping[str, Written] = field(default_factory=dict, hash=False)

    def __bool__(self) -> bool:
        """Whether there is anything to remember."""
        return bool(self.decimal == "," or self.na or self.columns)

    def about(self, name: Any) -> str:
        """Write what was made of a column, or nothing."""
        return self.columns[name].about() if name in self.columns else ""

    def of(self, names: Any) -> Writing:
        """Return the writing of some columns."""
        columns = {name: self.columns[name] for name in names if name in self.columns}
        return Writing(self.decimal, self.na, columns)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        columns = {name: column.to_json() for name, column in self.columns.items()}
        return {"decimal": self.decimal, "na": list(self.na), "columns": columns}

    @classmethod
    def from_json(cls, value: Any) -> Writing:
        """Make it from the result of `to_json`; anything else is refused."""
        if not isinstance(value, dict) or set(value) != {"decimal", "na", "columns"}:
            raise ValueError("'written' must have 'decimal', 'na' and 'columns'")
        if value["decimal"] not in (None, ".", ",") or not isinstance(value["columns"], dict):
            raise ValueError("'written' has a decimal mark or columns that cannot be")
        columns = {name: Written.from_json(column) for name, column in value["columns"].items()}
        return cls(value["decimal"], _texts(value["na"]), columns)


PLAIN = Writing()  # of a table in memory, or of a file whose values need no word


def _way(value: Any) -> Figures | Days | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError(f"a way of writing must be an object, got {value!r}")
    for kind, names in ((Figures, {"decimal", "thousands", "unit"}), (Days, {"order"})):
        if set(value) == names and all(isinstance(text, str) for text in value.values()):
            return kind.from_json(value)
    raise ValueError(f"there is no way of writing {value!r}")


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"expected texts, got {value!r}")
    return tuple(value)
