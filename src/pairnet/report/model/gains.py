"""Who gains most: whether outcomes bear out that effects differ, and who has the large ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from pairnet.core.errors import PYTHON, BadInput, listed
from pairnet.metrics import CalibrationTest
from pairnet.model.groups import groups_by_effect, groups_by_names, held_out
from pairnet.model.heterogeneity import FEW, GroupEffects, Judged, design, judged_rows
from pairnet.report.charts import Point, dots
from pairnet.report.document import Block, details, figure, paragraph, table
from pairnet.report.model import effects, people
from pairnet.report.model.evidence import Evidence
from pairnet.report.model.parts import Part
from pairnet.report.model.scores import Scored
from pairnet.report.model.subject import RESAMPLED, Subject
from pairnet.report.model.tree import leaves
from pairnet.report.words import p_text, per_cent, say
from pairnet.tables.columns import AbstractColumn
from pairnet.tables.grouping import is_whole, written

TITLE = "Who gains most"
MODEL, OUTCOMES = "the model says", "outcomes say"
TELLING_FEATURES = 8  # lines of the table of who has the largest effects
MOST_TERMS, CHOSEN = 10, 5  # with more numbers, the best line is through the columns that tell most
SEEN = (
    "The model has seen all of these rows, so they cannot tell whether effects differ as it says. "
    f"Pass rows that it has not seen, or fit with {RESAMPLED}."
)
NOT_BORNE = "So this page does not say who gains most."
FOLDED = "What the model says all the same"


@dataclass(frozen=True, eq=False)
class Gains:
    """The rows that outcomes can judge, with effects by what has not seen them.

    unseen: which rows have such an effect. All is in the reader's units.
    """

    subject: Subject
    rows: Judged
    effect: Float[np.ndarray, " n"]
    unseen: Bool[np.ndarray, " n"]

    @classmethod
    def of(cls, subject: Subject, scored: Scored) -> Gains:
        """Return the rows of a report."""
        effect, unseen = scored.effect, np.ones(len(scored.effect), bool)
        if subject.is_memory:
            effect, unseen = held_out(subject.question)
            effect = effect * subject.scale
        mine = np.stack([subject.t == subject.inside(label) for label in subject.labels])
        own = scored.score, subject.weight, mine, subject.possible
        if not subject.is_memory:
            return cls(subject, Judged(*own), effect, unseen)
        known, square = judged_rows(subject.question), subject.scale**2
        luck = lambda shares: known.luck(shares) * square
        rows = Judged(*own, clusters=known.clusters, luck=luck)
        return cls(subject, rows, effect, unseen)

    @cached_property
    def test(self) -> CalibrationTest:
        """Whether the differences between effects show in outcomes."""
        return self.rows.calibrated(self.effect, self.unseen)

    @cached_property
    def fifths(self) -> GroupEffects:
        """The effects of rows in the order of their effects."""
        return self.rows.in_groups(*groups_by_effect(self.effect, self.unseen), self.effect)

    @cached_property
    def ends(self) -> Bool[np.ndarray, "2 n"]:
        """Which rows have the smallest effects, and which the largest."""
        return groups_by_effect(self.effect, self.unseen)[1][[0, -1]]

    @property
    def borne_out(self) -> bool | None:
        """Whether outcomes bear out that effects differ; None if they cannot judge it."""
        return self.test.bears_out if self.unseen.any() else None

    def by(self, names: Sequence[str | int]) -> GroupEffects:
        """Return the effects of groups by covariates."""
        labels, groups = groups_by_names(self.subject.question, list(names), self.subject.x)
        return self.rows.in_groups(labels, groups, self.subject.effect)


def part(
    subject: Subject,
    columns: list[people.ByColumn],
    gains: Gains | None,
    by: Sequence[str | int],
    rests: Evidence,
) -> Part:
    """Return the part that says who gains most."""
    blocks = who_gains(subject, columns, gains, by)
    differ = None if gains is None else gains.borne_out
    if differ is False:
        verdict = gains.test.sentence.partition(":")[0]  # type: ignore[union-attr]
        finding = f"{verdict}. {NOT_BORNE}"
    elif not columns:
        finding = effects.ALIKE
    else:
        found = leaves(subject)
        first, last = found[0], found[-1]
        judged = "" if differ else " No outcomes could judge this."
        gain = [
            f"{group.label} ({say(subject.effect[group.rows].mean())})" for group in (first, last)
        ]
        most, least = f"Most gain where {gain[0]}", f"least where {gain[1]}"
        finding = f"{most}, {least}.{judged}" if first is not last else effects.ALIKE
    return Part(TITLE, finding, (*rests.note(), *blocks))


def who_gains(
    subject: Subject,
    columns: list[people.ByColumn],
    gains: Gains | None,
    by: Sequence[str | int] = (),
) -> list[Block]:
    """Say whether outcomes bear out that effects differ and, if so, who gains most.

    by: names of covariates whose groups are shown in any case.
    """
    by_model = effects.groups_who_gain(subject, columns)
    if gains is None:
        return [*_asked_of_model(subject, by), *by_model]
    asked = _asked(gains, by)
    if not columns or gains.borne_out is None:
        note = [paragraph(SEEN, kind="note")] if gains.borne_out is None else []
        return [*note, *asked, *by_model]
    told = [_fifths(gains), *_who(gains), *by_model, _projection(gains, columns, by)]
    if gains.borne_out:
        return [paragraph(gains.test.sentence), *asked, *told]
    verdict = paragraph(f"{gains.test.sentence} {NOT_BORNE}")
    if gains.test.differences is None:
        return [verdict, *asked]
    return [verdict, *asked, details(FOLDED, *told)]


def _fifths(gains: Gains) -> Block:
    """Draw what the model and what outcomes say of rows in the order of their effects."""
    subject = gains.subject
    judges = "by members that have not seen it" if subject.is_memory else "by a model that has not"
    return figure(
        _chart(gains.fifths, subject, "Effects of rows in five groups by their effect"),
        "Rows in five groups by their effect. Every row is put into its group, and its outcome is "
        f"judged, {judges}. Intervals hold for all groups at once (95 %).",
    )


def _asked(gains: Gains, by: Sequence[str | int]) -> list[Block]:
    """Draw the effects of the groups that were asked for."""
    if not by:
        return []
    found = gains.by(by)
    same = (
        "" if np.isnan(found.p_same) else f" That all have the same effect: p {_p(found.p_same)}."
    )
    caption = (
        f"Effects by {_list(by)}, as asked: what the model says, and what outcomes say. "
        f"Intervals hold for all groups at once (95 %).{same}"
    )
    blocks: list[Block] = [figure(_chart(found, gains.subject, "Effects of groups"), caption)]
    if few := [label for label, is_few in zip(found.group, found.few, strict=True) if is_few]:
        text = f"Fewer than {FEW} rows of one arm: {', '.join(few)}. Their effects are hardly sure."
        blocks.append(paragraph(text, kind="note"))
    return blocks


def _asked_of_model(subject: Subject, by: Sequence[str | int]) -> list[Block]:
    """Draw what the model says of the groups that were asked for; no outcomes can judge it."""
    if not by:
        return []
    labels, groups = groups_by_names(subject.question, list(by), subject.x)
    points = []
    for label, flags in zip(labels, groups, strict=True):
        rows = np.flatnonzero(flags)
        low, high = subject.group_interval(rows)
        points.append(Point(label, float(subject.effect[rows].mean()), low, high))
    chart = dots(points, x=subject.effect_name, says="Effects of groups")
    return [figure(chart, f"Effects by {_list(by)}, as asked: what the model says.")]


def _chart(found: GroupEffects, subject: Subject, says: str):
    points = []
    order = range(len(found.group))
    for k in reversed(order) if found.group[0].startswith("lowest") and subject.goal > 0 else order:
        label, rows = found.group[k], f"{found.rows[k]:,} rows"
        low, high = float(found.lower[k]), float(found.upper[k])
        said, shown = float(found.model[k]), float(found.effect[k])
        tip = f"{label} ({rows}): the model says {say(said)}, outcomes say {say(shown)}"
        points.append(Point(label, said, group=MODEL, tip=tip))
        if not np.isfinite([low, high]).all():
            points.append(Point(label, shown, None, None, OUTCOMES, tip))
            continue
        tip += f", interval {say(low)} to {say(high)}"
        points.append(Point(label, shown, low, high, OUTCOMES, tip))
    return dots(points, x=subject.effect_name, says=says)


def _who(gains: Gains) -> list[Block]:
    """List what those with the largest effects have most unlike those with the smallest."""
    subject, weight = gains.subject, gains.rows.weight
    if len(gains.fifths.group) < 2:
        return []
    lines = []
    for column, block in subject.schema.blocks(subject.x):
        for k in _told(column, block):
            values, present = block[:, k], np.ones(len(block), bool)
            if k == 0 and column.kind != "category" and block.shape[1] > 1:
                present = block[:, 1] == 0
            spread = float(values[present].std())
            parts = [present & flags for flags in (*gains.ends, gains.unseen)]
            if spread == 0 or not all((part * weight).sum() > 0 for part in parts):
                continue
            means = [float(np.average(values[part], weights=weight[part])) for part in parts]
            name, texts = _named(column, k, means)
            lines.append((abs(means[1] - means[0]) / spread, (name, *texts)))
    lines.sort(key=lambda line: -line[0])
    low, high = gains.fifths.group[0], gains.fifths.group[-1]
    caption = (
        "Who has the smallest effects, and who the largest: means, and shares of rows, of what "
        "differs most between the two groups"
    )
    rows = [line for _, line in lines[:TELLING_FEATURES]]
    return [table(("", low, high, "all rows"), rows, caption)] if rows else []


def _told(column: AbstractColumn, block: Float[np.ndarray, "n c"]) -> list[int]:
    """Return the numbers of a column to be told; of two levels one says all."""
    places = list(range(block.shape[1]))
    return places[1:] if column.kind == "category" and len(places) == 2 else places


def _named(column: AbstractColumn, k: int, means: list[float]) -> tuple[str, list[str]]:
    """Name a number of a column, and write its means: shares, dates or numbers."""
    name = column.features[k].replace("=", " = ", 1)
    if column.kind in ("category", "flag") or k > 0:
        return name, [per_cent(mean) for mean in means]
    whole = column.kind == "date" or bool(is_whole(np.asarray(means)[:, None])[0])
    return f"{name} (mean)", [written(column, mean, whole) for mean in means]


def _projection(gains: Gains, columns: list[people.ByColumn], by: Sequence[str | int]) -> Block:
    """Return the best line through the effects, as outcomes show them."""
    subject = gains.subject
    names = [column.name for column in subject.schema.columns if column.features]
    some = "; of many covariates those that were asked for" if by else ""
    if len(subject.schema.features) > MOST_TERMS:
        by_effect = [column.name for column in columns[:CHOSEN]]
        names = list(by) or [name for name in names if str(name) in by_effect]
        some = some or "; of many covariates those that explain most of the model's effects"
    else:
        some = ""
    X, terms = design(subject.question, names, subject.x)
    try:
        fit = gains.rows.line(X, terms)
    except BadInput as error:
        text = f"No best line through the effects: {error.worded(PYTHON)}"
        return paragraph(text, kind="note")
    lines = [(term, fit[term]) for term in terms]
    rows = [
        (term.replace("=", " = ", 1), say(b.value), say(b.lower), say(b.upper), p_text(b.p))
        for term, b in lines
    ]
    return table(
        ("covariate", "change", "from", "to", "p"),
        rows,
        "The best line through the effects, judged by outcomes: by how much the effect changes per "
        "unit of a covariate, all others in the table held, with 95 % intervals. Levels are "
        f"compared with the most common one{some}",
    )


def _list(names: Sequence[str | int]) -> str:
    return listed(list(map(str, names)))


def _p(p: float) -> str:
    text = p_text(p)
    return text if text[0] in "<>" else f"= {text}"
