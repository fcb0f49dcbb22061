"""What charts are made of: the value of a chart, colours, dashes, marks and the legend.

The colours can be told apart by everyone and differ in lightness, too; series also differ in their
dashes or marks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from pairnet.report.charts.axes import Axes
from pairnet.report.svg import element, line, path
from pairnet.report.words import Number, say

Vector = Sequence[float | int] | np.ndarray
Legend = tuple[tuple[str, Markup], ...]  # names, each with a small drawing of its mark

COLOURS = 6  # as many as page.css has: c0 blue, c1 orange, c2 green, c3 pink, c4 sky, c5 grey
DASHES = (None, "7 4", "2 3", "9 3 2 3", "4 2", "12 4")


@dataclass(frozen=True)
class Chart:
    """A picture, the meaning of its colours, and its numbers for people who want them as text."""

    svg: Markup
    legend: Legend = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()


def colour(k: int) -> str:
    """Return the class of the style sheet for the colour of series k."""
    return f"c{k % COLOURS}"


def dashes(k: int) -> str | None:
    """Return the dashes of the line of series k."""
    return DASHES[k % len(DASHES)]


def mark(x: Number, y: Number, k: int, *, size: float, **attributes: object) -> Markup:
    """Draw the mark of series k around a place, so that series differ in more than colour."""
    kind = _KINDS[k % len(_KINDS)]
    if kind in _ROUND:
        return element("circle", cx=x, cy=y, r=size * _ROUND[kind], **attributes)
    corners = [(x + size * right, y + size * down) for right, down in _CORNERS[kind]]
    way = path(*zip(*corners, strict=True), closed=True)
    return element("path", d=way, **attributes)


_KINDS = ("circle", "square", "triangle", "diamond", "cross", "ring")
_ROUND = {"circle": 1, "ring": 0.7}  # their radius
_CORNERS = {  # to the right and downwards
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "triangle": ((0, -1.2), (1.1, 0.9), (-1.1, 0.9)),
    "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    "cross": ((-1, -0.4), (1, -0.4), (1, 0.4), (-1, 0.4)),
}


def area_swatch(k: int) -> Markup:
    """Draw the area of series k for the legend."""
    box = {"x": 1, "y": 2, "width": 22, "height": 12}
    return _swatch(element("rect", **box, class_=f"area {colour(k)}", stroke_dasharray=dashes(k)))


def mark_swatch(k: int) -> Markup:
    """Draw the mark of series k for the legend."""
    return _swatch(mark(12, 8, k, size=5.5, class_=f"point solid {colour(k)}"))


def line_swatch(kind: str, dash: str | None = None) -> Markup:
    """Draw a line of some class of the style sheet for the legend."""
    return _swatch(line(1, 8, 23, 8, class_=kind, stroke_dasharray=dash))


def _swatch(drawn: Markup) -> Markup:
    return element("svg", drawn, viewBox="0 0 24 16", class_="swatch", aria_hidden="true")


def finite(values: Vector) -> np.ndarray:
    """Return the values that are finite numbers."""
    array = np.asarray(values, float).reshape(-1)
    return array[np.isfinite(array)]


def way(axes: Axes, x: Iterable[Number], y: Iterable[Number], *, closed: bool = False) -> str:
    """Return the line through the finite points, as a path's `d`."""
    points = [(a, b) for a, b in zip(x, y, strict=True) if np.isfinite(a) and np.isfinite(b)]
    return path((axes.x(a) for a, _ in points), (axes.y(b) for _, b in points), closed=closed)


def within(low: Number | None, high: Number | None) -> str:
    """Write an interval in brackets, if there is one."""
    return "" if low is None or high is None else f" ({say(low)} to {say(high)})"
