"""All that a page says of one model: the answer first, and the parts that it unfolds to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pairnet.learners.stacked import Stacked
from pairnet.methods import Estimator
from pairnet.report.document import Block, Document
from pairnet.report.model import (
    doses,
    effects,
    gains,
    overlap,
    people,
    policy,
    refutation,
    training,
    voices,
    why,
)
from pairnet.report.model.answer import Average, answer, averages_of, lead
from pairnet.report.model.calculator import another_person
from pairnet.report.model.caution import TITLE as CAUTION
from pairnet.report.model.caution import caution, rests_on, warnings_of
from pairnet.report.model.evidence import Evidence, evidence
from pairnet.report.model.gains import Gains
from pairnet.report.model.origin import reproduction, source_line
from pairnet.report.model.parts import Part
from pairnet.report.model.scores import gain_curve, scored
from pairnet.report.model.subject import Subject, subject_of


@dataclass(frozen=True, eq=False)
class Findings:
    """What was found on one model.

    main, averages: the average that the page leads with, and those of all arms. differ: whether
    outcomes bear out that effects differ (None: they cannot judge it).
    """

    subject: Subject
    main: Average
    averages: list[Average]
    rests: Evidence
    differ: bool | None
    parts: tuple[Part, ...]

    @property
    def title(self) -> str:
        """The title of the page."""
        return f"The effect of {self.subject.names['treatment']} on {self.subject.names['outcome']}"

    @property
    def lead(self) -> str:
        """The first paragraph."""
        return lead(self.subject, self.main, self.differ, self.rests)

    @property
    def warnings(self) -> list[str]:
        """What could be wrong: of the evidence first, then of the rest."""
        own = [warning for part in self.parts for warning in part.warnings]
        return [*own, *warnings_of(self.subject, self.main)]

    @property
    def answer(self) -> list[Block]:
        """What one screen says; where most rows are extrapolated, warnings stand before it."""
        shown = () if self.rests.lacking else self.warnings
        counted = len(self.warnings)
        return answer(
            self.subject, self.main, self.averages, self.rests, self.differ, shown, counted
        )

    def page(self) -> Document:
        """Return the page on this model alone."""
        page = Document(self.title, self.lead, source=source_line(self.subject))
        if self.rests.lacking:
            page.section(CAUTION, *caution(self.warnings))
        page.section("The answer", *self.answer)
        for part in self.all_parts:
            part.add_to(page)
        return page

    @property
    def all_parts(self) -> list[Part]:
        """The parts, after the assumptions where the page does not begin with them."""
        return [*self.parts] if self.rests.lacking else [rests_on(), *self.parts]

    @property
    def blocks(self) -> list[Block]:
        """The same as one block after the other, for a page that holds several models."""
        before = caution(self.warnings) if self.rests.lacking else []
        return [*before, *self.answer, *(part.block for part in self.all_parts)]


def findings(
    model: Estimator,
    X: Any = None,
    y: Any = None,
    treatment: Any = None,
    *,
    by: Sequence[str | int] = (),
    command: str = "",
    calculator: bool = False,
    **asked: Any,
) -> Findings:
    """Find out what a page says; asked: T0, T1, goal and target."""
    subject = subject_of(model, X, y, treatment, **asked)
    judged = scored(subject) if subject.judges else None
    gained = None if judged is None else Gains.of(subject, judged)
    averages, rests = averages_of(subject), Evidence(subject)
    main = next(average for average in averages if average.label == subject.labels[1])
    columns = people.by_column(subject)
    differ = None if gained is None else gained.borne_out

    def parts() -> Iterator[Part]:
        """Yield the parts in the order of the page. A new part is a line here."""
        yield effects.how_effects_differ(subject, rests)
        yield gains.part(subject, columns, gained, by, rests)
        if differ:
            yield why.why_effects_differ(subject)
        if subject.treatment.whole_range:
            yield from doses.dose_parts(subject, columns, rests)
        else:
            curve = None if judged is None else gain_curve(judged, subject.goal)
            yield policy.whom_to_treat(subject, judged, curve, rests, main.sure)
        if refuted := refutation.known(subject):
            yield refutation.attempts_to_refute(subject, refuted)
        yield another_person(subject, calculator)
        yield overlap.overlap(subject)
        yield evidence(subject, columns, rests)
        if isinstance(model, Stacked):
            yield voices.who_speaks(subject, model.weights_)
        yield training.the_data(subject)
        yield training.training(model)
        yield reproduction(subject, command, by)

    return Findings(subject, main, averages, rests, differ, tuple(parts()))
