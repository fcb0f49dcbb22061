"""Drawing without a library: elements that escape what they hold, scales with round ticks, and the
axes of a chart."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from unicodedata import east_asian_width

import numpy as np
from markupsafe import Markup, escape

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 560.0, 82.0, 14.0, 12.0, 58.0  # of a chart, in units of drawing
LETTER, LINE = 10.6, 21.0  # room of a letter and of a line of text where it is largest: on a phone
ACROSS = int((WIDTH - 8) / LETTER)  # letters of a line of text as wide as a chart

Number = float | int | np.number
Numbers = Sequence[float | int] | np.ndarray


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """Return one element; text in it is escaped, `None` attributes are left out, `stroke_width` is
    stroke-width."""
    said = Markup("").join(
        Markup(' {}="{}"').format(name.rstrip("_").replace("_", "-"), _plain(value))
        for name, value in attributes.items()
        if value is not None
    )
    inside = Markup("").join(escape(child) for child in children)
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), said, inside)


def path(x: Iterable[Number], y: Iterable[Number], *, closed: bool = False) -> str:
    """Return the way along some points, as a path's `d`."""
    points = [f"{_plain(a)} {_plain(b)}" for a, b in zip(x, y, strict=True)]
    return "M" + "L".join(points) + "Z" * closed


def say(value: Number, digits: int = 3) -> str:
    """Write a number for people: so many digits that count, thousands set apart, a true minus
    sign."""
    value = float(value)
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    text = (
        f"{value:.{digits}g}"
        if not -4 <= places <= 8 or abs(value) >= 1e7
        else f"{value:,.{max(0, places)}f}"
    )
    return text.replace("-", "−") if "e" not in text else text


def per_cent(share: Number) -> str:
    """Write a share."""
    return f"{100 * float(share):.0f} %"


@dataclass(frozen=True)
class Scale:
    """From the numbers `low` to `high` to the places `start` to `end`."""

    low: Number
    high: Number
    start: Number
    end: Number

    @classmethod
    def over(
        cls,
        values: Iterable[Number],
        start: float,
        end: float,
        *,
        room: float = 0.05,
        ends: tuple[bool, bool] = (True, True),
    ) -> Scale:
        """Hold all finite values, with a little room at the ends that are asked for."""
        array = np.asarray(list(values), float)
        array = array[np.isfinite(array)]
        low, high = (float(array.min()), float(array.max())) if array.size else (0.0, 1.0)
        if low == high:
            low, high = low - (abs(low) or 1) / 2, high + (abs(high) or 1) / 2
        more = room * (high - low)
        return cls(low - more * ends[0], high + more * ends[1], start, end)

    def __call__(self, value: Number) -> float:
        return self.start + (float(value) - self.low) / (self.high - self.low) * (
            self.end - self.start
        )

    def ticks(self, count: int = 5) -> list[float]:
        """Return round numbers on the scale, about so many."""
        rough = (self.high - self.low) / count
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * k for k in (1, 2, 2.5, 5, 10) if size * k >= rough * 0.999)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]

    def labels(self, ticks: list[float]) -> list[str]:
        """Write ticks with as many decimals as tell them apart."""
        step = ticks[1] - ticks[0] if len(ticks) > 1 else abs(ticks[0]) if ticks else 1.0
        most = max((abs(tick) for tick in ticks), default=0.0)
        if most >= 1e6 or 0 < most < 1e-3:
            return [say(tick) for tick in ticks]
        places = next((p for p in range(7) if abs(round(step, p) - step) < 1e-6 * (step or 1)), 7)
        return [f"{tick:,.{places}f}".replace("-", "−") if tick else "0" for tick in ticks]


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
        height: float = 330.0,
        room: tuple[float, float] = (0.03, 0.06),
        ends: tuple[bool, bool] = (True, True),
        left: float = LEFT,
    ) -> Axes:
        """Return axes that hold these values; `ends`: whether there is room below and above the
        values of y."""
        across = Scale.over(x, left, WIDTH - RIGHT, room=room[0])
        return cls(
            across, Scale.over(y, height - BOTTOM, TOP, room=room[1], ends=ends), names, height
        )

    def draw(self, *, y_ticks: bool = True, named: Mapping[float, str] | None = None) -> Markup:
        """Draw grid, ticks and names; `named` are places of x that have names instead of
        numbers."""
        bottom, parts = self.height - BOTTOM, []
        ticks = [float(tick) for tick in named] if named else self.x.ticks()
        for tick, label in zip(
            ticks, named.values() if named else self.x.labels(ticks), strict=True
        ):
            parts.append(line(self.x(tick), TOP, self.x(tick), bottom, class_="grid"))
            parts.append(
                element("text", label, x=self.x(tick), y=bottom + 20, text_anchor="middle")
            )
        if y_ticks:
            ticks = self.y.ticks()
            for tick, label in zip(ticks, self.y.labels(ticks), strict=True):
                parts.append(
                    line(self.x.start, self.y(tick), self.x.end, self.y(tick), class_="grid")
                )
                parts.append(
                    element(
                        "text", label, x=self.x.start - 7, y=self.y(tick) + 5, text_anchor="end"
                    )
                )
        parts.append(line(self.x.start, bottom, self.x.end, bottom, class_="axis"))
        half = LETTER * max(map(size, self._name), default=0) / 2
        middle = min(
            max((self.x.start + self.x.end) / 2, half), WIDTH - half
        )  # below the axis, but on the picture
        below = {"x": middle, "y": bottom + 48, "text_anchor": "middle", "class_": "name"}
        parts.append(words(self.names[0], self._name, **below))
        if self.names[1]:
            middle = (TOP + bottom) / 2
            room = wrapped(self.names[1], int((bottom - TOP + 40) / LETTER))
            turned = {
                "transform": f"rotate(-90 17 {_plain(middle)})",
                "text_anchor": "middle",
                "class_": "name",
            }
            parts.append(words(self.names[1], room, x=17, y=middle, **turned))
        return Markup("").join(parts)

    @property
    def _name(self) -> list[str]:
        return wrapped(self.names[0], ACROSS, lines=3)

    @property
    def whole(self) -> float:
        """The height of the picture: more than `height` where the name of x has more than one
        line."""
        return self.height + LINE * max(0, len(self._name) - 1)

    def across(self, value: Number, label: str, *, tip: str | None = None) -> Markup:
        """Mark a value of x with an upright line."""
        return line(
            self.x(value),
            TOP,
            self.x(value),
            self.height - BOTTOM,
            class_="mark",
            data_tip=tip or f"{label}: {say(value)}",
        )

    def level(self, value: Number, tip: str) -> Markup:
        """Mark a value of y with a flat line."""
        return line(
            self.x.start, self.y(value), self.x.end, self.y(value), class_="mark", data_tip=tip
        )


def line(x1: Number, y1: Number, x2: Number, y2: Number, **attributes: object) -> Markup:
    """Return a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def short(text: str, most: int) -> str:
    """Cut a long text, with a sign that it was cut."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def size(text: str) -> float:
    """Return how long a text is in letters of usual width: capitals are wider, Chinese and its like
    twice as wide."""
    return sum(
        (
            1.9 if east_asian_width(each) in "WF" else 1.25 if each.isupper() else 1.0
            for each in text
        ),
        0.0,
    )


def wrapped(text: str, most: int, *, lines: int = 1) -> list[str]:
    """Break a text into lines of so many letters: between words, in long ones after a sign; what is
    left is cut off."""
    most = int(most * min(1.0, len(text) / max(1.0, size(text))))
    pieces = [part for word in re.findall(r"\S+\s*", text) for part in _parts(word, most)]
    rows: list[str] = []
    for piece in pieces:
        if rows and len((rows[-1] + piece).rstrip()) <= most:
            rows[-1] += piece
        else:
            rows.append(piece)
    rest = "".join(rows[lines - 1 :])
    return [row.rstrip() for row in rows[: lines - 1]] + (
        [short(rest.rstrip(), most)] if rest else []
    )


def _parts(word: str, most: int) -> list[str]:
    """Break a word that is too long after the signs that join names, or where it must be."""
    if len(word.rstrip()) <= most:
        return [word]
    return re.findall(rf".{{1,{most}}}(?<=[_=/:,;.])|.{{1,{most}}}", word)


def words(text: str, rows: Sequence[str], **attributes: object) -> Markup:
    """Draw a text in lines, the first at `x` and `y`; pointed at, one that was cut says all of
    it."""
    cut = any(row.endswith("…") for row in rows) and not text.endswith("…")
    below = (element("tspan", row, x=attributes["x"], dy=LINE) for row in rows[1:])
    return element("text", *rows[:1], *below, data_tip=text if cut else None, **attributes)


def drawing(parts: Iterable[Markup], height: float, says: str) -> Markup:
    """Return the whole picture; `says` is what a person who cannot see it is told."""
    box = f"0 0 {_plain(WIDTH)} {_plain(height)}"
    return element("svg", *parts, viewBox=box, role="img", aria_label=says, class_="chart")


def _plain(value: object) -> object:
    """Write places with one decimal: enough to draw with, and the page stays small."""
    if isinstance(value, float | np.floating):
        return f"{float(value):.1f}".removesuffix(".0")
    return value
