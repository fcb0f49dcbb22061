"""How effects differ: their spread, and the groups who gain most."""

from __future__ import annotations

import numpy as np

from pairnet.report.charts import Point, dots, histogram
from pairnet.report.document import Block, facts, figure, paragraph, table
from pairnet.report.model import people
from pairnet.report.model.evidence import Evidence
from pairnet.report.model.parts import Part
from pairnet.report.model.subject import Subject
from pairnet.report.model.tree import leaves
from pairnet.report.words import per_cent, say

TITLE = "How effects differ"
ALIKE = "The estimated effect is the same for all rows."
SAME = 1e-5  # of the largest effect: a smaller difference of effects is rounding
TELLING = 0.02  # a covariate that explains this share of the variance has its own chart


def how_effects_differ(subject: Subject, rests: Evidence) -> Part:
    """Return the part that shows how effects are spread over the rows."""
    if _same(subject):
        return Part(TITLE, f"{ALIKE[:-1]}, {say(subject.effect.mean())}.")
    unit = subject.words.difference_unit
    finding = f"The model says {subject.middle}{unit} for the middle 80 % of rows"
    if subject.has_intervals:
        up, down = _clearly(subject, rests)
        finding += f"; {per_cent(up)} are clearly raised, {per_cent(down)} clearly lowered"
    blocks = [*rests.note(), *clearly(subject, rests), *spread(subject)]
    return Part(TITLE, f"{finding}.", tuple(blocks))


def clearly(subject: Subject, rests: Evidence) -> list[Block]:
    """Show how many rows are clearly raised and lowered, and where most effects lie."""
    guessed = f", {per_cent(rests.extrapolated)} of them extrapolated" * rests.limited
    most = ("Most rows' effects", subject.middle, f"the middle 80 % of estimated effects{guessed}")
    if not subject.has_intervals:
        return [facts([most])]
    up, down = _clearly(subject, rests)
    own = "of rows: their own 95 % interval lies"
    but = "; rows that extrapolate do not count" * (rests.extrapolated > 0)
    return [
        facts(
            [
                ("Clearly raised", per_cent(up), f"{own} above 0{but}"),
                ("Clearly lowered", per_cent(down), f"{own} below 0{but}"),
                most,
            ]
        )
    ]


def _clearly(subject: Subject, rests: Evidence) -> tuple[float, float]:
    """Return the shares of rows whose own interval lies above 0, and below it."""
    bottom, top = subject.interval
    return rests.share(bottom > 0), rests.share(top < 0)


def _same(subject: Subject) -> bool:
    """Tell whether all effects are the same but for rounding."""
    return float(np.ptp(subject.effect)) <= SAME * float(np.abs(subject.effect).max())


def spread(subject: Subject) -> list[Block]:
    """Draw how effects are spread over the rows."""
    marks = {"no effect": 0.0, "average": float(subject.effect.mean())}
    picture = histogram(
        {"effect": subject.effect}, x=subject.effect_name, marks=marks, says="Histogram of effects"
    )
    count = f"{len(subject.x):,} rows"
    what = subject.against(subject.labels[1])
    caption = f"Each row's estimated effect of {what} ({count})."
    blocks: list[Block] = [figure(picture, caption)]
    if subject.has_intervals:
        low, high = subject.interval
        width, apart = say(float(np.median(high - low))), say(float(subject.effect.std()))
        blocks.append(
            paragraph(
                f"A row's own 95 % interval is typically {width} wide, while the effects of rows "
                f"differ by {apart} (standard deviation). Intervals say how far an effect would "
                "move if the rows were collected anew."
            )
        )
    return blocks


def groups_who_gain(subject: Subject, columns: list[people.ByColumn]) -> list[Block]:
    """Show the groups whose effects by the model differ most, and effects by covariate."""
    if _same(subject) or not columns:
        return [paragraph(ALIKE)]
    points, rows = [], []
    groups = leaves(subject)
    for group in groups:
        mean = float(subject.effect[group.rows].mean())
        points.append(Point(group.label, mean, *subject.group_interval(group.rows)))
        rows.append((group.label, f"{len(group.rows):,}", say(mean)))
    share = per_cent(people.explained(subject.effect, groups))
    ends = " Lines are 95 % intervals of the group's mean." if subject.has_intervals else ""
    return [
        figure(
            dots(points, x=subject.effect_name, says="Mean effect in groups found by a tree"),
            "Groups whose effects differ most, as the model says, found by a shallow tree; they "
            f"explain {share} of how effects differ. Those who gain most come first: "
            f"{subject.good}.{ends}",
        ),
        table(("group", "rows", "mean effect"), rows, "The same groups"),
        paragraph(
            "These are descriptions, not causes: a covariate may go along with what truly makes "
            "the difference.",
            kind="note",
        ),
        *(
            people.column_figure(subject, column)
            for column in columns[: people.OWN_CHARTS]
            if column.explains > TELLING
        ),
        people.column_table(columns),
    ]
