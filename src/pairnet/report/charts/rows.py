"""Dots and bars: values with their intervals, one row of the chart for each label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from pairnet.report.charts.axes import Axes, Scale
from pairnet.report.charts.base import Chart, Legend, colour, line_swatch, mark, mark_swatch, within
from pairnet.report.svg import (
    ACROSS,
    BOTTOM,
    LETTER,
    LINE,
    RIGHT,
    TOP,
    WIDTH,
    drawing,
    element,
    line,
    size,
    text_in_lines,
    wrapped,
)
from pairnet.report.words import Number, say

BESIDE = 16  # letters of a label beside its row; if one is longer, all stand above
MOST_LINES = 5  # of a label above its row
LANE = 18.0  # room of one value in a row


@dataclass(frozen=True)
class Point:
    """One value with its interval.

    A chart has a row for each label, and a colour for each group. tip: the text shown when it is
    pointed at, if that is not its numbers.
    """

    label: str
    value: Number
    low: Number | None = None
    high: Number | None = None
    group: str = ""
    tip: str = ""

    @property
    def numbers(self) -> list[Number]:
        """Return all numbers that the axis must cover."""
        return [v for v in (self.value, self.low, self.high) if v is not None]

    @property
    def ends(self) -> tuple[Number, Number] | None:
        """Return the interval, if there is one."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def tip_or_numbers(self) -> str:
        """Return the text shown when the point is pointed at."""
        group = f"{self.group}, " if self.group else ""
        return self.tip or f"{group}{self.label}: {say(self.value)}" + within(self.low, self.high)


def dots(
    points: Sequence[Point],
    *,
    x: str,
    says: str = "",
    reference: Number | None = 0.0,
    reference_label: str = "no effect",
) -> Chart:
    """Draw a dot and its interval for every label, one below the other.

    reference: a value to compare with.
    """
    return _chart(points, x, says, reference, reference_label, _dot)


def bars(points: Sequence[Point], *, x: str, says: str = "") -> Chart:
    """Draw a bar from 0 with its error bar for every label, one below the other."""
    return _chart(points, x, says, 0.0, "", _bar)


Draw = Callable[[Axes, Point, float, int], list[Markup]]


def _chart(
    points: Sequence[Point],
    x: str,
    says: str,
    reference: Number | None,
    reference_label: str,
    draw: Draw,
) -> Chart:
    rows = _Rows.of(points)
    references = [] if reference is None else [reference]
    axes = rows.axes([*(v for point in points for v in point.numbers), *references], x)
    parts = [axes.draw(y_ticks=False)]
    for value in references:
        tip = f"{reference_label}: {say(value)}" if reference_label else say(value)
        parts.append(axes.across(value, reference_label, tip=tip))
    for i, label in enumerate(rows.labels):
        parts += rows.draw_label(i)
        for point in points:
            if point.label == label and np.isfinite(point.value):
                parts += draw(axes, point, *rows.lane(i, point.group))
    picture = drawing(parts, axes.whole, says or f"{x} with intervals")
    legend = _legend(rows, reference_label if references else "")
    header = ("", *(("group",) if rows.grouped else ()), x, "from", "to")
    return Chart(picture, legend, header, tuple(_numbers(one, rows.grouped) for one in points))


def _numbers(point: Point, grouped: bool) -> tuple[str, ...]:
    ends = ("" if value is None else say(value) for value in (point.low, point.high))
    return (point.label, *((point.group,) if grouped else ()), say(point.value), *ends)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Where the rows of a chart are, and their labels: long ones stand above, short ones beside."""

    labels: list[str]
    groups: list[str]
    above: bool
    left: float
    tops: np.ndarray  # of each row with its label, and the end of the last one
    heads: list[float]  # room of each label above its row

    @classmethod
    def of(cls, points: Sequence[Point]) -> _Rows:
        labels = list(dict.fromkeys(point.label for point in points))
        groups = list(dict.fromkeys(point.group for point in points))
        longest = max(map(size, labels), default=0.0)
        above = longest > BESIDE
        heads = [12 + LINE * len(_broken(label)) if above else 7.0 for label in labels]
        lanes = LANE * len(groups) + 7 * (not above)
        tops = TOP + np.concatenate([[0.0], np.cumsum([head + lanes for head in heads])])
        return cls(labels, groups, above, 24.0 if above else 18 + LETTER * longest, tops, heads)

    @property
    def grouped(self) -> bool:
        return len(self.groups) > 1

    @property
    def height(self) -> float:
        return float(self.tops[-1]) + BOTTOM + 8 * self.above

    @property
    def starts(self) -> np.ndarray:
        """Where the values of each row begin."""
        return self.tops[:-1] + self.heads

    def axes(self, values: list[Number], name: str) -> Axes:
        across = Scale.over(values, self.left, WIDTH - RIGHT, room=0.04)
        return Axes(across, Scale(0, 1, self.height - BOTTOM, TOP), (name, ""), self.height)

    def lane(self, i: int, group: str) -> tuple[float, int]:
        """Return the middle of a group's lane in row i, and the number of the group."""
        k = self.groups.index(group)
        return self.starts[i] + LANE * (k + 0.5), k

    def draw_label(self, i: int) -> list[Markup]:
        label, top = self.labels[i], self.tops[i]
        if not self.above:
            middle = self.starts[i] + LANE * len(self.groups) / 2 + 5
            where = {"x": self.left - 9, "y": middle, "text_anchor": "end"}
            return [text_in_lines(label, [label], **where)]
        room = {"x": 0, "y": top, "width": WIDTH, "height": self.heads[i] - 2}
        blank = element("rect", **room, class_="blank")  # no line of the grid runs through it
        return [blank, text_in_lines(label, _broken(label), x=2, y=top + 25)]


def _legend(rows: _Rows, reference: str) -> Legend:
    return (
        *((group, mark_swatch(k)) for k, group in enumerate(rows.groups) if rows.grouped),
        *(((reference, line_swatch("mark")),) if reference else ()),
    )


def _broken(label: str) -> list[str]:
    return wrapped(label, ACROSS, lines=MOST_LINES)


def _dot(axes: Axes, point: Point, middle: float, k: int) -> list[Markup]:
    parts, value = [], axes.x(point.value)
    if point.ends:
        low, high = map(axes.x, point.ends)
        parts.append(line(low, middle, high, middle, class_=f"whisker {colour(k)}"))
    parts.append(mark(value, middle, k, size=5.5, class_=f"point solid {colour(k)}"))
    first, last = (value if end is None else axes.x(end) for end in (point.low, point.high))
    left, wide = min(first, last) - 8, abs(last - first) + 16
    box = {"x": left, "width": wide, "y": middle - 9, "height": 18}
    return [*parts, element("rect", **box, class_="touch", data_tip=point.tip_or_numbers)]


def _bar(axes: Axes, point: Point, middle: float, k: int) -> list[Markup]:
    zero, end = axes.x(0), axes.x(point.value)
    box = {"x": min(zero, end), "width": abs(end - zero), "y": middle - 7, "height": 14}
    parts = [element("rect", **box, class_=f"bar {colour(k)}", data_tip=point.tip_or_numbers)]
    if point.ends:
        low, high = map(axes.x, point.ends)
        parts.append(line(low, middle, high, middle, class_="error", data_tip=point.tip_or_numbers))
    return parts
