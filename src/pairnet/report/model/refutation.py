"""What attempts to refute the average effect found, if there were any: nothing is fitted here."""

from __future__ import annotations

from pairnet.core.words import word
from pairnet.evidence.refutation import Attempt, Refutation
from pairnet.report.document import Block, bullets, details, paragraph, table
from pairnet.report.model.parts import Part
from pairnet.report.model.subject import Subject
from pairnet.report.words import per_cent, say

TITLE = "Attempts to refute the effect"


def known(subject: Subject) -> Refutation | None:
    """Return the refutation that the model remembers, if it is of this comparison."""
    stored = subject.summary.get("refutation")
    if stored is None:
        return None
    found = Refutation.from_json(stored)
    sides = tuple(map(word, subject.labels))
    return found if sides == (found.T0, found.T1) else None


def attempts_to_refute(subject: Subject, found: Refutation) -> Part:
    """Return the part with the grade, the attempts, and how strong a hidden cause would have to be.

    A grade that is no pass is a warning beside the answer, too.
    """
    found = found.in_units(subject.scale)
    blocks: list[Block] = [
        table(
            ("attempt", "found", "if all is well", "off, in errors", "verdict"),
            [_line(attempt) for attempt in found.attempts],
            "The attempts. Off is how far what was found is from what it must be, in standard "
            "errors of the answer",
        ),
        details("What was done", bullets(f"{a.test}: {a.about}" for a in found.attempts)),
        *(paragraph(text) for text in found.about_hidden),
    ]
    if found.strongest:
        rows = [
            (one.column, per_cent(one.treatment), per_cent(one.outcome), say(one.left))
            for one in found.strongest
        ]
        caption = (
            "What observed columns explain of treatment and outcome beyond the others, and the "
            "effect that a hidden cause as strong as each would leave at worst"
        )
        blocks.append(
            table(("column", "of the treatment", "of the outcome", "left"), rows, caption)
        )
    warnings = () if found.grade == "passes" else (found.about_grade,)
    return Part(TITLE, found.about_grade, tuple(blocks), warnings)


def _line(attempt: Attempt) -> tuple[str, str, str, str, str]:
    numbers = attempt.found, attempt.expected, attempt.off
    found, expected, off = map(say, numbers)
    return attempt.test, found, expected, off, attempt.verdict
