"""Evidence: how well rows are supported, and for three of them the observed rows most like them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from pairnet.core.errors import listed
from pairnet.core.words import word
from pairnet.evidence.support import DISAGREE, MANY, MOST, VERDICTS, NearestRows, Support, some_of
from pairnet.model.leading import extrapolated
from pairnet.report.charts import Point, bars
from pairnet.report.document import Block, figure, paragraph, table
from pairnet.report.model.causes import unlike
from pairnet.report.model.parts import Part
from pairnet.report.model.people import ByColumn, said_of
from pairnet.report.model.subject import Subject
from pairnet.report.words import per_cent, say

PARTNERS = 3
# Percentiles of the effects at which an example row is taken.
EXAMPLES = {
    5: "one of the lowest effects",
    50: "a middling effect",
    95: "one of the highest effects",
}
TELLING_COLUMNS = 4  # covariates in the table of an example
PARTNERS_NOTE = (
    "Partners are the rows of the training table nearest in all covariates, standardised. A "
    "distance of 1 is that of a typical row to its own neighbours; those under a rare treatment "
    "are farther for every row. The model learned from many more rows than these; they show whom a "
    "person would compare, and a single outcome is noisy."
)


class Evidence:
    """The support of the example rows and of a random sample of all rows, looked up once."""

    def __init__(self, subject: Subject):
        self.subject = subject
        order = np.argsort(subject.effect, kind="stable")
        self.examples = [int(order[round(share / 100 * (len(order) - 1))]) for share in EXAMPLES]
        self.some = some_of(len(subject.x))
        rows = np.concatenate([self.examples, self.some])
        # One partner more than is shown, since a remembered row is its own nearest partner.
        self.support = subject.question.of_rows(rows).support(PARTNERS + 1)
        self.verdicts = self.support.verdict[len(self.examples) :]
        names = [*VERDICTS.tolist(), *[DISAGREE] * (self.support.disagreement is not None)]
        self.shares = {name: float(np.mean(self.verdicts == name)) for name in names}

    @property
    def extrapolated(self) -> float:
        """The share of rows for which a treatment was given to hardly anybody like them."""
        return self.shares["extrapolating"]

    @cached_property
    def of_target(self) -> float:
        """The same share of the rows whose average effect the page says."""
        question = self.subject.question
        return self.extrapolated if question.target == "all" else extrapolated(question)

    @property
    def lacking(self) -> bool:
        """Whether so many rows are extrapolated that their average is extrapolated, too."""
        return self.extrapolated > MOST

    @property
    def limited(self) -> bool:
        """Whether so many rows are extrapolated that it must be said wherever all rows count."""
        return self.extrapolated > MANY

    def share(self, rows: np.ndarray) -> float:
        """Return the share of all rows that have a flag and are not extrapolated."""
        if self.extrapolated == 0:
            return float(np.mean(rows))
        return float(np.mean(rows[self.some] & (self.verdicts != VERDICTS[-1])))

    def why(self) -> str:
        """Say in which covariates the rows that extrapolate are unlike the others."""
        return unlike(self.subject, self.some, self.verdicts == VERDICTS[-1])

    def note(self) -> list[Block]:
        """Return a line for a section that speaks of all rows, if many of them are extrapolated."""
        text = (
            f"{per_cent(self.extrapolated)} of the rows here are extrapolated: hardly anybody like "
            "them was seen under one of the two treatments. What is said of them is a guess of the "
            "model."
        )
        return [paragraph(text, kind="note")] if self.limited else []


TITLE = "Evidence: who was compared with whom"


def evidence(subject: Subject, columns: list[ByColumn], rests: Evidence) -> Part:
    """Return the part on how many rows are well supported, with three example rows."""
    blocks: list[Block] = [_shares(rests)]
    names = [column.name for column in columns[:TELLING_COLUMNS]]
    for k, (place, what) in enumerate(zip(rests.examples, EXAMPLES.values(), strict=True)):
        example = _Example(subject, place, k, rests.support, names)
        blocks.append(_example(example, what, str(rests.support.verdict[k])))
    blocks.append(paragraph(PARTNERS_NOTE, kind="note"))
    well, *others = [f"{per_cent(rests.shares[verdict])} {verdict}" for verdict in VERDICTS]
    finding = f"{well.replace(' %', ' % of the rows are', 1)}, {listed(others)}."
    if DISAGREE in rests.shares:
        finding = f"{finding[:-1]}; learners disagree on {per_cent(rests.shares[DISAGREE])}."
    if not rests.limited:
        return Part(TITLE, finding, tuple(blocks))
    warning = (
        f"The effects of {per_cent(rests.extrapolated)} of the rows are extrapolated: hardly "
        f"anybody like them was seen under one of the two treatments. {rests.why()}"
    )
    return Part(TITLE, finding, tuple(blocks), (warning.strip(),))


def _shares(rests: Evidence) -> Block:
    """Draw how many rows have each verdict."""
    points = [Point(verdict, 100 * share) for verdict, share in rests.shares.items()]
    doubted = " Learners disagree: rows alike are there, but the learners that speak lie farther "
    doubted += "apart than the effect itself, and than half of a typical one."
    return figure(
        bars(points, x="share of rows (%)", says="Support of the rows"),
        "How well the effects of rows are supported by observed rows like them. Thin: partners are "
        "farther away than is usual among the rows that got their treatment, or one treatment is "
        "rarer around than elsewhere. Extrapolating: hardly anybody alike got one of the two."
        + doubted
        * (DISAGREE in rests.shares),
    )


class _Example:
    """A row and its partners under the two treatments, as lines of a table."""

    def __init__(self, subject: Subject, place: int, k: int, support: Support, names: list[str]):
        self.subject, self.place, self.k = subject, place, k
        self.sides, self.names = (support.T0, support.T1), names
        self.position = {int(row): at for at, row in enumerate(subject.memory.row)}

    @property
    def header(self) -> tuple[str, ...]:
        return ("", "row", "received", f"outcome{self.subject.words.level_unit}", "distance")

    def row(self) -> tuple[str, ...]:
        """Return the line of the row itself."""
        subject, at = self.subject, self.place
        received = outcome = ""
        if subject.t is not None and subject.y is not None:
            received, outcome = _received(subject, float(subject.t[at])), say(float(subject.y[at]))
        about = said_of(subject.schema, subject.x[at], self.names)
        return ("the row itself", str(subject.row[at]), received, outcome, "", *about)

    def kept(self, side: NearestRows) -> list[int]:
        """Return which partners of a side are shown: existing rows other than the row itself."""
        own = int(self.subject.row[self.place]) if self.subject.is_memory else -1
        others = [j for j in range(PARTNERS + 1) if side.rows[self.k, j] not in (own, -1)]
        return others[:PARTNERS]

    def partners(self) -> Iterator[tuple[str, ...]]:
        """Yield the lines of the partners under the two treatments."""
        subject, k = self.subject, self.k
        for label, side in zip(subject.labels, self.sides, strict=True):
            for j in self.kept(side):
                at = self.position[int(side.rows[k, j])]
                yield (
                    f"like it, {subject.arm(label)}",
                    str(side.rows[k, j]),
                    _received(subject, float(subject.memory.t[at])),
                    say(float(side.outcomes[k, j]) * subject.scale),
                    say(float(side.distances[k, j])),
                    *said_of(subject.schema, subject.memory.x[at], self.names),
                )

    def difference(self) -> float:
        """Return by how much the mean outcomes of the two sides differ."""
        means = []
        for side in self.sides:
            kept = self.kept(side)
            outcomes = side.outcomes[self.k, kept]
            means.append(float(np.mean(outcomes)) * self.subject.scale if kept else np.nan)
        return means[1] - means[0]


def _example(example: _Example, what: str, verdict: str) -> Block:
    """Return the table of a row and its partners."""
    subject, place = example.subject, example.place
    effect = say(float(subject.effect[place]))
    if subject.has_intervals:
        low, high = subject.interval
        effect += f" (95 % interval {say(float(low[place]))} to {say(float(high[place]))})"
    caption = (
        f"A row with {what}, {effect}: {verdict}. The outcomes of its partners differ by "
        f"{say(example.difference())} on average"
    )
    lines = [example.row(), *example.partners()]
    return table((*example.header, *example.names), lines, caption)


def _received(subject: Subject, t: float) -> str:
    label = subject.treatment.label_of(np.asarray(t)).item()
    return say(float(label)) if subject.treatment.whole_range else word(label)
