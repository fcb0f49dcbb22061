"""Who speaks in a stack, as `pairnet fit` says it: a table, and what the loudest says alone."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pairnet.commands.saying import paragraphs
from pairnet.learners.mixture import CONSTANT, Voice, Weights, brief
from pairnet.model.question import Question
from pairnet.report.words import per_cent

ALIKE = 0.02  # averages that differ by less than this share are said to be the same


def who_speaks(weights: Weights, question: Question | None) -> str:
    """Return a table of the learners with their weights, and a sentence on the loudest.

    question: the comparison whose average effect is shown; None: there are several, or none.
    """
    explained = (
        "Who speaks: each learner was asked about rows that it had not seen. The weights make "
        "their common answer best."
    )
    said = [paragraphs(explained), *_table(weights)]
    if (loudest := weights[0]).learner == CONSTANT:
        said.append(
            paragraphs(
                "One effect for all rows weighs most: effects hardly differ between rows, or there "
                "are too few rows to tell how."
            )
        )
    if question is not None and (alone := _alone(loudest, question)) is not None:
        name = brief(loudest.learner)
        said.append(paragraphs(f"Alone, {name} would have said {alone:.4g} on average."))
    return "\n".join(said)


def _table(weights: Weights) -> Iterator[str]:
    names = [brief(voice.learner) for voice in weights]
    wide = max(map(len, ("learner", *names)))
    yield f"  {'learner':<{wide}}  {'weight':>7}  {'seconds':>7}"
    for name, voice in zip(names, weights, strict=True):
        seconds = "" if voice.learner == CONSTANT else f"{voice.seconds:.0f}"
        yield f"  {name:<{wide}}  {per_cent(voice.weight):>7}  {seconds:>7}".rstrip()


def _alone(voice: Voice, question: Question) -> float | None:
    """Return the average effect by a learner alone, if it is not that of the stack."""
    alone = voice.average(int(question.t0), int(question.t1))
    stack = float(question.effect.mean())
    return None if alone is None or math.isclose(alone, stack, rel_tol=ALIKE) else alone
