"""Scatter plots: one number against another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from pairnet.report.charts.axes import Axes
from pairnet.report.charts.base import (
    Chart,
    Vector,
    colour,
    finite,
    line_swatch,
    mark,
    mark_swatch,
)
from pairnet.report.svg import drawing, line
from pairnet.report.words import say


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of one kind; `tips` are the texts shown when they are pointed at."""

    label: str
    x: Vector
    y: Vector
    tips: Sequence[str] = ()


def scatter(
    clouds: Sequence[Cloud], *, x: str, y: str, says: str = "", diagonal: bool = False
) -> Chart:
    """Draw points; `diagonal` adds the line where both numbers are equal."""
    axes = Axes.around(
        np.concatenate([finite(cloud.x) for cloud in clouds]),
        np.concatenate([finite(cloud.y) for cloud in clouds]),
        (x, y),
    )
    parts = [axes.draw(), *([_diagonal(axes)] if diagonal else [])]
    for k, cloud in enumerate(clouds):
        parts += _points(axes, cloud, k)
    several = clouds if len(clouds) > 1 else ()
    legend = (
        *((cloud.label, mark_swatch(k)) for k, cloud in enumerate(several)),
        *((("equal", line_swatch("mark")),) if diagonal else ()),
    )
    return Chart(drawing(parts, axes.whole, says or f"{y} by {x}"), legend)


def _diagonal(axes: Axes) -> Markup:
    low, high = max(axes.x.low, axes.y.low), min(axes.x.high, axes.y.high)
    return line(axes.x(low), axes.y(low), axes.x(high), axes.y(high), class_="mark")


def _points(axes: Axes, cloud: Cloud, k: int) -> Iterator[Markup]:
    names, kind = axes.names, f"point {colour(k)}"
    tips = cloud.tips or [
        f"{names[0]} {say(a)}, {names[1]} {say(b)}" for a, b in zip(cloud.x, cloud.y, strict=True)
    ]
    for a, b, tip in zip(cloud.x, cloud.y, tips, strict=True):
        if np.isfinite([a, b]).all():
            yield mark(axes.x(a), axes.y(b), k, size=3.2, class_=kind, data_tip=tip)
