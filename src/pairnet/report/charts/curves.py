"""Lines with bands: how a value changes with a number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from pairnet.report.charts.axes import Axes
from pairnet.report.charts.base import (
    Chart,
    Legend,
    Vector,
    colour,
    dashes,
    finite,
    line_swatch,
    way,
    within,
)
from pairnet.report.svg import drawing, element, line
from pairnet.report.words import Number, say

MOST_NUMBERS = 24  # of a curve in the table of numbers


@dataclass(frozen=True, eq=False)
class Curve:
    """A line through points, with a band around it if `low` and `high` are given."""

    label: str
    x: Vector
    y: Vector
    low: Vector | None = None
    high: Vector | None = None

    @property
    def band(self) -> tuple[Vector, Vector] | None:
        """Return the lower and the upper ends, if there is a band."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def places(self) -> Iterator[_Place]:
        """Yield the points that are finite."""
        gaps = [None] * len(self.x)
        ends = (gaps if self.low is None else self.low, gaps if self.high is None else self.high)
        for place in map(_Place, self.x, self.y, *ends):
            if np.isfinite(place.x) and np.isfinite(place.y):
                yield place

    def values(self) -> list[np.ndarray]:
        """Return all values that the y-axis must cover."""
        return [finite(part) for part in (self.y, self.low, self.high) if part is not None]


class _Place(NamedTuple):
    x: Number
    y: Number
    low: Number | None
    high: Number | None


def lines(
    series: Sequence[Curve],
    *,
    x: str,
    y: str,
    says: str = "",
    level: Mapping[str, Number] | None = None,
    rug: Vector = (),
    rug_label: str = "observed",
    faint: Sequence[Curve] = (),
    named: Mapping[float, str] | None = None,
) -> Chart:
    """Draw lines with bands.

    level: values of y to mark, by name. rug: values of x to mark on the axis. faint: thin grey
    lines behind the others, such as single rows behind their average. named: the names of places of
    x, if x has names instead of numbers.
    """
    levels, written = level or {}, _Written(x, y, named or {})
    axes = _axes((*series, *faint), levels, (x, y))
    parts = [axes.draw(named=named)]
    parts += [axes.level(value, f"{name}: {say(value)}") for name, value in levels.items()]
    parts += [element("path", d=way(axes, curve.x, curve.y), class_="faint") for curve in faint]
    parts += _bands(axes, series)
    parts += [_in_rug(axes, value) for value in rug]
    for k, curve in enumerate(series):
        parts += _line(axes, curve, k, written)
    picture = drawing(parts, axes.whole, says or f"{y} by {x}")
    legend = _legend(series, faint, levels, rug_label if len(rug) else "")
    return Chart(picture, legend, *_numbers(series, written))


class _Written(NamedTuple):
    """How the points of a chart are written as text."""

    x: str
    y: str
    names: Mapping[float, str]

    def place(self, value: Number) -> str:
        return self.names.get(float(value)) or say(value)

    def tip(self, label: str, place: _Place) -> str:
        where = f"{label}: {self.x} {self.place(place.x)}, {self.y} {say(place.y)}"
        return where + within(place.low, place.high)

    def row(self, label: str, place: _Place) -> tuple[str, ...]:
        ends = () if place.low is None or place.high is None else (place.low, place.high)
        return (label, self.place(place.x), say(place.y), *map(say, ends))


def _axes(curves: Sequence[Curve], levels: Mapping[str, Number], names: tuple[str, str]) -> Axes:
    x = [finite(curve.x) for curve in curves]
    y = [values for curve in curves for values in curve.values()]
    return Axes.around(np.concatenate(x), np.concatenate([*y, list(levels.values())]), names)


def _bands(axes: Axes, series: Sequence[Curve]) -> Iterator[Markup]:
    """Draw bands: the way along the lower ends and back along the upper ones."""
    for k, curve in enumerate(series):
        if curve.band:
            low, high = curve.band
            x = np.concatenate([curve.x, np.asarray(curve.x)[::-1]])
            y = np.concatenate([low, np.asarray(high)[::-1]])
            yield element("path", d=way(axes, x, y, closed=True), class_=f"band {colour(k)}")


def _in_rug(axes: Axes, value: Number) -> Markup:
    place = axes.x(value)
    return line(place, axes.bottom, place, axes.bottom - 8, class_="rug")


def _line(axes: Axes, curve: Curve, k: int, written: _Written) -> list[Markup]:
    """Draw the line, and over its points circles that show their numbers when pointed at."""
    shape = way(axes, curve.x, curve.y)
    drawn = element("path", d=shape, class_=f"line {colour(k)}", stroke_dasharray=dashes(k))
    touched = [
        element(
            "circle",
            cx=axes.x(place.x),
            cy=axes.y(place.y),
            r=9,
            class_="touch",
            data_tip=written.tip(curve.label, place),
        )
        for place in curve.places()
    ]
    return [drawn, *touched]


def _legend(
    series: Sequence[Curve], faint: Sequence[Curve], levels: Mapping[str, Number], rug: str
) -> Legend:
    swatches = (line_swatch(f"line {colour(k)}", dashes(k)) for k in range(len(series)))
    return (
        *zip((curve.label for curve in series), swatches, strict=True),
        *((curve.label, line_swatch("faint")) for curve in faint[:1]),
        *((name, line_swatch("mark")) for name in levels),
        *(((rug, line_swatch("rug")),) if rug else ()),
    )


def _numbers(
    series: Sequence[Curve], written: _Written
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the header and the rows of the table of numbers."""
    ends = ("from", "to") if any(curve.low is not None for curve in series) else ()
    header = ("line", written.x, written.y, *ends)
    rows = [
        written.row(curve.label, place)
        for curve in series
        for place in _thinned(list(curve.places()))
    ]
    return header, tuple(row + ("",) * (len(header) - len(row)) for row in rows)


def _thinned(places: list[_Place]) -> list[_Place]:
    """Return some of the points at even steps, if there are many."""
    if len(places) <= MOST_NUMBERS:
        return places
    return [places[round(k)] for k in np.linspace(0, len(places) - 1, MOST_NUMBERS)]
