"""Heat maps: a table of numbers as colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from pairnet.report.charts.base import Chart, finite
from pairnet.report.svg import ACROSS, RIGHT, WIDTH, drawing, element, text_in_lines, wrapped
from pairnet.report.words import Number, say

TALL = 30.0  # of a square
LONGEST_NAME = 14  # letters of a name beside its row; if one is longer, all stand above


def heat(
    values: Any,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    x: str = "",
    y: str = "",
    unit: str = "",
    says: str = "",
) -> Chart:
    """Draw a table of numbers as colours.

    The stronger a colour, the larger the number; blue is above 0, orange below. NaN stays empty.
    """
    array = np.asarray(values, float)
    place, most = _Places.of(rows, columns), float(np.abs(finite(array)).max(initial=0.0)) or 1.0
    parts = [_column_name(place, name, j) for j, name in enumerate(columns)]
    parts.append(_name(x))
    for i, name in enumerate(rows):
        parts.append(_row_name(place, name, i))
        tips = [
            f"{name}, {column}: {say(v)} {unit}".rstrip()
            for column, v in zip(columns, array[i], strict=True)
        ]
        parts += _squares(place, i, array[i], most, tips)
    picture = drawing(parts, place.height(len(rows)), says or f"Heat map of {unit or 'values'}")
    numbers = tuple((name, *map(say, array[i])) for i, name in enumerate(rows))
    return Chart(picture, (), (y, *columns), numbers)


@dataclass(frozen=True)
class _Places:
    """The places of squares and names."""

    above: bool  # whether names of rows stand above them
    tilted: bool  # whether names of columns fit only if they are tilted
    wide: float  # of a square

    @classmethod
    def of(cls, rows: Sequence[str], columns: Sequence[str]) -> _Places:
        above = max(map(len, rows), default=0) > LONGEST_NAME
        wide = (WIDTH - RIGHT - cls.left_of(above)) / max(1, len(columns))
        return cls(above, max(map(len, columns), default=0) * 10 > wide, wide)

    @staticmethod
    def left_of(above: bool) -> float:
        return 24.0 if above else 150.0

    @property
    def top(self) -> float:
        return 46.0 + 44 * self.tilted

    @property
    def pitch(self) -> float:
        """The distance from one row to the next."""
        return 52.0 if self.above else 34.0

    def x(self, j: Number) -> float:
        return self.left_of(self.above) + j * self.wide

    def y(self, i: int) -> float:
        return self.top + i * self.pitch + (20 if self.above else 0)

    def height(self, rows: int) -> float:
        return self.top + rows * self.pitch + 10


def _name(x: str) -> Markup:
    where = {"x": WIDTH / 2, "y": 14, "text_anchor": "middle", "class_": "name"}
    return text_in_lines(x, wrapped(x, ACROSS), **where)


def _column_name(place: _Places, name: str, j: int) -> Markup:
    x, y = place.x(j + 0.5), place.top - 8
    where: dict[str, Any] = {"x": x, "y": y, "text_anchor": "middle"}
    if place.tilted:
        where |= {"transform": f"rotate(-35 {x:.1f} {y:.1f})", "text_anchor": "start"}
    return text_in_lines(name, wrapped(name, 14), **where)


def _row_name(place: _Places, name: str, i: int) -> Markup:
    y = place.y(i)
    beside = {"x": place.x(0) - 7, "y": y + 20, "text_anchor": "end"}
    where: dict[str, Any] = {"x": place.x(0), "y": y - 5} if place.above else beside
    return text_in_lines(name, wrapped(name, ACROSS - 3), **where)


def _squares(
    place: _Places, i: int, values: np.ndarray, most: float, tips: list[str]
) -> Iterator[Markup]:
    """Draw the squares of row i, and in them their numbers where these fit."""
    for j in np.flatnonzero(np.isfinite(values)):
        value, strength = values[j], abs(values[j]) / most
        box = {"x": place.x(j) + 1, "y": place.y(i), "width": place.wide - 2, "height": TALL}
        kind, opacity = "cold" if value < 0 else "hot", f"{0.06 + 0.94 * strength:.3f}"
        yield element("rect", **box, data_tip=tips[j], class_=kind, fill_opacity=opacity)
        if place.wide > 44:
            middle = {"x": place.x(j + 0.5), "y": place.y(i) + 20, "text_anchor": "middle"}
            kind = "strong" if strength > 0.55 else "weak"
            yield element("text", say(value, 2), **middle, class_=f"cell {kind}")
