"""Charts for documents; each function returns a picture that shows its numbers when pointed at."""

from pairnet.report.charts.base import Chart
from pairnet.report.charts.bins import histogram
from pairnet.report.charts.clouds import Cloud, scatter
from pairnet.report.charts.curves import Curve, lines
from pairnet.report.charts.rows import Point, bars, dots
from pairnet.report.charts.squares import heat

__all__ = [
    "Chart",
    "Cloud",
    "Curve",
    "Point",
    "bars",
    "dots",
    "heat",
    "histogram",
    "lines",
    "scatter",
]
