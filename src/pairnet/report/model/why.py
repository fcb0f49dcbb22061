"""Why effects differ: how much each covariate adds to them, if outcomes bear out that they do."""

from __future__ import annotations

from pairnet.model.explaining import explain, rows_to_explain
from pairnet.report.charts import Point, bars
from pairnet.report.document import Block, figure, paragraph, table
from pairnet.report.model.parts import Part
from pairnet.report.model.subject import Subject
from pairnet.report.words import per_cent, say

TITLE = "Why effects differ"
ROWS, WALKS = 200, 32  # so that it takes seconds
SHOWN = 10  # covariates
TELLING = 0.1  # of the strongest covariate's importance: a weaker interaction is not told


def why_effects_differ(subject: Subject) -> Part:
    """Return the part that draws how much each covariate moves effects, the strongest first."""
    found = explain(rows_to_explain(subject.question, ROWS), walks=WALKS)
    importance, scale = found.importance, subject.scale
    size = importance.importance * scale
    if not size[0] > 0:
        return Part(TITLE, "The estimated effect is the same for all rows.")
    some = range(min(SHOWN, len(size)))
    points = [Point(importance.column[k], float(size[k])) for k in some]
    more = f" (the first {SHOWN} of {len(size)})" if len(size) > SHOWN else ""
    ends = [(importance.column[k], importance.largest[k], importance.smallest[k]) for k in some]
    blocks: list[Block] = [
        figure(
            bars(
                points,
                x=f"part of the {subject.effect_name}",
                says="Covariates by their parts",
            ),
            f"By how much each covariate typically moves an effect away from the average{more}: "
            f"mean sizes of Shapley values of the effect, of {len(found.effect):,} rows.",
        ),
        table(
            ("covariate", "effects are larger where", "smaller where"),
            [line for line in ends if any(line[1:])],
            "Where each covariate moves effects most",
        ),
    ]
    pairs = found.interactions
    if len(pairs.strength) and pairs.strength[0] * scale > TELLING * size[0]:
        first, second, strength = pairs.first[0], pairs.second[0], pairs.strength[0]
        share = per_cent(float(strength * scale / size[0]))
        blocks.append(
            paragraph(
                f"The strongest interaction is that of {first} and {second}: together they move "
                f"effects by {say(strength * scale)} more or less than each alone, {share} of "
                f"what {importance.column[0]} does."
            )
        )
    note = "This describes the model: a covariate may stand for what truly makes the difference."
    finding = f"{importance.column[0]} moves effects most: by {say(size[0])}, typically."
    return Part(TITLE, finding, (*blocks, paragraph(note, kind="note")))
