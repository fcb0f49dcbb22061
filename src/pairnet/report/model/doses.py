"""Doses: how the outcome responds to them, and what choosing them would bring."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from pairnet.inference import intervals
from pairnet.model.responses import Responses
from pairnet.report.charts import Curve, lines
from pairnet.report.document import Block, Table, figure, paragraph, plain, table
from pairnet.report.model.evidence import Evidence
from pairnet.report.model.parts import Part
from pairnet.report.model.people import ByColumn
from pairnet.report.model.ranges import where_rows_are
from pairnet.report.model.subject import ALPHA, Subject
from pairnet.report.words import say

CURVE_POINTS = 33  # points of a curve
AVERAGED = 4000  # the most rows whose curves are averaged
SINGLE = 12  # rows that have a curve of their own in the chart
RUG = 150  # observed doses that are drawn
CORRECTED = (
    " The line with its own band is corrected by the outcomes of rows with doses nearby, weighted "
    "by how rare their dose was for people like them. Where the bands do not meet, the "
    "model, these weights or both are off."
)


def dose_parts(subject: Subject, columns: list[ByColumn], rests: Evidence) -> list[Part]:
    """Return the parts on how the outcome follows the dose, and on which dose to give."""
    curves = Curves(subject)
    average = curves.members.mean(axis=(0, 1))
    groups = [groups_figure(curves, columns[0])] if columns else []
    ends = (say(curves.doses[0]), say(curves.doses[-1]), say(average[0]), say(average[-1]))
    follows = (
        f"From {ends[0]} to {ends[1]}, where most rows are, {subject.outcome_name} goes from "
        f"{ends[2]} to {ends[3]} on average; {_shape(average)}."
    )
    choices, note = policy_table(curves)
    one, each = (tuple(map(plain, row)) for row in choices.rows[-2:])
    best = (
        f"The model would give {one[1]} if all get one dose ({subject.outcome_name} {one[2]}); "
        f"with a dose for each row it expects {each[2]}. Costs are not counted."
    )
    shown = tuple(figure for figure in (response_figure(curves), *groups) if figure is not None)
    return [
        Part("Dose and response", follows, shown),
        Part("Which dose to give", best, (*rests.note(), choices, note)),
    ]


def _shape(average: Float[np.ndarray, " g"]) -> str:
    """Say where along the doses an average response is highest."""
    steps, size = np.diff(average), float(np.ptp(average))
    if (steps >= -0.01 * size).all():
        return "it rises with the dose"
    if (steps <= 0.01 * size).all():
        return "it falls with the dose"
    return "it rises and falls in between"


class Curves:
    """Every member's response of some rows to every dose of a grid.

    If there are many rows, a random sample of them is taken.
    """

    def __init__(self, subject: Subject):
        self.subject = subject
        given = subject.treatment.label_of(subject.memory.t)
        self.ends, self.beyond = where_rows_are(given, subject.labels)
        self.doses = np.linspace(*self.ends, CURVE_POINTS)
        self.rows = np.sort(np.random.default_rng(0).permutation(len(subject.x))[:AVERAGED])
        places = np.clip(subject.treatment.place(self.doses), 0, 1)  # type: ignore[attr-defined]
        self.responses = Responses(subject.model, subject.x[self.rows], places)
        self.members: Float[np.ndarray, "m n g"] = self.responses.members * subject.scale

    def average(self, label: str, rows: np.ndarray | slice = slice(None)) -> Curve:
        """Return the average response of some rows, with a band if the model has intervals."""
        some = self.responses.of_rows(rows)
        has_band = self.subject.has_intervals
        return self._curve(label, some, "plugin", "bootstrap" if has_band else None)

    def corrected(self, label: str) -> list[Curve]:
        """Return the average response corrected by outcomes, if rows can be judged."""
        kind = "doubly robust"
        honest = self.subject.memory.honest
        return [self._curve(label, self.responses, kind, kind)] if honest else []

    def _curve(self, label: str, some: Responses, kind: str, band: str | None) -> Curve:
        ends = (None, None) if band is None else some.average_interval(ALPHA, band)
        scaled = (None if end is None else end * self.subject.scale for end in ends)
        return Curve(label, self.doses, some.average(kind) * self.subject.scale, *scaled)


def response_figure(curves: Curves) -> Block:
    """Draw the average response above those of single rows, and mark the observed doses."""
    subject = curves.subject
    single = curves.members.mean(axis=0)[np.linspace(0, len(curves.rows) - 1, SINGLE).astype(int)]
    rug: np.ndarray = np.zeros(0)
    if subject.t is not None:
        some = np.random.default_rng(0).permutation(len(subject.t))[:RUG]
        rug = subject.treatment.label_of(subject.t[some])
        rug = rug[(rug >= curves.ends[0]) & (rug <= curves.ends[1])]
    corrected = curves.corrected("corrected by outcomes")
    chart = lines(
        [curves.average("average of all rows"), *corrected],
        x=subject.names["treatment"],
        y=subject.outcome_name,
        faint=[Curve("one row", curves.doses, curve) for curve in single],
        rug=rug,
        rug_label="an observed dose",
        says="Average dose response",
    )
    band = (
        "The band is the 95 % interval of the average, for each dose by itself."
        if subject.has_intervals
        else "Without bootstrap there is no band."
    )
    name = subject.outcome_name[0].upper() + subject.outcome_name[1:]
    return figure(
        chart, f"{name} under every dose. {band}{CORRECTED if corrected else ''}{curves.beyond}"
    )


def groups_figure(curves: Curves, column: ByColumn) -> Block | None:
    """Draw the average responses of the groups of the covariate that tells effects apart best."""
    place = {row: k for k, row in enumerate(curves.rows.tolist())}
    chosen = (
        column.groups
        if len(column.groups) <= 3
        else [column.groups[k] for k in (0, len(column.groups) // 2, -1)]
    )
    some = [
        (g.label, np.asarray([place[r] for r in g.rows.tolist() if r in place], int))
        for g in chosen
    ]
    series = [curves.average(f"{column.name} {label}", rows) for label, rows in some if len(rows)]
    if len(series) < 2:
        return None
    subject = curves.subject
    chart = lines(
        series,
        x=subject.names["treatment"],
        y=subject.outcome_name,
        says=f"Dose response by {column.name}",
    )
    return figure(
        chart, f"Average responses by {column.name}, the covariate that tells effects apart best."
    )


def policy_table(curves: Curves) -> tuple[Table, Block]:
    """Compare one dose for all rows with a dose for each row, by what the model itself expects."""
    subject = curves.subject
    mean = curves.members.mean(axis=0)
    best_for_all = int(np.argmax(subject.goal * mean.mean(axis=0)))
    best_for_each = np.argmax(subject.goal * mean, axis=1)
    rows = [_line(curves, "one dose for all", best_for_all, say(curves.doses[best_for_all]))]
    spread = np.percentile(curves.doses[best_for_each], (10, 50, 90))
    rows.append(
        _line(curves, "its best dose for each row", best_for_each, " / ".join(map(say, spread)))
    )
    if subject.t is not None and subject.y is not None:
        observed = float(subject.y.mean())
        amounts = np.percentile(subject.treatment.label_of(subject.t), (10, 50, 90))
        rows.insert(0, ("as observed", " / ".join(map(say, amounts)), say(observed), "", ""))
    goal = "largest" if subject.goal > 0 else "smallest"
    return (
        table(
            (
                "who gets what",
                "dose (10 % / half / 90 % of rows)",
                subject.outcome_name,
                "from",
                "to",
            ),
            rows,
            f"What choosing doses would bring, if the {goal} outcome is best and doses cost "
            "nothing",
        ),
        paragraph(
            "These are the model's own expectations (plug-in, intervals from its members), not "
            "corrected by observed outcomes: choosing the best of many estimates is optimistic. "
            "Put costs in with model.optimal_treatment(X, cost=...).",
            kind="note",
        ),
    )


def _line(curves: Curves, name: str, chosen: np.ndarray | int, doses: str) -> tuple[str, ...]:
    place = np.broadcast_to(chosen, curves.members.shape[1])[None, :, None]
    pick = lambda values: np.take_along_axis(values, place, axis=2)[..., 0]
    value, ends = float(pick(curves.members).mean()), ("", "")
    if curves.subject.has_intervals:
        around = np.array(intervals.around(curves.responses.averaged(pick), ALPHA))
        low, high = curves.subject.possible_outcome(around * curves.subject.scale).tolist()
        ends = say(low), say(high)
    return (name, doses, say(value), *ends)
