"""An answer that is a small table: text for people, a data frame for programs."""

from __future__ import annotations

import abc
import html
from typing import Any

import numpy as np

from pairnet.core.words import p_text


class Listing(abc.ABC):
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

    def notes(self) -> tuple[str, ...]:
        """Return what a reader must know beside the numbers, in sentences."""
        return ()

    def __str__(self) -> str:
        lines = self._lines()
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        text = [_laid_out(line, widths) for line in lines]
        return "\n".join([*text, *self.notes()])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        header, *rows = ([html.escape(cell) for cell in line] for line in self._lines())
        head = "".join(f"<th>{cell}</th>" for cell in header)
        body = "".join(
            "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows
        )
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"

    def _lines(self) -> list[list[str]]:
        """Return the header and the rows as text."""
        columns = self.columns()
        texts = (
            [_cell(name, value) for value in values.tolist()] for name, values in columns.items()
        )
        return [list(columns), *map(list, zip(*texts, strict=True))]


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
