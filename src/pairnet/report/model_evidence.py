"""Evidence: for a few rows the observed rows most like them under either treatment, and the support
of all rows."""

from __future__ import annotations

import numpy as np

from pairnet.core.treatments import Dose
from pairnet.evidence.support import VERDICTS, Nearest, support
from pairnet.report.charts import Point, bars
from pairnet.report.document import Block, figure, paragraph, table
from pairnet.report.model_people import ByColumn, said_of
from pairnet.report.model_view import View
from pairnet.report.words import per_cent, say

PARTNERS = 3
MOST = 0.5  # of the rows: where more are extrapolated, so is the average
ASKED = 2000  # rows whose support is looked up: a random sample
EXAMPLES = {
    5: "one of the lowest effects",
    50: "a middling effect",
    95: "one of the highest effects",
}  # percentiles
COLUMNS = 4  # covariates in the table of an example


class Evidence:
    """The support of the example rows and of a random sample of all rows, looked up once."""

    def __init__(self, view: View):
        order = np.argsort(view.effect, kind="stable")
        self.examples = [int(order[round(share / 100 * (len(order) - 1))]) for share in EXAMPLES]
        some = np.random.default_rng(0).permutation(len(view.x))[:ASKED]
        self.support = _support(view, np.concatenate([self.examples, some]))
        verdicts = self.support.verdict[len(self.examples) :]
        self.shares = {
            verdict: float(np.mean(verdicts == verdict)) for verdict in VERDICTS.tolist()
        }

    @property
    def extrapolated(self) -> float:
        """The share of rows like whom hardly anybody was seen under one of the two treatments."""
        return self.shares["extrapolating"]

    @property
    def lacking(self) -> bool:
        """Whether so many rows are extrapolated that their average is, too."""
        return self.extrapolated > MOST


def evidence(view: View, columns: list[ByColumn], seen: Evidence) -> tuple[list[Block], list[str]]:
    """Return blocks and warnings: how many rows are well supported, and three rows with their
    partners."""
    found = seen.support
    chart = bars(
        [Point(verdict, 100 * share) for verdict, share in seen.shares.items()],
        x="share of rows (%)",
        says="Support of the rows",
    )
    blocks: list[Block] = [
        figure(
            chart,
            "How well the effects of rows are supported by observed rows like them. Thin: "
            "partners are farther away "
            "than is usual among the rows that got their treatment, or one treatment is rarer "
            "around than elsewhere. "
            "Extrapolating: hardly anybody alike got one of the two.",
        )
    ]
    names = [one.name for one in columns[:COLUMNS]]
    for k, (place, what) in enumerate(zip(seen.examples, EXAMPLES.values(), strict=True)):
        blocks.append(
            _example(view, place, what, [found.T0, found.T1], k, names, str(found.verdict[k]))
        )
    blocks.append(
        paragraph(
            "Partners are the rows of the training table nearest in all covariates, standardised. "
            "A distance of 1 is "
            "that of a typical row to its own neighbours; those under a rare treatment are "
            "farther for every row. The "
            "model learned from many more rows than these; they show whom a person would compare, "
            "and a single outcome "
            "is noisy.",
            kind="note",
        )
    )
    warnings = []
    if seen.extrapolated > 0.05:
        warnings.append(
            f"The effects of {per_cent(seen.extrapolated)} of the rows are extrapolated: hardly "
            "anybody like them was "
            "seen under one of the two treatments."
        )
    return blocks, warnings


def _support(view: View, rows: np.ndarray):
    """Look up partners, one more than is shown: a training row finds itself among them."""
    asked = view.asked(rows=rows)
    t0, t1 = asked.t0, asked.t1
    fitted, training = view.model.fitted_, view.model.training_
    return support(fitted, training, view.treatment, asked.x, t0, t1, PARTNERS + 1, "covariates")


def _example(
    view: View, place: int, what: str, sides: list[Nearest], k: int, names: list[str], verdict: str
) -> Block:
    training, schema = view.model.training_, view.model.schema_
    at = {int(row): position for position, row in enumerate(training.row)}
    own = int(view.row[place]) if view.is_training else -1
    known = view.t is not None and view.y is not None
    first = _received(view, float(view.t[place])) if known else ""  # type: ignore[index]
    outcome = say(float(view.y[place])) if known else ""  # type: ignore[index]
    lines = [
        (
            "the row itself",
            str(view.row[place]),
            first,
            outcome,
            "",
            *said_of(schema, view.x[place], names),
        )
    ]
    means = []
    for label, side in zip(view.labels, sides, strict=True):
        kept = [j for j in range(PARTNERS + 1) if side.rows[k, j] not in (own, -1)][:PARTNERS]
        means.append(float(np.mean(side.outcomes[k, kept])) * view.scale if kept else np.nan)
        for j in kept:
            position = at[int(side.rows[k, j])]
            lines.append(
                (
                    f"like it, {view.arm(label)}",
                    str(side.rows[k, j]),
                    _received(view, float(training.t[position])),
                    say(float(side.outcomes[k, j]) * view.scale),
                    say(float(side.distances[k, j])),
                    *said_of(schema, training.x[position], names),
                )
            )
    effect = say(float(view.effect[place]))
    if view.has_intervals:
        low, high = view.interval
        effect += f" (95 % interval {say(float(low[place]))} to {say(float(high[place]))})"
    caption = (
        f"A row with {what}, {effect}: {verdict}. The outcomes of its partners differ by "
        f"{say(means[1] - means[0])} on "
        "average"
    )
    header = (
        "",
        "row",
        "received",
        "outcome (%)" if view.binary else "outcome",
        "distance",
        *names,
    )
    return table(header, lines, caption)


def _received(view: View, t: float) -> str:
    kind = view.treatment
    return (
        say(float(kind.amount(np.asarray(t))))
        if isinstance(kind, Dose)
        else str(kind.labels[int(t)])
    )
