"""Answers as people see them: a short text, in a notebook a table, and for programs a frame."""

from __future__ import annotations

import abc
import html
from typing import Any

import numpy as np

from pairnet.core.words import p_text

MOST_SHOWN = 60  # lines of a table that is shown


class Shown(abc.ABC):
    """What is shown as a small table with sentences, never as the values inside."""

    @abc.abstractmethod
    def _lines(self) -> list[list[str]]:
        """Return the header and the rows as text."""

    @property
    def headline(self) -> str:
        """A line above the table; "" for none."""
        return ""

    def notes(self) -> tuple[str, ...]:
        """Return what a reader must know beside the numbers, in sentences."""
        return ()

    def __str__(self) -> str:
        lines, notes = self._shown()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [_laid_out(line, widths) for line in lines]
        return "\n".join([*filter(None, [self.headline]), *text, *notes])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        lines, notes = self._shown()
        first = f"<p><strong>{html.escape(self.headline)}</strong></p>" if self.headline else ""
        return first + _as_html(lines) + "".join(f"<p>{html.escape(note)}</p>" for note in notes)

    def _shown(self) -> tuple[list[list[str]], list[str]]:
        """Return as many lines as are shown, and the notes, which count the others."""
        lines, notes = self._lines(), list(self.notes())
        if (more := len(lines) - 1 - MOST_SHOWN) > 0:
            notes.insert(0, f"... and {more:,} more.")
        return lines[: MOST_SHOWN + 1], notes


class Listing(Shown):
    """Some columns of the same length, one line a thing."""

    @abc.abstractmethod
    def columns(self) -> dict[str, np.ndarray]:
        """Return the columns by their names, in the order in which they are shown."""

    def frame(self) -> Any:
        """Return the table as a data frame of pandas or, where that is not installed, of polars."""
        try:
            import pandas
        except ImportError:
            import polars

            return polars.DataFrame(self.columns())
        return pandas.DataFrame(self.columns())

    def _lines(self) -> list[list[str]]:
        columns = self.columns()
        texts = (
            [_cell(name, value) for value in values.tolist()] for name, values in columns.items()
        )
        return [list(columns), *map(list, zip(*texts, strict=True))]


def _as_html(lines: list[list[str]]) -> str:
    """Write lines as a table of a page; the first is its header."""
    if len(lines) < 2:
        return ""
    header, *rows = ([html.escape(cell) for cell in line] for line in lines)
    head = "".join(f"<th>{cell}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _laid_out(cells: list[str], widths: list[int]) -> str:
    """Write one line: the first column begins on the left, numbers end on the right."""
    first, *others = zip(cells, widths, strict=True)
    return "  ".join([f"{first[0]:<{first[1]}}", *(f"{cell:>{width}}" for cell, width in others)])


def _cell(column: str, value: Any) -> str:
    if column == "p":
        return p_text(value)
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
