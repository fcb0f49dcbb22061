"""Whom to treat: the gain of treating a share of the rows, best first, and whether effects hold up
against outcomes."""

from __future__ import annotations

from pairnet.report.charts import Curve, Point, dots, lines
from pairnet.report.document import Block, figure, paragraph
from pairnet.report.model_scores import Gain, Scored, calibration
from pairnet.report.model_view import RESAMPLED, View
from pairnet.report.words import say

Z = 1.96


def policy_figures(view: View, found: Scored, gain: Gain) -> list[Block]:
    """Return the gain curve and the calibration of effects, both judged by doubly robust scores."""
    straight = gain.share * gain.everyone
    chart = lines(
        [
            Curve(
                "those first who should gain most", 100 * gain.share, gain.gain, gain.low, gain.high
            ),
            Curve("as many at random", 100 * gain.share, straight),
        ],
        x=f"share of rows with {view.arm(view.labels[1])} (%)",
        y=f"{'gain' if view.goal > 0 else 'change'} per row of the table",
        level={"nobody": 0.0},
        says="Gain of treating a share of the rows",
    )
    low, high = gain.area_interval
    verdict = (
        "above 0, so the order is worth something"
        if low > 0
        else "not clearly above 0, so the order may be chance"
    )
    small = (
        ""
        if view.goal > 0
        else f" As {view.good}, it counts where the curve lies below the straight line."
    )
    parts = calibration(found)
    names = (
        ("lowest", "low", "middle", "high", "highest")
        if len(parts) == 5
        else [str(k + 1) for k in range(len(parts))]
    )
    points = []
    for name, (said, mean, error, rows) in zip(names, parts, strict=True):
        tip = (
            f"{name} fifth ({rows:,} rows): the model says {say(said)}, outcomes say "
            f"{say(mean)} ± {say(Z * error)}"
        )
        points.append(Point(f"{name} fifth", said, group="the model says", tip=tip))
        points.append(
            Point(f"{name} fifth", mean, mean - Z * error, mean + Z * error, "outcomes say", tip)
        )
    seen = (
        "Every row is judged by members of the ensemble that did not train on it."
        if view.honest
        else "The model has seen these rows, so both pictures are flattering. Pass rows that it "
        "has not seen, or fit "
        f"with {RESAMPLED}."
    )
    return [
        figure(
            chart,
            f"Uplift (Qini) curve: what {view.comparison} for a share of the rows changes in "
            f"{view.names['outcome']}, spread over all rows. The area between the lines (Qini) is "
            f"{say(gain.area)} (95 % interval {say(low)} to {say(high)}), {verdict}.{small}",
        ),
        figure(
            dots(points, x=view.effect_name, says="Effects said by the model and by outcomes"),
            "Calibration: rows in five groups by the effect that the model says, and the effect "
            "that outcomes say of "
            "each group. Where the two agree, effects can be taken at their word.",
        ),
        paragraph(
            "Gains and effects by outcomes are means of doubly robust scores (the model's effect "
            "plus the row's "
            f"residual weighted by 1 / chance of its arm). {seen} Bands: 2.5th to 97.5th "
            "percentile of 300 resamples "
            "of the rows; intervals: ± 1.96 standard errors. Both leave out that the model itself "
            "was estimated.",
            kind="note",
        ),
    ]
