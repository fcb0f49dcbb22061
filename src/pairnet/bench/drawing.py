"""How an experiment is drawn: which values of rows and columns go where in a figure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AbstractDrawing:
    """A kind of figure. By default, a figure shows the mean of every row for each column."""


@dataclass(frozen=True)
class OverColumns(AbstractDrawing):
    """Rows as lines over a value of the columns; one chart for each value of `split`.

    Columns without the value are left out. sizes: the value is a number of rows, drawn at its
    logarithm; otherwise values stand at even steps. metrics: those drawn, as logarithms if
    `logarithms`.
    """

    x: str
    axis: str
    split: str | None = None
    sizes: bool = False
    metrics: tuple[str, ...] = ()  # left out: the experiment's first
    logarithms: bool = False


@dataclass(frozen=True)
class OverRows(AbstractDrawing):
    """Lines over a value of the rows, at even steps; one chart for each column.

    lines: the values that tell which line a row belongs to. level: a row that is drawn as a level.
    """

    x: str
    axis: str
    lines: tuple[str, ...]
    level: str
    caption: str


@dataclass(frozen=True)
class Spread(AbstractDrawing):
    """How the first metric is spread over replications, row by row."""


@dataclass(frozen=True)
class Gains(AbstractDrawing):
    """By how many per cent a row's error is below its rival's, as coloured squares.

    Squares stand at two values of the columns; there is one chart for each value of `split`.
    """

    row: str
    rival: str
    split: str
    down: str
    across: str
