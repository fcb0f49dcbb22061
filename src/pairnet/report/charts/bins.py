"""Histograms: how values are spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from markupsafe import Markup

from pairnet.report.charts.axes import Axes
from pairnet.report.charts.base import (
    Chart,
    Legend,
    Vector,
    area_swatch,
    colour,
    dashes,
    finite,
    line_swatch,
    way,
)
from pairnet.report.svg import drawing, element
from pairnet.report.words import Number, say

MARK, OTHER_MARK = "mark", "mark other"  # classes of the style sheet


def histogram(
    groups: Mapping[str, Vector],
    *,
    x: str,
    bins: int = 30,
    marks: Mapping[str, Number] | None = None,
    says: str = "",
    ends: tuple[Number, Number] | None = None,
    of: str = "rows",
) -> Chart:
    """Draw how values are spread: one group as counts, several groups as shares, overlaid.

    x: the name of the values, with their unit. marks: values to mark with an upright line, by name.
    ends: the range of the bins, if it is not that of the values. of: what the values belong to.
    """
    counted, marks = _count(groups, bins, ends, of), marks or {}
    axes = Axes.around(
        [*counted.edges, *marks.values()],
        [0, counted.highest],
        (x, f"share of {of} (%)" if counted.several else of),
        ends=(False, True),
    )
    parts = [axes.draw()]
    for k, name in enumerate(counted.counts):
        parts.append(_outline(axes, counted, name, k))
        parts += _touched(axes, counted, name)
    kinds = zip(marks.items(), _kinds(marks), strict=True)
    parts += [axes.across(value, name, kind=kind) for (name, value), kind in kinds]
    picture = drawing(parts, axes.whole, says or f"Histogram of {x}")
    header = (x, *(counted.counts if counted.several else (of,)))
    return Chart(picture, _legend(counted, marks), header, counted.rows())


@dataclass(frozen=True, eq=False)
class _Counted:
    """The values of each group, counted in bins."""

    edges: np.ndarray
    counts: dict[str, np.ndarray]
    total: int
    of: str

    @property
    def several(self) -> bool:
        return len(self.counts) > 1

    def heights(self, name: str) -> np.ndarray:
        """Return how high the bins are drawn: counts, or shares where groups are compared."""
        count = self.counts[name]
        return 100 * count / max(1, count.sum()) if self.several else count * 1.0

    @property
    def highest(self) -> float:
        return max((self.heights(name).max() for name in self.counts), default=1.0) or 1

    def tip(self, name: str, k: int) -> str:
        """Write what is in one bin."""
        count, low, high = self.counts[name][k], self.edges[k], self.edges[k + 1]
        share = self.heights(name)[k] if self.several else 100 * count / max(1, self.total)
        group = f"{name}: " if self.several else ""
        return f"{group}{say(low)} to {say(high)}: {count} {self.of} ({share:.1f} %)"

    def rows(self) -> tuple[tuple[str | int, ...], ...]:
        """Return the numbers as a table."""
        return tuple(
            (f"{say(low)} to {say(high)}", *(int(count[k]) for count in self.counts.values()))
            for k, (low, high) in enumerate(pairwise(self.edges))
        )


def _count(
    groups: Mapping[str, Vector], bins: int, ends: tuple[Number, Number] | None, of: str
) -> _Counted:
    arrays = {name: finite(values) for name, values in groups.items()}
    together = np.concatenate(list(arrays.values()))
    span = None if ends is None else (float(ends[0]), float(ends[1]))
    edges = np.histogram_bin_edges(together, bins=bins, range=span)
    counts = {name: np.histogram(values, edges)[0] for name, values in arrays.items()}
    return _Counted(edges, counts, len(together), of)


def _outline(axes: Axes, counted: _Counted, name: str, k: int) -> Markup:
    x = np.repeat(counted.edges, 2)
    y = np.concatenate([[0.0], np.repeat(counted.heights(name), 2), [0.0]])
    shape = way(axes, x, y, closed=True)
    return element("path", d=shape, class_=f"area {colour(k)}", stroke_dasharray=dashes(k))


def _touched(axes: Axes, counted: _Counted, name: str) -> list[Markup]:
    """Return the boxes that show what is in a bin when they are pointed at."""
    boxes = []
    for k, (height, count) in enumerate(
        zip(counted.heights(name), counted.counts[name], strict=True)
    ):
        if count:
            left, right, top = (
                axes.x(counted.edges[k]),
                axes.x(counted.edges[k + 1]),
                axes.y(height),
            )
            box = {"x": left, "width": right - left, "y": top, "height": axes.y(0) - top}
            boxes.append(element("rect", **box, class_="touch", data_tip=counted.tip(name, k)))
    return boxes


def _kinds(marks: Mapping[str, Number]) -> list[str]:
    """Return the classes of lines that are told apart: the first is dashed, others are not."""
    return [MARK if k == 0 else OTHER_MARK for k in range(len(marks))]


def _legend(counted: _Counted, marks: Mapping[str, Number]) -> Legend:
    groups = counted.counts if counted.several else ()
    kinds = zip(marks.items(), _kinds(marks), strict=True)
    return (
        *((name, area_swatch(k)) for k, name in enumerate(groups)),
        *((f"{name}: {say(value)}", line_swatch(kind)) for (name, value), kind in kinds),
    )
