"""The report of a fitted model: the answer, how sure it is, for whom it holds, how to check it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pairnet.learners.stacked import Stacked
from pairnet.methods import Estimator
from pairnet.report.document import Block, Document, paragraph
from pairnet.report.model import (
    doses,
    effects,
    overlap,
    people,
    policy,
    training,
    voices,
)
from pairnet.report.model.answer import answer, averages_of, lead
from pairnet.report.model.calculator import TITLE as CALCULATOR
from pairnet.report.model.calculator import calculator as calculated
from pairnet.report.model.caution import caution, warnings_of
from pairnet.report.model.evidence import Evidence, evidence
from pairnet.report.model.gains import Gains, who_gains
from pairnet.report.model.scores import Gain, Scored, gain_curve, scored
from pairnet.report.model.subject import Subject, subject_of

CAUTION = "What this rests on, and warnings"
NO_OUTCOMES = (
    "Outcomes and treatments of these rows were not given, so nothing can be judged by them."
)


def model_report(
    model: Estimator,
    X: Any = None,
    y: Any = None,
    treatment: Any = None,
    *,
    T0: Any = None,
    T1: Any = None,
    goal: str = "max",
    target: str | None = None,
    by: str | Sequence[str | int] = (),
    calculator: bool = False,
) -> Document:
    """Return a page on a fitted model, made from the rows given or from those that it remembers.

    T0, T1: the two treatments that are compared. Left out, they are what `model.effect` compares;
    of several arms, the last one is compared with the arm whose name says that it is untreated.
    goal: whether a large outcome is good ("max") or a small one ("min"). target: whose average
    effect the page says ("all", "treated", "untreated", "overlap"); left out, that of all rows or,
    where overlap is poor, of the treated or the untreated, which it says. by: names of covariates
    whose groups are shown, too. calculator: whether a model that is too large for the page is put
    there as a small copy, so that readers can ask it about another person; small models always are.
    """
    by = [by] if isinstance(by, str) else list(by)
    subject = subject_of(model, X, y, treatment, T0=T0, T1=T1, goal=goal, target=target)
    judged = scored(subject) if subject.judges else None
    gain = None if judged is None else gain_curve(judged, subject.goal)
    gains = None if judged is None else Gains.of(subject, judged)
    differ = None if gains is None else gains.borne_out
    averages = averages_of(subject)
    main = next(average for average in averages if average.label == subject.labels[1])
    columns, rests = people.by_column(subject), Evidence(subject)
    overlaps, doubts = _overlap(subject)
    examples, thin = evidence(subject, columns, rests)
    cautions = caution([*thin, *doubts, *warnings_of(subject, main, gain)])

    page = Document(_title(subject), lead(subject, main, differ, rests))
    if rests.lacking:
        page.section(CAUTION, *cautions)
    page.section("The answer", *answer(subject, main, averages, rests))
    note = rests.note()
    page.section("How effects differ", *note, *effects.spread(subject))
    page.section("Who gains most", *note, *who_gains(subject, columns, gains, by))
    if subject.treatment.whole_range:
        _choosing_doses(page, subject, columns, note)
    else:
        page.section("Whom to treat", *note, *_choosing_rows(subject, judged, gain, rests))
    page.section(CALCULATOR, *calculated(subject, calculator))
    page.section("Overlap and balance", *overlaps)
    page.section("Evidence: who was compared with whom", *examples)
    if isinstance(model, Stacked):
        page.section(voices.TITLE, *voices.who_speaks(subject, model.weights_))
    page.section("The data", *training.data_tables(subject))
    page.section("Training", *training.training_tables(model))
    if not rests.lacking:
        page.section(CAUTION, *cautions)
    page.section("How to reproduce", *training.reproduction(subject))
    return page


def _title(subject: Subject) -> str:
    return f"The effect of {subject.names['treatment']} on {subject.names['outcome']}"


def _overlap(subject: Subject) -> tuple[list[Block], list[str]]:
    if subject.t is None:
        return [paragraph(NO_OUTCOMES, kind="note")], []
    if subject.treatment.whole_range:
        return overlap.overlap_of_doses(subject)
    return overlap.overlap_of_arms(subject)


def _choosing_rows(
    subject: Subject, judged: Scored | None, gain: Gain | None, rests: Evidence
) -> list[Block]:
    if judged is None or gain is None:
        return [paragraph(NO_OUTCOMES, kind="note")]
    return policy.policy_figures(subject, gain, rests.lacking)


def _choosing_doses(
    page: Document, subject: Subject, columns: list[people.ByColumn], note: list[Block]
) -> None:
    curves = doses.Curves(subject)
    groups = doses.groups_figure(curves, columns[0]) if columns else None
    page.section(
        "Dose and response", doses.response_figure(curves), *([] if groups is None else [groups])
    )
    page.section("Which dose to give", *note, *doses.policy_table(curves))
