"""Doses: how the outcome responds to them, and what choosing them would bring."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from pairnet.core.treatments import dose_grid
from pairnet.inference import intervals
from pairnet.model.responses import Responses
from pairnet.report.charts import Curve, lines
from pairnet.report.document import Block, figure, paragraph, table
from pairnet.report.model.people import ByColumn
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


class Curves:
    """Every member's response of some rows to every dose of a grid.

    If there are many rows, a random sample of them is taken.
    """

    def __init__(self, subject: Subject):
        self.subject, dose = subject, subject.treatment
        self.doses = dose_grid(dose, CURVE_POINTS)  # type: ignore[arg-type]
        self.rows = np.sort(np.random.default_rng(0).permutation(len(subject.x))[:AVERAGED])
        places = np.linspace(0, 1, CURVE_POINTS)
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
    return figure(chart, f"{name} under every dose. {band}{CORRECTED if corrected else ''}")


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


def policy_table(curves: Curves) -> list[Block]:
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
    return [
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
    ]


def _line(curves: Curves, name: str, chosen: np.ndarray | int, doses: str) -> tuple[str, ...]:
    place = np.broadcast_to(chosen, curves.members.shape[1])[None, :, None]
    pick = lambda values: np.take_along_axis(values, place, axis=2)[..., 0]
    value, ends = float(pick(curves.members).mean()), ("", "")
    if curves.subject.has_intervals:
        around = np.array(intervals.around(curves.responses.averaged(pick), ALPHA))
        low, high = curves.subject.possible_outcome(around * curves.subject.scale).tolist()
        ends = say(low), say(high)
    return (name, doses, say(value), *ends)
