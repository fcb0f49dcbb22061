"""Charts for a page: inline SVG that says its numbers when pointed at. Each returns a `Chart`, for
`page.figure`.

Colours are told apart by everyone and differ in lightness too; series also differ in their dashes
or marks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from markupsafe import Markup

from pairnet.report.svg import (
    ACROSS,
    BOTTOM,
    LETTER,
    LINE,
    RIGHT,
    TOP,
    WIDTH,
    Axes,
    Number,
    Numbers,
    Scale,
    drawing,
    element,
    line,
    path,
    say,
    size,
    words,
    wrapped,
)

COLOURS = 6  # as many as page.css has: c0 blue, c1 orange, c2 green, c3 pink, c4 sky, c5 grey
DASHES = (None, "7 4", "2 3", "9 3 2 3", "4 2", "12 4")
MARKS = ("circle", "square", "triangle", "diamond", "cross", "ring")
MOST_NUMBERS = 24  # lines of the table of numbers below a chart of lines
BESIDE = 16  # letters of a label that stands beside its line; longer ones stand above it
MOST_LINES = 5  # of such a label
LANE = 18.0  # room of an interval


@dataclass(frozen=True)
class Chart:
    """A picture, what its colours mean, and the numbers in it for people who want or need them as
    text."""

    svg: Markup
    legend: tuple[tuple[str, Markup], ...] = ()  # names, each with a small drawing of its mark
    header: tuple[str, ...] = ()
    rows: tuple[tuple[Any, ...], ...] = ()


@dataclass(frozen=True)
class Line:
    """A line through points, with a band around it where `low` and `high` are given."""

    label: str
    x: Numbers
    y: Numbers
    low: Numbers | None = None
    high: Numbers | None = None


@dataclass(frozen=True)
class Interval:
    """One value with its interval; a chart has one line of the page for each label, and a colour
    for each group."""

    label: str
    value: Number
    low: Number | None = None
    high: Number | None = None
    group: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Cloud:
    """Points of one kind."""

    label: str
    x: Numbers
    y: Numbers
    tips: Sequence[str] = field(default=())


def histogram(
    groups: Mapping[str, Numbers],
    *,
    x: str,
    bins: int = 30,
    marks: Mapping[str, Number] | None = None,
    says: str = "",
    ends: tuple[Number, Number] | None = None,
    of: str = "rows",
) -> Chart:
    """How values are spread: one group as counts, several as each group's shares over one another.

    x: the name of the values, with their unit. marks: values to mark with an upright line, by name.
    ends: the range of the bins, if it is not that of the values. of: what the values are of.
    """
    arrays = {name: _finite(values) for name, values in groups.items()}
    everything = np.concatenate(list(arrays.values()))
    edges = np.histogram_bin_edges(
        everything, bins=bins, range=None if ends is None else (float(ends[0]), float(ends[1]))
    )
    several = len(arrays) > 1
    counts = {name: np.histogram(values, edges)[0] for name, values in arrays.items()}
    heights = {
        name: 100 * count / max(1, count.sum()) if several else count * 1.0
        for name, count in counts.items()
    }
    top = max((height.max() for height in heights.values()), default=1.0)
    placed = [*edges, *(marks or {}).values()]
    axes = Axes.around(
        placed, [0, top or 1], (x, f"share of {of} (%)" if several else of), ends=(False, True)
    )
    parts = [axes.draw()]
    for k, (name, height) in enumerate(heights.items()):
        parts.append(_steps(axes, edges, height, k))
        for left, right, value, count in zip(
            edges[:-1], edges[1:], height, counts[name], strict=True
        ):
            if count:
                tip = f"{name + ': ' if several else ''}{say(left)} to {say(right)}: {count} {of}"
                tip += (
                    f" ({value:.1f} %)"
                    if several
                    else f" ({100 * count / max(1, len(everything)):.1f} %)"
                )
                box = {"x": axes.x(left), "width": axes.x(right) - axes.x(left), "y": axes.y(value)}
                parts.append(
                    element(
                        "rect",
                        **box,
                        height=axes.y(0) - axes.y(value),
                        class_="touch",
                        data_tip=tip,
                    )
                )
    parts += [axes.across(value, name) for name, value in (marks or {}).items()]
    rows = tuple(
        (f"{say(a)} to {say(b)}", *(int(count[k]) for count in counts.values()))
        for k, (a, b) in enumerate(pairwise(edges))
    )
    names = tuple(arrays) if several else (of,)
    legend = [(name, _swatch(k)) for k, name in enumerate(arrays)] if several else []
    legend += [(f"{name}: {say(value)}", _stroke("mark")) for name, value in (marks or {}).items()]
    return Chart(
        drawing(parts, axes.whole, says or f"Histogram of {x}"), tuple(legend), (x, *names), rows
    )


def lines(
    series: Sequence[Line],
    *,
    x: str,
    y: str,
    says: str = "",
    level: Mapping[str, Number] | None = None,
    rug: Numbers = (),
    rug_label: str = "observed",
    faint: Sequence[Line] = (),
    named: Mapping[float, str] | None = None,
) -> Chart:
    """Lines with bands.

    level: values of y to mark, by name. rug: values of x to mark on the axis. faint: thin grey
    lines behind the others, as single rows behind their average. named: what places of x are
    called, where they are not numbers.
    """
    at = lambda value: (named or {}).get(value) or say(value)
    all_x = np.concatenate([_finite(one.x) for one in (*series, *faint)])
    values = [
        _finite(v) for one in (*series, *faint) for v in (one.y, one.low, one.high) if v is not None
    ]
    axes = Axes.around(all_x, np.concatenate([*values, list((level or {}).values())]), (x, y))
    parts = [axes.draw(named=named)]
    parts += [axes.level(value, f"{name}: {say(value)}") for name, value in (level or {}).items()]
    parts += [element("path", d=_way(axes, one.x, one.y), class_="faint") for one in faint]
    for k, one in enumerate(series):
        if one.low is not None and one.high is not None:
            around = (
                np.concatenate([one.x, np.asarray(one.x)[::-1]]),
                np.concatenate([one.low, np.asarray(one.high)[::-1]]),
            )
            parts.append(
                element("path", d=_way(axes, *around, closed=True), class_=f"band {_colour(k)}")
            )
    bottom = axes.height - BOTTOM
    parts += [line(axes.x(v), bottom, axes.x(v), bottom - 8, class_="rug") for v in rug]
    for k, one in enumerate(series):
        dash = DASHES[k % len(DASHES)]
        parts.append(
            element(
                "path",
                d=_way(axes, one.x, one.y),
                class_=f"line {_colour(k)}",
                stroke_dasharray=dash,
            )
        )
        for a, b, low, high in _points(one):
            tip = f"{one.label}: {x} {at(a)}, {y} {say(b)}" + _within(low, high)
            parts.append(
                element("circle", cx=axes.x(a), cy=axes.y(b), r=9, class_="touch", data_tip=tip)
            )
    legend = [
        (one.label, _stroke(f"line {_colour(k)}", DASHES[k % len(DASHES)]))
        for k, one in enumerate(series)
    ]
    legend += [(faint[0].label, _stroke("faint"))] if faint else []
    legend += [(name, _stroke("mark")) for name in level or {}]
    legend += [(rug_label, _stroke("rug"))] if len(rug) else []
    rows = tuple(
        (one.label, at(a), say(b), *(() if low is None else (say(low), say(high))))
        for one in series
        for a, b, low, high in _thinned(list(_points(one)), MOST_NUMBERS)
    )
    bands = any(one.low is not None for one in series)
    header = ("line", x, y, *(("from", "to") if bands else ()))
    rows = tuple(row + ("",) * (len(header) - len(row)) for row in rows)
    return Chart(drawing(parts, axes.whole, says or f"{y} by {x}"), tuple(legend), header, rows)


def scatter(
    clouds: Sequence[Cloud], *, x: str, y: str, says: str = "", diagonal: bool = False
) -> Chart:
    """Points; `diagonal` draws the line where both are equal."""
    all_x, all_y = (
        np.concatenate([_finite(v) for v in both])
        for both in zip(*((c.x, c.y) for c in clouds), strict=True)
    )
    axes = Axes.around(all_x, all_y, (x, y))
    parts = [axes.draw()]
    if diagonal:
        ends = max(axes.x.low, axes.y.low), min(axes.x.high, axes.y.high)
        parts.append(
            line(axes.x(ends[0]), axes.y(ends[0]), axes.x(ends[1]), axes.y(ends[1]), class_="mark")
        )
    for k, cloud in enumerate(clouds):
        tips = cloud.tips or [
            f"{x} {say(a)}, {y} {say(b)}" for a, b in zip(cloud.x, cloud.y, strict=True)
        ]
        for a, b, tip in zip(cloud.x, cloud.y, tips, strict=True):
            if not np.isfinite([a, b]).all():
                continue
            parts.append(
                _mark(axes.x(a), axes.y(b), k, size=3.2, class_=f"point {_colour(k)}", data_tip=tip)
            )
    legend = (
        tuple((cloud.label, _swatch_mark(k)) for k, cloud in enumerate(clouds))
        if len(clouds) > 1
        else ()
    )
    legend += (("equal", _stroke("mark")),) if diagonal else ()
    return Chart(drawing(parts, axes.whole, says or f"{y} by {x}"), legend)


def dots(
    intervals: Sequence[Interval],
    *,
    x: str,
    says: str = "",
    reference: Number | None = 0.0,
    reference_label: str = "no effect",
) -> Chart:
    """A dot and its interval for every label, below one another. reference: a value to compare
    with."""
    return _rows_of(intervals, x, says, reference, reference_label, _dot)


def bars(intervals: Sequence[Interval], *, x: str, says: str = "") -> Chart:
    """A bar from 0 with its error bar for every label, below one another."""
    return _rows_of(intervals, x, says, 0.0, "", _bar)


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
    """A table of numbers as colours: the stronger, the larger; blue above 0, orange below. NaN
    stays empty."""
    array = np.asarray(values, float)
    most = np.nanmax(np.abs(array)) if np.isfinite(array).any() else 1.0
    names_above = max((len(name) for name in rows), default=0) > 14
    left = 24.0 if names_above else 150.0
    top, pitch, tall = 46.0, 52.0 if names_above else 34.0, 30.0
    wide = (WIDTH - RIGHT - left) / max(1, len(columns))
    tilt = max((len(name) for name in columns), default=0) * 10 > wide
    top += 44 * tilt
    parts = []
    for j, name in enumerate(columns):
        place = left + (j + 0.5) * wide
        turned = (
            {"transform": f"rotate(-35 {place:.1f} {top - 8:.1f})", "text_anchor": "start"}
            if tilt
            else {}
        )
        where = {"x": place, "y": top - 8, "text_anchor": "middle"} | turned
        parts.append(words(name, wrapped(name, 14), **where))
    parts.append(
        words(x, wrapped(x, ACROSS), x=WIDTH / 2, y=14, text_anchor="middle", class_="name")
    )
    for i, name in enumerate(rows):
        start = top + i * pitch + (20 if names_above else 0)
        where = (
            {"x": left, "y": start - 5}
            if names_above
            else {"x": left - 7, "y": start + 20, "text_anchor": "end"}
        )
        parts.append(words(name, wrapped(name, ACROSS - 3), **where))
        for j, value in enumerate(array[i]):
            if not np.isfinite(value):
                continue
            strong = abs(value) / (most or 1)
            tip = f"{name}, {columns[j]}: {say(value)}{' ' * bool(unit) + unit}"
            box = {
                "x": left + j * wide + 1,
                "y": start,
                "width": wide - 2,
                "height": tall,
                "data_tip": tip,
            }
            kind = "cold" if value < 0 else "hot"
            parts.append(
                element("rect", **box, class_=kind, fill_opacity=f"{0.06 + 0.94 * strong:.3f}")
            )
            inside = "strong" if strong > 0.55 else "weak"
            middle = {"x": left + (j + 0.5) * wide, "y": start + 20, "text_anchor": "middle"}
            if wide > 44:
                parts.append(element("text", say(value, 2), **middle, class_=f"cell {inside}"))
    height = top + len(rows) * pitch + 10
    header = (y, *columns)
    numbers = tuple((name, *(say(v) for v in array[i])) for i, name in enumerate(rows))
    return Chart(
        drawing(parts, height, says or f"Heat map of {unit or 'values'}"), (), header, numbers
    )


def _rows_of(intervals, x, says, reference, reference_label, draw_one) -> Chart:
    """Draw intervals below one another, in groups by label; long labels stand above their line,
    short ones beside."""
    names = list(dict.fromkeys(one.label for one in intervals))
    groups = list(dict.fromkeys(one.group for one in intervals))
    longest = max(map(size, names), default=0.0)
    above = longest > BESIDE
    said = {name: wrapped(name, ACROSS, lines=MOST_LINES) if above else [name] for name in names}
    left = 24.0 if above else 18 + LETTER * longest
    heads = [
        12 + LINE * len(said[name]) if above else 7.0 for name in names
    ]  # room above an interval
    lanes = LANE * len(groups) + 7 * (not above)
    tops = TOP + np.concatenate([[0.0], np.cumsum([head + lanes for head in heads])])
    height = float(tops[-1]) + BOTTOM + 8 * above
    ends = [
        v
        for one in intervals
        for v in (one.value, one.low, one.high)
        if v is not None and np.isfinite(v)
    ]
    across = Scale.over(
        [*ends, *([] if reference is None else [reference])], left, WIDTH - RIGHT, room=0.04
    )
    axes = Axes(across, Scale(0, 1, height - BOTTOM, TOP), (x, ""), height)
    parts = [axes.draw(y_ticks=False)]
    if reference is not None:
        tip = f"{reference_label}: {say(reference)}" if reference_label else say(reference)
        parts.append(axes.across(reference, reference_label, tip=tip))
    for name, top, head in zip(names, tops[:-1], heads, strict=True):
        start = top + head
        if above:  # no line of the grid runs through it
            parts.append(element("rect", x=0, y=top, width=WIDTH, height=head - 2, class_="blank"))
            parts.append(words(name, said[name], x=2, y=top + 25))
        else:
            parts.append(
                words(
                    name,
                    said[name],
                    x=left - 9,
                    y=start + LANE * len(groups) / 2 + 5,
                    text_anchor="end",
                )
            )
        for one in intervals:
            if one.label == name and np.isfinite(one.value):
                k = groups.index(one.group)
                tip = (
                    one.tip
                    or f"{one.group + ', ' if one.group else ''}{name}: {say(one.value)}"
                    + _within(one.low, one.high)
                )
                parts += draw_one(axes, one, start + LANE * (k + 0.5), k, tip)
    legend = [(group, _swatch_mark(k)) for k, group in enumerate(groups)] if len(groups) > 1 else []
    legend += (
        [(reference_label, _stroke("mark"))] if reference is not None and reference_label else []
    )
    grouped = len(groups) > 1
    rows = tuple(
        (
            one.label,
            *((one.group,) if grouped else ()),
            say(one.value),
            *map(_or_empty, (one.low, one.high)),
        )
        for one in intervals
    )
    header = ("", *(("group",) if grouped else ()), x, "from", "to")
    return Chart(
        drawing(parts, axes.whole, says or f"{x} with intervals"), tuple(legend), header, rows
    )


def _dot(axes: Axes, one: Interval, middle: float, k: int, tip: str) -> list[Markup]:
    parts = []
    if one.low is not None and one.high is not None:
        parts.append(
            line(axes.x(one.low), middle, axes.x(one.high), middle, class_=f"whisker {_colour(k)}")
        )
    parts.append(_mark(axes.x(one.value), middle, k, size=5.5, class_=f"point solid {_colour(k)}"))
    first, last = (axes.x(one.value if v is None else v) for v in (one.low, one.high))
    box = {
        "x": min(first, last) - 8,
        "width": abs(last - first) + 16,
        "y": middle - 9,
        "height": 18,
    }
    return [*parts, element("rect", **box, class_="touch", data_tip=tip)]


def _bar(axes: Axes, one: Interval, middle: float, k: int, tip: str) -> list[Markup]:
    zero, end = axes.x(0), axes.x(one.value)
    box = {"x": min(zero, end), "width": abs(end - zero), "y": middle - 7, "height": 14}
    parts = [element("rect", **box, class_=f"bar {_colour(k)}", data_tip=tip)]
    if one.low is not None and one.high is not None:
        parts.append(
            line(axes.x(one.low), middle, axes.x(one.high), middle, class_="error", data_tip=tip)
        )
    return parts


def _steps(axes: Axes, edges: np.ndarray, height: np.ndarray, k: int) -> Markup:
    x = np.repeat(edges, 2)
    y = np.concatenate([[0.0], np.repeat(height, 2), [0.0]])
    return element(
        "path",
        d=_way(axes, x, y, closed=True),
        class_=f"area {_colour(k)}",
        stroke_dasharray=DASHES[k % 6],
    )


def _mark(x: Number, y: Number, k: int, *, size: Number, **attributes: object) -> Markup:
    """Draw the mark of series k around a place, so that series differ in more than colour."""
    kind, s = MARKS[k % len(MARKS)], size
    if kind in ("circle", "ring"):
        return element("circle", cx=x, cy=y, r=s * (1 if kind == "circle" else 0.7), **attributes)
    corners = {
        "square": ((-s, -s), (s, -s), (s, s), (-s, s)),
        "triangle": ((0, -1.2 * s), (1.1 * s, 0.9 * s), (-1.1 * s, 0.9 * s)),
        "diamond": ((0, -1.3 * s), (1.3 * s, 0), (0, 1.3 * s), (-1.3 * s, 0)),
        "cross": ((-s, -0.4 * s), (s, -0.4 * s), (s, 0.4 * s), (-s, 0.4 * s)),
    }[kind]
    return element(
        "path",
        d=path((x + a for a, _ in corners), (y + b for _, b in corners), closed=True),
        **attributes,
    )


def _swatch(k: int) -> Markup:
    box = element(
        "rect",
        x=1,
        y=2,
        width=22,
        height=12,
        class_=f"area {_colour(k)}",
        stroke_dasharray=DASHES[k % 6],
    )
    return element("svg", box, viewBox="0 0 24 16", class_="swatch", aria_hidden="true")


def _swatch_mark(k: int) -> Markup:
    mark = _mark(12, 8, k, size=5.5, class_=f"point solid {_colour(k)}")
    return element("svg", mark, viewBox="0 0 24 16", class_="swatch", aria_hidden="true")


def _stroke(kind: str, dash: str | None = None) -> Markup:
    stroke = line(1, 8, 23, 8, class_=kind, stroke_dasharray=dash)
    return element("svg", stroke, viewBox="0 0 24 16", class_="swatch", aria_hidden="true")


def _points(one: Line):
    low = [None] * len(one.x) if one.low is None else one.low
    high = [None] * len(one.x) if one.high is None else one.high
    points = zip(one.x, one.y, low, high, strict=True)
    return (point for point in points if np.isfinite(point[0]) and np.isfinite(point[1]))


def _thinned(points: list, most: int) -> list:
    if len(points) <= most:
        return points
    return [points[round(k)] for k in np.linspace(0, len(points) - 1, most)]


def _way(axes: Axes, x: Numbers, y: Numbers, *, closed: bool = False) -> str:
    both = [(a, b) for a, b in zip(x, y, strict=True) if np.isfinite(a) and np.isfinite(b)]
    return path((axes.x(a) for a, _ in both), (axes.y(b) for _, b in both), closed=closed)


def _finite(values: Numbers) -> np.ndarray:
    array = np.asarray(values, float).reshape(-1)
    return array[np.isfinite(array)]


def _within(low: Number | None, high: Number | None) -> str:
    return "" if low is None or high is None else f" ({say(low)} to {say(high)})"


def _or_empty(value: Number | None) -> str:
    return "" if value is None else say(value)


def _colour(k: int) -> str:
    return f"c{k % COLOURS}"
