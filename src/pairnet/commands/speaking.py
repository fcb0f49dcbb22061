"""Who speaks in a stack, as `pairnet fit` says it: with which weight, and what each says alone."""

from __future__ import annotations

from collections.abc import Iterator

from pairnet.commands.saying import paragraphs
from pairnet.core.words import in_full
from pairnet.learners.mixture import CONSTANT, Weights, brief
from pairnet.model.question import Question
from pairnet.report.words import per_cent

EXPLAINED = (
    "Who speaks: each learner was asked about rows that it had not seen. The weights make their "
    "common answer best."
)
ALONE = " Average: the average effect of all rows by each alone."
SAME = (
    "One effect for all rows weighs most: effects hardly differ between rows, or there are too few "
    "rows to tell how."
)


def who_speaks(weights: Weights, question: Question | None) -> str:
    """Return a table of the learners: weights, average effects by each alone, and seconds.

    question: the comparison whose average effect is shown; None: there are several, or none.
    """
    lines = list(_lines(weights, question))
    has_average = any(average for _, _, average, _ in lines)
    said = [paragraphs(EXPLAINED + ALONE * has_average), *_table(lines, has_average)]
    if weights[0].learner == CONSTANT:
        said.append(paragraphs(SAME))
    return "\n".join(said)


def _lines(weights: Weights, question: Question | None) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name, weight, average effect and seconds of each learner."""
    for voice in weights:
        average = None
        if question is not None:
            average = voice.average(int(question.t0), int(question.t1))
        seconds = "" if voice.learner == CONSTANT else f"{voice.seconds:.0f}"
        says = "" if average is None else in_full(average)
        yield brief(voice.learner), per_cent(voice.weight), says, seconds


def _table(lines: list[tuple[str, str, str, str]], has_average: bool) -> Iterator[str]:
    wide = max(len(name) for name, *_ in lines)
    for name, weight, average, seconds in [("learner", "weight", "average", "seconds"), *lines]:
        says = f"  {average:>9}" * has_average
        yield f"  {name:<{wide}}  {weight:>7}{says}  {seconds:>7}".rstrip()
