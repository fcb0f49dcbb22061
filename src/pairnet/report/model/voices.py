"""Who speaks in a stack: the weight of each learner, and what it has shown on rows not seen."""

from __future__ import annotations

from pairnet.core.errors import listed
from pairnet.learners.mixture import CONSTANT, Voice, Weights, brief
from pairnet.report.charts import Point, bars
from pairnet.report.document import figure, paragraph, table
from pairnet.report.model.parts import Part
from pairnet.report.model.subject import Subject
from pairnet.report.words import per_cent, say

TITLE = "Who speaks"
ABOUT = (
    "Several learners were trained on all parts of the rows but one, part by part, and asked about "
    "the part that they had not seen. The weights make their common answer best; a learner without "
    "weight adds nothing that the others do not know better."
)
SAME = f" “{CONSTANT[0].upper()}{CONSTANT[1:]}” knows no differences between rows."
LOSSES = (
    "Losses are of rows not seen, as root mean squares in units of the outcome; smaller is better. "
    "Outcomes: how far off expected outcomes are. Pairs: how far off differences of two rows are."
)
R_LOSS = " R: how far off what is left of outcomes is, once all but the treatment is accounted for."


def who_speaks(subject: Subject, weights: Weights) -> Part:
    """Return the part with the learners' weights, and with what each has shown."""
    names = [brief(voice.learner) for voice in weights]
    points = [
        Point(name, 100 * voice.weight, tip=f"{name}: {per_cent(voice.weight)}")
        for name, voice in zip(names, weights, strict=True)
        if voice.weight > 0
    ]
    header = ("learner", "weight", "average effect", "outcomes", "pairs", "R", "seconds")
    rows = [(name, *_numbers(subject, voice)) for name, voice in zip(names, weights, strict=True)]
    caption = "Each learner alone: its average effect, and its losses on rows not seen"
    arms = not subject.treatment.whole_range
    spoken = [
        f"{name} {per_cent(v.weight)}"
        for name, v in zip(names, weights, strict=True)
        if v.weight >= 0.005
    ]
    blocks = (
        paragraph(ABOUT + SAME * arms),
        figure(bars(points, x="weight (%)"), "The weights of the learners."),
        table(header, rows, caption).without_empty_columns(),
        paragraph(LOSSES + R_LOSS * arms, kind="note"),
    )
    return Part(TITLE, f"The answer is a mean of learners: {listed(spoken)}.", blocks)


def _numbers(subject: Subject, voice: Voice) -> tuple[str, ...]:
    average = voice.average(int(subject.question.t0), int(subject.question.t1))
    losses = (voice.factual, voice.pair, voice.r)
    shown = ("" if value is None else say(value * subject.scale) for value in (average, *losses))
    seconds = "" if voice.learner == CONSTANT else f"{voice.seconds:.1f}"
    return (per_cent(voice.weight), *shown, seconds)
