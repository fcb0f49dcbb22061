"""What every column of the training rows is.

It is learned once, kept with the model, and asked to encode new rows.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.errors import BadInput, InPython
from pairnet.core.listing import Shown
from pairnet.core.words import is_unicode
from pairnet.tables.columns import (
    AbstractColumn,
    LeftOut,
    Quantity,
    Strangeness,
    from_json,
    learned,
)
from pairnet.tables.opening import AbstractTable, opened
from pairnet.tables.written.writing import PLAIN, Writing

SUMMARY_WIDTH = 80  # letters
NAME_WIDTH = 24  # of these for a name


@dataclass(frozen=True, repr=False)
class Schema(Shown):
    """The columns of a table, in the order of the training rows.

    named: whether columns of new rows are found by their names instead of their positions. written:
    how these columns were written in a file, so that files of new rows are read in the same way.
    """

    columns: tuple[AbstractColumn, ...]
    named: bool
    written: Writing = PLAIN

    @classmethod
    def of(cls, X: Any) -> Schema:
        """Learn from training rows what each column is."""
        table = opened(X)
        if table.schema is not None:
            return table.schema
        names: Sequence[str | int] = range(table.width) if table.names is None else table.names
        columns = tuple(
            learned(name, table.column(position), everything=table.plain)
            for position, name in enumerate(names)
        )
        if all(isinstance(column, LeftOut) for column in columns):
            why = "; ".join(f"{column.name!r} {column.about()}" for column in columns[:5])
            raise BadInput("X", f"has no column to learn from: {why}")
        _check_unicode(columns)
        return cls(columns, table.names is not None)

    def encode(self, X: Any) -> Float[np.ndarray, "n d"]:
        """Return rows as numbers; one warning sums up what the fit has not seen."""
        table = opened(X)
        if table.schema is not self:
            return self._encoded(table)
        if table.encoded is None:
            table.encoded = self._encoded(table)
        return table.encoded

    def of_rows(self, X: Any) -> AbstractTable:
        """Return training rows as a table that knows this schema, and is encoded only once."""
        table = opened(X)
        table.schema = self
        return table

    def _encoded(self, table: AbstractTable) -> Float[np.ndarray, "n d"]:
        strangeness = Strangeness()
        encoded = self.encode_noting(table, strangeness)
        strangeness.tell()
        return encoded

    def encode_noting(self, X: Any, strangeness: Strangeness) -> Float[np.ndarray, "n d"]:
        """Return rows as numbers, and note what the fit has not seen instead of warning of it."""
        table = opened(X)
        encoded = np.empty((table.rows, len(self.features)))
        places = self._positions(table)
        done = self._plain(table, places, encoded)
        for place, column, start in zip(places, self.columns, self._starts, strict=True):
            if place in done or isinstance(column, LeftOut):
                continue
            stop = start + len(column.features)
            encoded[:, start:stop] = column.encode(table.column(place), strangeness)
        return encoded

    def _plain(self, table: AbstractTable, places: Sequence[int], encoded: np.ndarray) -> set[int]:
        """Encode quantities whose values are all there, and not far from those of the fit, at once.

        The result has the places of these columns; all others need a look at each.
        """
        which, low, high = self._usual
        numbers = table.numbers([places[at] for at in which]) if len(which) else None
        if numbers is None:
            return set()
        good = ((numbers >= low) & (numbers <= high)).all(axis=0)
        starts = self._starts[which[good]]
        encoded[:, starts] = numbers if good.all() else numbers[:, good]
        for at in which[good]:
            flags = len(self.columns[at].features) - 1
            if flags:
                encoded[:, self._starts[at] + 1] = 0
        return {places[at] for at in which[good]}

    @cached_property
    def _starts(self) -> Int[np.ndarray, " c"]:
        """The first encoded column of each column."""
        widths = [len(column.features) for column in self.columns]
        return np.cumsum([0, *widths])[:-1]

    @cached_property
    def _usual(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which columns are numbers, and the ends of what is not far from those of the fit."""
        which = [at for at, column in enumerate(self.columns) if column.kind in ("number", "flag")]
        ends = [column.usual for at in which if isinstance(column := self.columns[at], Quantity)]
        low, high = np.asarray(ends, float).reshape(-1, 2).T
        return np.asarray(which, int), low, high

    def far(self, X: Any) -> Bool[np.ndarray, " n"]:
        """Tell which rows have some number far outside those of the fit."""
        table = opened(X)
        far = np.zeros(table.rows, bool)
        for position, column in zip(self._positions(table), self.columns, strict=True):
            if isinstance(column, Quantity):
                far |= column.far(table.column(position))
        return far

    def blocks(
        self, x: Float[np.ndarray, "n d"]
    ) -> Iterator[tuple[AbstractColumn, Float[np.ndarray, "n c"]]]:
        """Yield every used column with its part of the encoded rows."""
        start = 0
        for column in self.columns:
            stop = start + len(column.features)
            if stop > start:
                yield column, x[:, start:stop]
            start = stop

    @cached_property
    def features(self) -> tuple[str, ...]:
        """The names of the encoded columns."""
        return tuple(feature for column in self.columns for feature in column.features)

    @property
    def bounds(self) -> Float[np.ndarray, "d 2"]:
        """The smallest and the largest value of each encoded column in the training rows."""
        return np.asarray([ends for column in self.columns for ends in column.bounds])

    @property
    def names(self) -> tuple[str | int, ...]:
        """The names of the columns, or their positions in an array."""
        return tuple(column.name for column in self.columns)

    @property
    def used(self) -> tuple[str, ...]:
        """The names of the columns that become numbers."""
        return tuple(str(column.name) for column in self.columns if column.features)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The columns that are not used, each with the reason."""
        return tuple(column for column in self.columns if isinstance(column, LeftOut))

    def summary(self) -> str:
        """Write a table for people: what each column is, what it lacks, what becomes of it."""
        return "\n".join([*_laid_out(self._lines()), *self.notes()])

    def __str__(self) -> str:
        lines, notes = self._shown()
        return "\n".join([*_laid_out(lines), *notes])

    def _lines(self) -> list[list[str]]:
        rows = [["covariate", "kind", "missing", "values"]]
        for column in self.columns:
            name = _short(str(column.name), NAME_WIDTH)
            rows.append([name, column.kind, column.lacks(), column.about()])
            below = [column.hint(), self.written.about(column.name)]
            rows += [["", "", "", text] for text in below if text]
        return rows

    def notes(self) -> tuple[str, ...]:
        """Say how many numbers the columns become."""
        used = len(self.columns) - len(self.left_out)
        become = "1 column becomes" if used == 1 else f"{used} columns become"
        numbers = f"{len(self.features)} number{'s' * (len(self.features) != 1)}"
        return (f"{become} {numbers}; {len(self.left_out)} left out.",)

    def to_json(self) -> dict[str, Any]:
        """Return the schema as plain values."""
        columns = [column.to_json() for column in self.columns]
        written = {"written": self.written.to_json()} if self.written else {}
        return {"named": self.named, "columns": columns, **written}

    @classmethod
    def from_json(cls, value: Any) -> Schema:
        """Make a schema from the result of `to_json`; anything else is refused."""
        if (
            not isinstance(value, dict)
            or {*value} - {"written"} != {"named", "columns"}
            or not isinstance(value["columns"], list)
        ):
            raise ValueError("a schema must have 'named' and 'columns'")
        columns = tuple(map(from_json, value["columns"]))
        named = value["named"] is True
        if len({column.name for column in columns}) < len(columns):
            raise ValueError("a schema must name each column once")
        if any(isinstance(column.name, str) != named for column in columns):
            raise ValueError("a schema must name all of its columns, or none")
        if not named and [column.name for column in columns] != list(range(len(columns))):
            raise ValueError("a schema without names must have its columns in their order")
        if not any(column.features for column in columns):
            raise ValueError("a schema must have a column that is used")
        written = Writing.from_json(value["written"]) if "written" in value else PLAIN
        return cls(columns, named, written)

    def _positions(self, table: AbstractTable) -> list[int]:
        """Return the position of each column in the table; -1 for an unused one that is absent."""
        if self.named and table.names is not None:
            place = {name: position for position, name in enumerate(table.names)}
            self._check_names(place)
            return [place.get(str(column.name), -1) for column in self.columns]
        if table.width != len(self.columns):
            problem = f"must have the {len(self.columns)} columns of the fit, got {table.width}"
            raise BadInput("X", problem, "Pass the same covariates.")
        return list(range(table.width))

    def _check_names(self, names: Collection[str]) -> None:
        """Raise if columns of the fit are missing, and name those that it did not have."""
        used = [column.name for column in self.columns if column.features]
        missing = [name for name in used if name not in names]
        columns_of_fit = set(self.names)
        extra = [name for name in names if name not in columns_of_fit]
        if missing:
            others = f"; not seen in fit {extra[:5]}" if extra else ""
            raise BadInput(
                "X",
                f"must have the columns of the fit, in any order: missing {missing[:5]}{others}",
                InPython("Select them with X[model.feature_names_in_]."),
            )


def _check_unicode(columns: Sequence[AbstractColumn]) -> None:
    """Raise for names and levels that no file can hold."""
    for column in columns:
        if not is_unicode(json.dumps(column.to_json(), ensure_ascii=False)):
            problem = f"has text that cannot be written to a file, in column {column.name!r}"
            raise BadInput("X", problem, "It holds half a character (a surrogate): replace it.")


def _laid_out(rows: list[list[str]]) -> list[str]:
    """Return the lines of a table; reasons are folded, and long lists of values are cut."""
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    room = SUMMARY_WIDTH - sum(widths) - 6
    lines = []
    for name, kind, missing, values in rows:
        start = f"{name:<{widths[0]}}  {kind:<{widths[1]}}  {missing:>{widths[2]}}  "
        is_reason = kind in (LeftOut.kind, "")
        texts = textwrap.wrap(values, room) if is_reason else [_short(values, room)]
        lines += [(" " * len(start) if at else start) + text for at, text in enumerate(texts)]
    return [line.rstrip() for line in lines]


def _short(text: str, room: int) -> str:
    return text if len(text) <= room else text[: room - 3] + "..."
