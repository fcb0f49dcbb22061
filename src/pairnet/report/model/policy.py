"""Whom to treat: the gain of treating a share of the rows, and whether outcomes bear it out."""

from __future__ import annotations

import numpy as np

from pairnet.report.charts import Curve, lines
from pairnet.report.document import Block, figure, paragraph
from pairnet.report.model.evidence import Evidence
from pairnet.report.model.parts import NO_OUTCOMES, Part
from pairnet.report.model.scores import Gain, Scored
from pairnet.report.model.subject import RESAMPLED, Subject
from pairnet.report.words import per_cent, say

ALL = 0.95  # a larger share is everybody


TITLE = "Whom to treat"


def whom_to_treat(
    subject: Subject, judged: Scored | None, gain: Gain | None, rests: Evidence, sure: bool
) -> Part:
    """Return the part that says whom to treat.

    sure: whether the interval of the average effect that the page leads with leaves out 0.
    """
    if judged is None or gain is None:
        return Part(TITLE, NO_OUTCOMES)
    blocks = (*rests.note(), *policy_figures(subject, gain, rests.lacking))
    return Part(TITLE, verdict(subject, gain, rests.lacking, sure), blocks)


def verdict(subject: Subject, gain: Gain, lacking: bool = False, sure: bool = True) -> str:
    """Say whom to treat: everybody, some, or nobody."""
    goal, arm, what = subject.goal, subject.arm(subject.labels[1]), subject.names["outcome"]
    if lacking:
        return "These rows cannot say: most of them are extrapolated."
    value = goal * gain.gain
    low, high = np.sort([goal * gain.low, goal * gain.high], axis=0)
    ordered = gain.area_interval[0] > 0
    best = int(np.argmax(value))
    number = lambda values, k: float(values[k])
    changes = lambda k: (
        f"changes {what} by {subject.amount(number(gain.gain, k))} per row of the table (95 % "
        f"interval {say(number(gain.low, k))} to {say(number(gain.high, k))})"
    )
    costs = "" if subject.honest else " The model has seen these rows, which flatters it."
    costs = f" Costs are not counted.{costs}"
    if ordered and low[best] > 0 and gain.share[best] < ALL:
        first = f"the {per_cent(gain.share[best])} who should gain most"
        return f"Some: {arm} for {first} {changes(best)}.{costs}"
    if low[-1] > 0 and not sure:
        but = "but the interval of the average effect above holds 0, so do not count on it"
        return f"Not clear: {arm} for all {changes(-1)}, {but}.{costs}"
    if low[-1] > 0:
        order = "those first who should gain most" if ordered else "no order is clearly better"
        return f"Everybody: {arm} for all {changes(-1)}; {order}.{costs}"
    gains = "nor do those who should gain most clearly gain"
    if high[-1] < 0:
        return f"Nobody: {arm} for all {changes(-1)}, which is no gain, {gains}."
    return f"Nobody, as far as these rows tell: {arm} for all {changes(-1)}, {gains}."


def policy_figures(subject: Subject, gain: Gain, lacking: bool = False) -> list[Block]:
    """Return the gain curve, judged by doubly robust scores.

    lacking: whether most rows are extrapolated, so that outcomes cannot bear out their order.
    """
    honest = "Every row is judged by members of the ensemble that did not train on it."
    flattering = (
        "The model has seen these rows, so the picture is flattering. Pass rows that it has not "
        f"seen, or fit with {RESAMPLED}."
    )
    return [
        _gain(subject, gain, lacking),
        paragraph(
            "Gains are means of doubly robust scores (the model's effect plus the row's residual "
            "weighted by 1 / chance of its arm). "
            f"{honest if subject.honest else flattering} Bands: 95 % intervals of each point, by "
            "random halves of the rows; they leave out that the model itself was estimated.",
            kind="note",
        ),
    ]


def _gain(subject: Subject, gain: Gain, lacking: bool) -> Block:
    share = 100 * gain.share
    ordered = Curve("those first who should gain most", share, gain.gain, gain.low, gain.high)
    chart = lines(
        [ordered, Curve("as many at random", share, gain.share * gain.everyone)],
        x=f"share of rows with {subject.arm(subject.labels[1])} (%)",
        y=f"{'gain' if subject.goal > 0 else 'change'} per row of the table",
        level={"nobody": 0.0},
        says="Gain of treating a share of the rows",
    )
    low, high = gain.area_interval
    verdict = "not clearly above 0, so the order may be chance"
    if low > 0:
        verdict = "above 0, so the order is worth something"
        if lacking:
            verdict = "above 0, but most rows are extrapolated, so that it shows little"
    below = (
        ""
        if subject.goal > 0
        else (f" As {subject.good}, it counts where the curve lies below the straight line.")
    )
    compared = subject.against(subject.labels[1])
    return figure(
        chart,
        f"Uplift (Qini) curve: what {compared} for a share of the rows changes in "
        f"{subject.names['outcome']}, spread over all rows. The area between the lines (Qini) is "
        f"{say(gain.area)} (95 % interval {say(low)} to {say(high)}), {verdict}.{below}",
    )
