"""A calculator: a reader changes a person or the dose, and the answer moves, within the page.

The page computes the model itself, as it would be exported to ONNX, if that is small enough. How
usual a person is, is said by the distance from the middle of those who received each treatment, in
units of how these differ (Mahalanobis). So the page holds no rows of the fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.words import word
from pairnet.evidence.support import FAR, NEAR, by_covariates
from pairnet.export.onnx.columns import input_names
from pairnet.export.onnx.graph import Graph, Value
from pairnet.export.onnx.program import Program, program_of
from pairnet.report.document import Block, Calculator, Field, Paragraph, paragraph
from pairnet.report.in_page import as_json, missing_operations
from pairnet.report.model.parts import Part
from pairnet.report.model.person import fields_of
from pairnet.report.model.subject import ALPHA, Subject
from pairnet.report.words import per_cent, say

TITLE = "Try another person"
MOST_BYTES = 150_000  # of a program within a page
MOST_WEIGHTS = 3 * MOST_BYTES // 16  # of float32 in so many bytes
MOST_TOGETHER = 40  # columns whose products are looked at; of more, each is taken by itself
QUANTILES = 200  # of distances
SHOWN = 10  # columns that are not folded away
ROUGH = 0.3  # of the spread of effects: a copy that is farther off is called rough
FINDING = "What would it be for somebody else? Change a value and see."
NOTHING_SENT = "All is computed in this page; nothing is sent anywhere."
BY_ITSELF = "This page computes the model itself; nothing is sent anywhere."
NO_FORM = "There is no calculator: nothing says how a page can compute this method."
UNSEEN = 1e-3  # of a column's variance: a column that does not vary in a group is far at once


def calculator(subject: Subject, copied: bool = False) -> list[Block]:
    """Return the calculator, or why there is none.

    copied: whether a model that is too large is put into the page as a small copy.
    """
    stored = subject.model.predictor.stored()
    weights = sum(np.size(array) for array in stored.arrays.values())
    if weights > MOST_WEIGHTS:
        return _of_copy(subject) if copied else [paragraph(_too_large(weights), kind="note")]
    try:
        program = program_of(subject.model, alpha=ALPHA)
    except BadInput:
        return [paragraph(NO_FORM, kind="note")]
    if unknown := missing_operations(program.graph):
        text = f"There is no calculator: a page cannot compute {', '.join(sorted(unknown))}."
        return [paragraph(text, kind="note")]
    return [paragraph(f"{_intro(subject)} {BY_ITSELF}"), _block(subject, program)]


def another_person(subject: Subject, copied: bool = False) -> Part:
    """Return the part of the page with the calculator; without one it is a sentence."""
    first, *others = calculator(subject, copied)
    if not others and isinstance(first, Paragraph):
        return Part(TITLE, str(first.text))
    return Part(TITLE, FINDING, (first, *others))


def _too_large(weights: int) -> str:
    return (
        f"This model has {weights:,} weights, too many for a calculator in the page. "
        "model_report(model, calculator=True), or pairnet report --calculator, puts a small copy "
        "here; model.export_onnx(path), or pairnet export, writes a file that can be asked."
    )


def _of_copy(subject: Subject) -> list[Block]:
    """Return the calculator of a model's small copy, and how far that is from the model."""
    from pairnet.report.model.small_copy import small_copy  # which brings JAX's optimisers

    copy = small_copy(subject)
    program = program_of(subject.model, alpha=ALPHA, form=copy.form)
    off, spread = (subject.amount(subject.scale * value) for value in (copy.off, copy.spread))
    how_far = (
        f"The model is too large for a page, so this one computes a small copy of it. Its effects "
        f"are typically {off} away from the model's, which differ by {spread} between such rows "
        "(standard deviations)."
    )
    kind: Any = "warning" if copy.off > ROUGH * copy.spread else "note"
    return [
        paragraph(f"{_intro(subject)} {NOTHING_SENT}"),
        paragraph(how_far, kind=kind),
        _block(subject, program),
    ]


def _intro(subject: Subject) -> str:
    return (
        "Change the values of a typical person, and see the answer move: what "
        f"{subject.names['treatment']} would change for somebody with these values, not what would "
        "change if the values did."
    )


def _block(subject: Subject, program: Program) -> Calculator:
    evidence = _evidence(subject, program)
    fields = fields_of(subject, input_names(subject.schema))
    compared = _compared(subject, program)
    data = {"program": as_json(program.graph), "about": _about(subject, program, evidence)}
    return Calculator(compared, tuple(fields[:SHOWN]), tuple(fields[SHOWN:]), data)


def _compared(subject: Subject, program: Program) -> tuple[Field, ...]:
    """Return the fields of the two treatments."""
    own = {told["stands for"]: name for name, told in program.about["inputs"].items()}
    treatment: Any = subject.treatment
    labels = dict(zip(("T0", "T1"), subject.labels, strict=True))
    title = {"T0": "from", "T1": "to"}
    if treatment.whole_range:
        ends = {"low": f"{treatment.low:g}", "high": f"{treatment.high:g}"}
        step = f"{treatment.span / 100:.1g}"
        return tuple(
            Field(own[name], title[name], "number", f"{label:g}", **ends, step=step)  # type: ignore[arg-type]
            for name, label in labels.items()
        )
    choices = tuple((word(arm), subject.arm(arm)) for arm in treatment.in_order)
    return tuple(
        Field(own[name], title[name], "choice", word(label), choices=choices)
        for name, label in labels.items()
    )


def _about(subject: Subject, program: Program, evidence: dict[str, Any]) -> dict[str, Any]:
    """Return what the form must know beside the program."""
    treatment: Any = subject.treatment
    own = {told["stands for"]: name for name, told in program.about["inputs"].items()}
    outputs = {_first_name(name): name for name in program.about["outputs"]}
    arms = None if treatment.whole_range else [word(arm) for arm in treatment.in_order]
    words = subject.words
    return {
        "compared": own,
        "outputs": outputs,
        "arms": arms,
        "text": [value.name for value in program.graph.inputs if value.kind == "str"],
        "scale": subject.scale,
        "level": per_cent(1 - ALPHA),
        "axis": _axis(subject),
        "evidence": evidence,
        "words": {
            "treatment": subject.names["treatment"],
            "outcome": f"{words.of}{subject.names['outcome']}",
            "difference": words.short_unit,
            "level": _capital(subject.outcome_name),
        },
    }


def _first_name(name: str) -> str:
    """Return the name of an output before it made room for a column of the same name."""
    known = ("effect", "lower", "upper", "outcome", "outcome_T0", "outcome_T1")
    return name if name in known else name.rstrip("_")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _axis(subject: Subject) -> tuple[float, float]:
    """Return the ends of the line on which effects are drawn: nearly all of them, and 0."""
    ends = subject.interval if subject.has_intervals else (subject.effect, subject.effect)
    low, high = float(np.quantile(ends[0], 0.01)), float(np.quantile(ends[1], 0.99))
    low, high = min(low, 0.0), max(high, 0.0)
    room = 0.1 * (high - low) or 1.0
    return low - room, high + room


# How usual a person is.


def _evidence(subject: Subject, program: Program) -> dict[str, Any]:
    """Add a distance for each group of rows to the program, and return what it means."""
    memory = subject.memory
    z = by_covariates(memory)(memory.x).astype(np.float64)
    standard = _standardised(subject, program)
    groups, cuts = _groups(subject)
    told = []
    for number, (value, label, rows) in enumerate(groups):
        own = z[rows]
        middle, whitening = _shape_of(own, z)
        distance = np.sum(((own - middle) @ whitening) ** 2, axis=1)
        output = f"distance {number}"
        program.graph.output(output, _distance(program.graph, standard, middle, whitening))
        told.append(
            {
                "value": value,
                "label": label,
                "output": output,
                "rows": f"{len(rows):,}",
                "quantiles": np.quantile(distance, np.linspace(0, 1, QUANTILES + 1))
                .round(4)
                .tolist(),
            }
        )
    return {"groups": told, "cuts": cuts, "near": NEAR, "far": FAR}


def _groups(subject: Subject) -> tuple[list[tuple[str, str, np.ndarray]], list[float] | None]:
    """Return groups of rows treated alike, and for doses the amounts between them.

    A group is the value of its arm, its name for people, and its rows.
    """
    treatment: Any = subject.treatment
    t = subject.memory.t
    if not treatment.whole_range:
        rows = [np.flatnonzero(t == arm) for arm in range(treatment.strata)]
        labels = [treatment.label_of(np.asarray(arm)).tolist() for arm in range(treatment.strata)]
        named = zip(labels, rows, strict=True)
        return [(word(label), subject.arm(label), own) for label, own in named], None
    _, group = treatment.groups(t)
    thirds = [np.flatnonzero(group == number) for number in range(int(group.max()) + 1)]
    doses = [treatment.amount(t[own]) for own in thirds]
    names = [f"{say(own.min())} to {say(own.max())}" for own in doses]
    cuts = [float(own.max()) for own in doses[:-1]]
    return list(zip(names, names, thirds, strict=True)), cuts


def _shape_of(
    own: Float[np.ndarray, "n d"], every: Float[np.ndarray, "m d"]
) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, "d k"]]:
    """Return the middle of some rows, and the matrix in whose units they lie alike in all ways."""
    middle = own.mean(axis=0)
    floor = UNSEEN * np.maximum(every.var(axis=0), UNSEEN)
    if own.shape[1] > MOST_TOGETHER:
        return middle, np.diag(1 / np.sqrt(own.var(axis=0) + floor))
    spread = np.atleast_2d(np.cov(own, rowvar=False, bias=True)) + np.diag(floor)
    sizes, axes = np.linalg.eigh(spread)
    return middle, axes / np.sqrt(np.maximum(sizes, floor.min()))


def _standardised(subject: Subject, program: Program) -> Value:
    """Return the encoded rows in units of their spread, as the evidence measures distances."""
    graph = program.graph
    zero, one = (np.full((1, len(subject.schema.features)), value) for value in (0.0, 1.0))
    place = by_covariates(subject.memory)
    low, high = (place(rows).astype(np.float64) for rows in (zero, one))
    scaled = graph.times(program.encoded, graph.constant(high - low))
    return graph.add(scaled, graph.constant(low))


def _distance(graph: Graph, z: Value, middle: np.ndarray, whitening: np.ndarray) -> Value:
    off = graph.product(graph.subtract(z, graph.constant(middle[None])), graph.constant(whitening))
    return graph.reduced("ReduceSum", graph.times(off, off), [1])
