"""The frame of a chart: scales with round ticks, a grid, and the names of what is shown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from pairnet.report.svg import (
    ACROSS,
    BOTTOM,
    LEFT,
    LETTER,
    LINE,
    RIGHT,
    TOP,
    WIDTH,
    element,
    line,
    plain,
    size,
    text_in_lines,
    wrapped,
)
from pairnet.report.words import Number, say, with_minus


@dataclass(frozen=True)
class Scale:
    """A map from the numbers `low` to `high` onto the places `start` to `end`."""

    low: Number
    high: Number
    start: Number
    end: Number

    @classmethod
    def over(
        cls,
        values: Iterable[Number],
        start: Number,
        end: Number,
        *,
        room: float = 0.05,
        ends: tuple[bool, bool] = (True, True),
    ) -> Scale:
        """Return a scale that covers all finite values, with a little room at the `ends`."""
        array = np.asarray(list(values), float)
        array = array[np.isfinite(array)]
        low, high = (float(array.min()), float(array.max())) if array.size else (0.0, 1.0)
        if low == high:
            low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
        more = room * (high - low)
        return cls(low - more * ends[0], high + more * ends[1], start, end)

    def __call__(self, value: Number) -> float:
        share = (float(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, count: int = 5) -> list[float]:
        """Return about `count` round numbers on the scale."""
        rough = (self.high - self.low) / count
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * k for k in (1, 2, 2.5, 5, 10) if size * k >= rough * 0.999)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]

    def labels(self, ticks: list[float]) -> list[str]:
        """Write ticks with as many decimals as are needed to tell them apart."""
        step = ticks[1] - ticks[0] if len(ticks) > 1 else abs(ticks[0]) if ticks else 1.0
        most = max((abs(tick) for tick in ticks), default=0.0)
        if most >= 1e6 or 0 < most < 1e-3:
            return [say(tick) for tick in ticks]
        places = next((p for p in range(7) if abs(round(step, p) - step) < 1e-6 * (step or 1)), 7)
        return [with_minus(f"{tick:,.{places}f}") if tick else "0" for tick in ticks]


@dataclass(frozen=True)
class Axes:
    """The frame of a chart: two scales with their names and units."""

    x: Scale
    y: Scale
    names: tuple[str, str]
    height: float

    @classmethod
    def around(
        cls,
        x: Iterable[Number],
        y: Iterable[Number],
        names: tuple[str, str],
        *,
        ends: tuple[bool, bool] = (True, True),
    ) -> Axes:
        """Return axes that cover these values.

        ends: whether there is room below and above the values of y.
        """
        height = 330.0
        across = Scale.over(x, LEFT, WIDTH - RIGHT, room=0.03)
        upwards = Scale.over(y, height - BOTTOM, TOP, room=0.06, ends=ends)
        return cls(across, upwards, names, height)

    @property
    def bottom(self) -> float:
        """The place of the x-axis."""
        return self.height - BOTTOM

    @property
    def whole(self) -> float:
        """The height of the picture: more than `height` if the name of x takes several lines."""
        return self.height + LINE * max(0, len(self._name_of_x) - 1)

    def draw(self, *, y_ticks: bool = True, named: Mapping[float, str] | None = None) -> Markup:
        """Draw grid, ticks and names.

        named: places of x that have names instead of numbers.
        """
        parts = self._grid_of_x(named)
        if y_ticks:
            parts += self._grid_of_y()
        parts.append(line(self.x.start, self.bottom, self.x.end, self.bottom, class_="axis"))
        parts.append(self._draw_name_of_x())
        if self.names[1]:
            parts.append(self._draw_name_of_y())
        return Markup("").join(parts)

    def across(
        self, value: Number, label: str, *, tip: str | None = None, kind: str = "mark"
    ) -> Markup:
        """Mark a value of x with an upright line; kind: its class in the style sheet."""
        place, tip = self.x(value), tip or f"{label}: {say(value)}"
        return line(place, TOP, place, self.bottom, class_=kind, data_tip=tip)

    def level(self, value: Number, tip: str) -> Markup:
        """Mark a value of y with a flat line."""
        place = self.y(value)
        return line(self.x.start, place, self.x.end, place, class_="mark", data_tip=tip)

    def _grid_of_x(self, named: Mapping[float, str] | None) -> list[Markup]:
        if named:
            ticks, labels = [float(tick) for tick in named], list(named.values())
        else:
            ticks = self.x.ticks()
            labels = self.x.labels(ticks)
        parts = []
        for tick, label in zip(ticks, labels, strict=True):
            place = self.x(tick)
            parts.append(line(place, TOP, place, self.bottom, class_="grid"))
            parts.append(element("text", label, x=place, y=self.bottom + 20, text_anchor="middle"))
        return parts

    def _grid_of_y(self) -> list[Markup]:
        ticks, left = self.y.ticks(), self.x.start
        parts = []
        for tick, label in zip(ticks, self.y.labels(ticks), strict=True):
            place = self.y(tick)
            parts.append(line(left, place, self.x.end, place, class_="grid"))
            parts.append(element("text", label, x=left - 7, y=place + 5, text_anchor="end"))
        return parts

    def _draw_name_of_x(self) -> Markup:
        """Write the name below the middle of the axis, or moved aside so that all of it is seen."""
        half = LETTER * max(map(size, self._name_of_x), default=0) / 2
        middle = min(max((self.x.start + self.x.end) / 2, half), WIDTH - half)
        where = {"x": middle, "y": self.bottom + 48, "text_anchor": "middle", "class_": "name"}
        return text_in_lines(self.names[0], self._name_of_x, **where)

    def _draw_name_of_y(self) -> Markup:
        middle = (TOP + self.bottom) / 2
        rows = wrapped(self.names[1], int((self.bottom - TOP + 40) / LETTER))
        turned = {
            "transform": f"rotate(-90 17 {plain(middle)})",
            "text_anchor": "middle",
            "class_": "name",
        }
        return text_in_lines(self.names[1], rows, x=17, y=middle, **turned)

    @property
    def _name_of_x(self) -> list[str]:
        return wrapped(self.names[0], ACROSS, lines=3)
