"""The answer: average effects by the model and by outcomes, and the paragraph that a report begins
with."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from pairnet.core.treatments import Arms
from pairnet.inference import intervals
from pairnet.report.charts import Point, dots
from pairnet.report.document import Block, facts, figure, paragraph, table
from pairnet.report.model_evidence import Evidence
from pairnet.report.model_scores import Gain
from pairnet.report.model_view import ALPHA, RESAMPLED, View
from pairnet.report.words import per_cent, say

HOW = {  # averages are found
    "model": "Model: the mean of the estimated effects.",
    "members": "Its interval is from members trained on resampled rows.",
    "doubly robust": "Doubly robust: this mean corrected by observed outcomes weighted by 1 / "
    "chance of their arm; "
    "right if the model of outcomes or that of chances is, and too sure of itself if neither is.",
    "not adjusted": "Not adjusted: the plain difference of mean outcomes, which mixes the effect "
    "with who was treated.",
}


class Average:
    """The average effect of one arm or dose against the first: by the model, and corrected by
    outcomes."""

    def __init__(self, seen: View, label: Hashable):
        self.label = label
        asked = seen.asked((seen.labels[0], label))
        self.plugin = float(asked.members().mean()) * seen.scale
        self.interval: tuple[float, float] | None = None
        if seen.has_intervals:
            low, high = intervals.around(intervals.average(asked), ALPHA)
            self.interval = low * seen.scale, high * seen.scale
        self.robust: tuple[float, float, float] | None = None
        if isinstance(seen.treatment, Arms) and not seen.model.training_.draws.all():
            found = intervals.doubly_robust(
                asked
            )  # of residuals of rows that a member has not seen
            low, high = intervals.around(found, ALPHA)
            self.robust = found.value * seen.scale, low * seen.scale, high * seen.scale

    @property
    def best(self) -> tuple[float, float | None, float | None]:
        """Return the number to be said first, with its interval: the members' where they have one.

        The doubly robust interval is narrower, but it knows only the noise of its correction:
        docs/intervals.md.
        """
        if self.interval is None and self.robust is not None:
            return self.robust
        return (self.plugin, *(self.interval or (None, None)))

    @property
    def split(self) -> bool:
        """Whether one of the two intervals holds 0 and the other does not."""
        if self.interval is None or self.robust is None:
            return False
        return _holds_zero(*self.interval) != _holds_zero(*self.robust[1:])


def averages_of(seen: View) -> list[Average]:
    """Return the averages of all other arms against the first, or of the dose that is asked
    about."""
    labels = seen.treatment.labels if isinstance(seen.treatment, Arms) else seen.labels
    return [Average(seen, label) for label in labels if label != seen.labels[0]]


def lead(seen: View, main: Average, gain: Gain | None, support: Evidence) -> str:
    """Say what was asked, the answer and how sure it is."""
    value, low, high = main.best
    change = "raises" if value > 0 else "lowers"
    chance = "the chance of " if seen.binary else ""
    rows = f"{seen.model.training_.summary['rows']:,} rows"
    rows += "" if seen.is_training else f" and asked of {len(seen.x):,} others"
    answer = f"it {change} {chance}{seen.names['outcome']} by {seen.amount(abs(value))}"
    if support.lacking:
        within = (
            "" if low is None or high is None else f" (95 % interval {say(low)} to {say(high)})"
        )
        both = "this number and its interval rest" if within else "this number rests"
        return (
            f"{_question(seen)} There is little evidence: for {per_cent(support.extrapolated)} of "
            "the rows hardly "
            "anybody like them was seen under one of the two treatments. The model, estimated "
            f"from {rows}, says that "
            f"on average {answer}{within}, but {both} on extrapolation: read the warnings first."
        )
    said = f"{_question(seen)} On average {answer}"
    if low is None or high is None:
        return (
            f"{said}, as estimated from {rows}; how sure this is was not estimated (no bootstrap)."
        )
    said += f" (95 % interval {say(low)} to {say(high)}), as estimated from {rows}. "
    if _holds_zero(low, high):
        said += "The interval holds 0, so there may be no effect on average."
    else:
        said += (
            "The interval leaves out 0, so on average there is an effect, if the assumptions "
            "below hold."
        )
    if main.split:
        said += " The doubly robust interval says otherwise: see The answer."
    if gain is None:
        return said
    small = "" if seen.goal > 0 else f" ({seen.good})"
    if gain.area_interval[0] > 0:
        return f"{said} Some rows gain more than others{small}, and outcomes bear out who they are."
    return f"{said} Outcomes do not bear out that some rows gain more than others{small}."


def answer(seen: View, main: Average, averages: list[Average], support: Evidence) -> list[Block]:
    """Return the numbers to be seen first, and a table of all averages."""
    value, low, high = main.best
    interval = (
        f"no interval: fit with {RESAMPLED}"
        if low is None or high is None
        else f"95 % interval {say(low)} to {say(high)}"
    )
    interval += f"; extrapolated for {per_cent(support.extrapolated)} of rows" * support.lacking
    items = [("Average effect", say(value) + " points" * seen.binary, interval)]
    if seen.has_intervals:
        bottom, top = seen.interval
        up, down = float(np.mean(bottom > 0)), float(np.mean(top < 0))
        items.append(
            ("Clearly raised", per_cent(up), "of rows: their own 95 % interval lies above 0")
        )
        items.append(
            ("Clearly lowered", per_cent(down), "of rows: their own 95 % interval lies below 0")
        )
    tenth, ninetieth = np.percentile(seen.effect, (10, 90))
    items.append(
        (
            "Most rows' effects",
            f"{say(tenth)} to {say(ninetieth)}",
            "the middle 80 % of estimated effects",
        )
    )
    blocks: list[Block] = [facts(items)]
    rows = []
    for one in averages:
        comparison = seen.against(one.label)
        rows.append(
            (
                comparison,
                "model",
                say(one.plugin),
                *(map(say, one.interval) if one.interval else ("", "")),
            )
        )
        rows += [(comparison, "doubly robust", *map(say, one.robust))] if one.robust else []
        rows += _unadjusted(seen, one.label, comparison)
    blocks.append(
        table(
            ("comparison", "how", "average effect", "from", "to"),
            rows,
            "Average effects with 95 % intervals",
        )
    )
    if any(one.split for one in averages):
        blocks.append(paragraph(_both_intervals(seen, [one for one in averages if one.split])))
    if len(averages) > 1:
        points = [Point(seen.arm(one.label), *one.best) for one in averages]
        caption = (
            f"Average effect of every arm against {seen.arm(seen.labels[0])}, with 95 % intervals."
        )
        blocks.append(figure(dots(points, x=seen.effect_name), caption))
    shown = {row[1] for row in rows} | ({"members"} if seen.has_intervals else set())
    blocks.append(
        paragraph(" ".join(about for how, about in HOW.items() if how in shown), kind="note")
    )
    return blocks


def _both_intervals(seen: View, averages: list[Average]) -> str:
    """Say what the two intervals say where they disagree about 0, why they do, and which to
    believe."""
    said = []
    for one in averages:
        assert one.interval is not None
        assert one.robust is not None
        ends = ("doubly robust", *one.robust[1:]), ("model's", *one.interval)
        without, within = sorted(ends, key=lambda end: _holds_zero(*end[1:]))
        said.append(
            f"{seen.against(one.label)}: by the {within[0]} interval ({say(within[1])} to "
            f"{say(within[2])}) there may "
            f"be no effect on average, by the {without[0]} one ({say(without[1])} to "
            f"{say(without[2])}) there is one."
        )
    return (
        f"{' '.join(said)} They differ as they know of different things that may be wrong: the "
        "model's of the luck of "
        "rows and training, the doubly robust one only of the noise of its correction, which "
        "makes it narrower as a "
        "rule. The wider one is the safer reading; where they disagree, do not count on an effect."
    )


def _question(seen: View) -> str:
    return f"What does {seen.comparison} do to {seen.names['outcome']}?"


def _holds_zero(low: float, high: float) -> bool:
    return low <= 0 <= high


def _unadjusted(seen: View, label: Hashable, comparison: str) -> list[tuple[str, ...]]:
    if seen.t is None or seen.y is None or not isinstance(seen.treatment, Arms):
        return []
    groups = [seen.y[seen.t == seen.inside(each)] for each in (seen.labels[0], label)]
    if any(len(group) < 2 for group in groups):
        return []
    value = float(groups[1].mean() - groups[0].mean())
    error = float(np.sqrt(sum(group.var(ddof=1) / len(group) for group in groups)))
    return [
        (comparison, "not adjusted", *map(say, (value, value - 1.96 * error, value + 1.96 * error)))
    ]
