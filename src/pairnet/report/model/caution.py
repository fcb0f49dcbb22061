"""What a report rests on: its warnings, and the assumptions that no number can check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pairnet.core.errors import PYTHON, listed
from pairnet.core.words import word
from pairnet.inference.intervals import FEW_MEMBERS
from pairnet.report.document import Block, paragraph
from pairnet.report.model.answer import Average
from pairnet.report.model.parts import Part
from pairnet.report.model.subject import RESAMPLED, Subject

FEW = 50  # rows of an arm below which there is a warning
ASSUMPTIONS = (
    "Effects mean what they say only if all that drives both treatment and outcome is among the "
    "covariates, no covariate was changed by the treatment, every kind of row had some chance of "
    "either treatment, and one row's treatment does not touch another row's outcome. No number on "
    "this page can show that; who knows how the treatments came about must judge."
)


TITLE = "What this rests on, and warnings"
REST = "No number on this page can show that nothing is missing among the covariates."


def caution(warnings: Sequence[str]) -> list[Block]:
    """Return the warnings, and the assumptions of the report."""
    return [*(paragraph(text, kind="warning") for text in warnings), paragraph(ASSUMPTIONS)]


def rests_on() -> Part:
    """Return the part with the assumptions alone: warnings stand beside the answer."""
    return Part(TITLE, REST, (paragraph(ASSUMPTIONS),))


def warnings_of(subject: Subject, main: Average) -> Iterator[str]:
    """Yield the warnings that follow from the model, the rows and the averages."""
    memory = subject.memory
    for leak in subject.method.leaks():
        names = listed([str(name) for name in leak.columns])
        advice = PYTHON.text(leak.advice)
        yield f"Covariate{'s' * (len(leak.columns) > 1)} {names} {leak.problem} {advice}"
    if not subject.has_intervals:
        yield (
            "The members were not trained on resampled rows, so rows have no intervals. Fit with "
            f"{RESAMPLED}."
        )
    members = len(memory.draws)
    if subject.has_intervals and members < FEW_MEMBERS:
        yield (
            f"Intervals from {members} members are poor: far too wide as a rule, at times too "
            f"narrow. Fit with {FEW_MEMBERS} members or more."
        )
    if main.apart:
        yield (
            "The average effect by the model and the doubly robust one disagree beyond their "
            "intervals."
        )
    if main.split:
        yield (
            "Of the two intervals of the average effect only one leaves out 0: do not count on an "
            "effect. How these averages were found says more."
        )
    for arm in subject.summary["treatment"].get("arms", ()):
        if arm["rows"] < FEW:
            yield f"Arm {word(arm['arm'])} has only {arm['rows']} rows."
