"""The report of a fitted model: what was asked, the answer, how sure it is, for whom it holds, and
how to check it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pairnet.core.treatments import Arms
from pairnet.evidence.leaks import repeats
from pairnet.methods import NetworkEstimator
from pairnet.report import (
    model_doses,
    model_evidence,
    model_overlap,
    model_people,
    model_policy,
    model_training,
)
from pairnet.report.charts import Point, dots, histogram
from pairnet.report.document import Block, Document, bullets, figure, paragraph, table
from pairnet.report.model_answer import Average, answer, averages_of, lead
from pairnet.report.model_scores import Gain, Scored, gain_curve, scored
from pairnet.report.model_tree import leaves
from pairnet.report.model_view import RESAMPLED, View, view
from pairnet.report.words import per_cent, say

CAUTION = "What this rests on, and warnings"
SAME = 1e-5  # of the largest effect: what effects differ by less is rounding


def model_report(
    model: NetworkEstimator,
    X: Any = None,
    y: Any = None,
    treatment: Any = None,
    *,
    T0: Any = None,
    T1: Any = None,
    goal: str = "max",
) -> Document:
    """Return a page on a fitted model, made from the rows given, or from those it remembers of its
    training.

    T0, T1: what is compared; left out, the last arm with the baseline (`Arms.baseline`), or a dose
    that is high among those observed with a low one. goal: whether a large outcome is good ("max")
    or a small one ("min").
    """
    seen = view(model, X, y, treatment, T0=T0, T1=T1, goal=goal)
    judged = (
        scored(seen)
        if seen.t is not None and seen.y is not None and isinstance(seen.treatment, Arms)
        else None
    )
    averages = averages_of(seen)
    main = next(one for one in averages if one.label == seen.labels[1])
    gain = gain_curve(judged, seen.goal) if judged is not None else None
    columns = model_people.by_column(seen)
    support = model_evidence.Evidence(seen)
    find = (
        model_overlap.overlap_of_arms
        if isinstance(seen.treatment, Arms)
        else model_overlap.overlap_of_doses
    )
    overlap, doubts = find(seen) if seen.t is not None else ([_no_outcomes()], [])
    evidence, more = model_evidence.evidence(seen, columns, support)
    caution = _caution([*more, *doubts, *_warnings(seen, main, gain)])

    page = Document(_title(seen), lead(seen, main, gain, support))
    if support.lacking:
        page.section(CAUTION, *caution)
    page.section("The answer", *answer(seen, main, averages, support))
    page.section("How effects differ", *_spread(seen))
    page.section("Who gains most", *_people(seen, columns, judged))
    if isinstance(seen.treatment, Arms):
        policy: list[Block] = [_no_outcomes()]
        if judged is not None and gain is not None:
            policy = model_policy.policy_figures(seen, judged, gain)
        page.section("Whom to treat", *policy)
    else:
        curves = model_doses.Curves(seen)
        groups = model_doses.groups_figure(curves, columns[0]) if columns else None
        drawn = [model_doses.response_figure(curves), *([groups] if groups is not None else [])]
        page.section("Dose and response", *drawn)
        page.section("Which dose to give", *model_doses.policy_table(curves))
    page.section("Overlap and balance", *overlap)
    page.section("Evidence: who was compared with whom", *evidence)
    page.section("The data", *model_training.data_tables(seen))
    page.section("Training", *model_training.training_tables(model))
    if not support.lacking:
        page.section(CAUTION, *caution)
    page.section("How to reproduce", *model_training.reproduction(seen))
    return page


def _title(seen: View) -> str:
    return f"The effect of {seen.names['treatment']} on {seen.names['outcome']}"


def _spread(seen: View) -> list[Block]:
    marks = {"no effect": 0.0, "average": float(seen.effect.mean())}
    picture = histogram(
        {"effect": seen.effect}, x=seen.effect_name, marks=marks, says="Histogram of effects"
    )
    blocks: list[Block] = [
        figure(picture, f"Each row's estimated effect of {seen.comparison} ({len(seen.x):,} rows).")
    ]
    if seen.has_intervals:
        low, high = seen.interval
        blocks.append(
            paragraph(
                f"A row's own 95 % interval is typically {say(float(np.median(high - low)))} "
                "wide, while the effects "
                f"of rows differ by {say(float(seen.effect.std()))} (standard deviation). "
                "Intervals say how far an "
                "effect would move if the rows were collected anew; see docs/intervals.md for how "
                "often they hold."
            )
        )
    return blocks


def _people(seen: View, columns: list[model_people.ByColumn], judged: Scored | None) -> list[Block]:
    if float(np.ptp(seen.effect)) <= SAME * float(np.abs(seen.effect).max()) or not columns:
        return [paragraph("The estimated effect is the same for all rows.")]
    groups = leaves(seen)
    points, rows = [], []
    for group in groups:
        mean = float(seen.effect[group.rows].mean())
        low, high = seen.group_interval(group.rows)
        points.append(Point(group.label, mean, low, high))
        rows.append((group.label, f"{len(group.rows):,}", say(mean), *_judged(judged, group.rows)))
    share = (
        f"they explain {per_cent(model_people.explained(seen.effect, groups))} of how effects "
        "differ"
    )
    first = f"Those who gain most come first: {seen.good}."
    ends = " Lines are 95 % intervals of the group's mean." if seen.has_intervals else ""
    more = ("outcomes say", "± error") if judged is not None else ()
    what = (
        "; 'outcomes say' is the mean doubly robust score with its standard error"
        if judged is not None
        else ""
    )
    return [
        figure(
            dots(points, x=seen.effect_name, says="Mean effect in groups found by a tree"),
            "Groups whose effects differ most, found by a shallow tree of the estimated effects; "
            f"{share}. "
            f"{first}{ends}",
        ),
        table(("group", "rows", "mean effect", *more), rows, f"The same groups{what}"),
        paragraph(
            "These are descriptions, not causes: a covariate may go along with what truly makes "
            "the difference.",
            kind="note",
        ),
        *(
            model_people.column_figure(seen, one)
            for one in columns[: model_people.SHOWN]
            if one.explains > 0.02
        ),
        model_people.column_table(columns),
    ]


def _judged(judged: Scored | None, rows: np.ndarray) -> tuple[str, ...]:
    """Return what outcomes say of the mean effect of some rows, where there are outcomes."""
    if judged is None:
        return ()
    some = np.flatnonzero(np.isin(judged.place, rows))
    return tuple(map(say, judged.mean(some))) if len(some) > 1 else ("–", "–")


def _warnings(seen: View, main: Average, gain: Gain | None) -> list[str]:
    found = []
    if gain is not None and gain.area_interval[0] <= 0:
        found.append(
            "Treating those first who should gain most is not clearly better than treating as "
            "many at random: who "
            "gains most, as said here, may be chance."
        )
    training = seen.model.training_
    found += [
        f"Covariate {name} repeats the {what} exactly. Leave it out, or effects say nothing."
        for name, what in repeats(
            seen.model.schema_.features, training.x, training.t, training.y, seen.treatment
        )
    ]
    if not seen.has_intervals:
        found.append(
            "The members were not trained on resampled rows, so rows have no intervals. Fit with "
            f"{RESAMPLED}."
        )
    if training.summary["rows"] > len(training) and seen.is_training:
        found.append(
            f"Drawn from a random sample of {len(training):,} of the {training.summary['rows']:,} "
            "training rows."
        )
    if main.robust is not None and main.interval is not None:
        apart = main.robust[2] < main.interval[0] or main.interval[1] < main.robust[1]
        if apart:
            found.append(
                "The average effect by the model and the doubly robust one disagree beyond their "
                "intervals."
            )
    if isinstance(seen.treatment, Arms):
        small = [each for each in training.summary["treatment"]["arms"] if each["rows"] < 50]
        found += [f"Arm {each['arm']} has only {each['rows']} rows." for each in small]
    for column in seen.model.schema_.left_out:
        found.append(f"Column {column.name} was left out: {column.about()}.")
    return found


def _caution(warnings: list[str]) -> list[Block]:
    blocks: list[Block] = [
        paragraph(
            "Effects mean what they say only if all that drives both treatment and outcome is "
            "among the covariates, no "
            "covariate was changed by the treatment, every kind of row had some chance of either "
            "treatment, and one "
            "row's treatment does not touch another row's outcome. No number on this page can "
            "show that; who knows "
            "how the treatments came about must judge."
        )
    ]
    if warnings:
        return [*(paragraph(text, kind="warning") for text in warnings), *blocks]
    return [bullets(["No warnings."]), *blocks]


def _no_outcomes() -> Block:
    return paragraph(
        "Outcomes and treatments of these rows were not given, so nothing can be judged by them.",
        kind="note",
    )
