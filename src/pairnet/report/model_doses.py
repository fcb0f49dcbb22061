"""Doses: how the outcome responds, for all rows together and for groups, and what choosing doses
would bring."""

from __future__ import annotations

import numpy as np

from pairnet.core.treatments import Dose, dose_grid
from pairnet.inference import intervals
from pairnet.report.charts import Curve, lines
from pairnet.report.document import Block, figure, paragraph, table
from pairnet.report.model_people import ByColumn
from pairnet.report.model_view import ALPHA, View
from pairnet.report.words import say

STEPS = 33  # doses of a curve
MOST_ROWS = 4000  # whose curves are averaged
SINGLE = 12  # rows whose own curves are drawn
RUG = 150  # observed doses that are drawn


class Curves:
    """Every member's response of some rows to every dose of a grid; a random sample where there are
    many rows."""

    def __init__(self, view: View):
        dose = view.treatment
        assert isinstance(dose, Dose)
        self.view = view
        self.doses = dose_grid(dose, STEPS)
        self.rows = np.sort(np.random.default_rng(0).permutation(len(view.x))[:MOST_ROWS])
        said = view.model.fitted_.curve(view.x[self.rows], dose.place(self.doses))[0]
        self.members = (
            np.clip(said, *view.model.fitted_.reading.kind.bounds) * view.scale
        )  # [m n g]

    def average(self, label: str, rows: np.ndarray | slice = slice(None)) -> Curve:
        """Return the average response of some rows, with its band where members were trained on
        their own draws."""
        by_member = self.members[:, rows].mean(axis=1)
        low, high = (
            intervals.of_members(by_member, ALPHA) if self.view.has_intervals else (None, None)
        )
        return Curve(label, self.doses, by_member.mean(axis=0), low, high)


def response_figure(curves: Curves) -> Block:
    """Draw the average response over single ones, with the observed doses on the axis."""
    view = curves.view
    single = curves.members.mean(axis=0)[np.linspace(0, len(curves.rows) - 1, SINGLE).astype(int)]
    rug: np.ndarray = np.zeros(0)
    if view.t is not None:
        some = np.random.default_rng(0).permutation(len(view.t))[:RUG]
        rug = view.treatment.amount(view.t[some])  # type: ignore[union-attr]
    chart = lines(
        [curves.average("average of all rows")],
        x=view.names["treatment"],
        y=view.outcome_name,
        faint=[Curve("one row", curves.doses, curve) for curve in single],
        rug=rug,
        rug_label="an observed dose",
        says="Average dose response",
    )
    band = (
        "The band is the 95 % interval of the average."
        if view.has_intervals
        else "Without bootstrap there is no band."
    )
    return figure(
        chart, f"{view.outcome_name[0].upper()}{view.outcome_name[1:]} under every dose. {band}"
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
    view = curves.view
    chart = lines(
        series,
        x=view.names["treatment"],
        y=view.outcome_name,
        says=f"Dose response by {column.name}",
    )
    return figure(
        chart, f"Average responses by {column.name}, the covariate that tells effects apart best."
    )


def policy_table(curves: Curves) -> list[Block]:
    """Compare one dose for all with a dose for each row, by what the model itself expects."""
    view = curves.view
    mean = curves.members.mean(axis=0)
    best_for_all = int(np.argmax(view.goal * mean.mean(axis=0)))
    best_for_each = np.argmax(view.goal * mean, axis=1)
    rows = [_line(curves, "one dose for all", best_for_all, say(curves.doses[best_for_all]))]
    spread = np.percentile(curves.doses[best_for_each], (10, 50, 90))
    rows.append(
        _line(curves, "its best dose for each row", best_for_each, " / ".join(map(say, spread)))
    )
    if view.t is not None and view.y is not None:
        observed = float(view.y.mean())
        amounts = np.percentile(view.treatment.amount(view.t), (10, 50, 90))  # type: ignore[union-attr]
        rows.insert(0, ("as observed", " / ".join(map(say, amounts)), say(observed), "", ""))
    goal = "largest" if view.goal > 0 else "smallest"
    return [
        table(
            ("who gets what", "dose (10 % / half / 90 % of rows)", view.outcome_name, "from", "to"),
            rows,
            f"What choosing doses would bring, if the {goal} outcome is best and doses cost "
            "nothing",
        ),
        paragraph(
            "These are the model's own expectations (plug-in, intervals from its members), not "
            "corrected by observed "
            "outcomes: choosing the best of many estimates is optimistic. Put costs in with "
            "model.optimal_treatment(X, cost=...).",
            kind="note",
        ),
    ]


def _line(curves: Curves, name: str, chosen: np.ndarray | int, doses: str) -> tuple[str, ...]:
    place = np.broadcast_to(chosen, curves.members.shape[1])[None, :, None]
    by_member = np.take_along_axis(curves.members, place, axis=2)[..., 0].mean(axis=1)
    ends: tuple[str, ...] = ("", "")
    if curves.view.has_intervals:
        ends = tuple(say(float(end[0])) for end in intervals.of_members(by_member[:, None], ALPHA))
    return (name, doses, say(by_member.mean()), *ends)
