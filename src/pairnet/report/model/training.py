"""How the model was made: the rows it saw, and how its training went."""

from __future__ import annotations

from typing import Any

from pairnet.core.errors import count_of
from pairnet.learners.stacked import Stacked
from pairnet.methods import Estimator
from pairnet.report.document import Block, Link, Phrase, paragraph, table
from pairnet.report.model import voices
from pairnet.report.model.parts import Part
from pairnet.report.model.subject import Subject
from pairnet.report.words import say
from pairnet.tables.columns import AbstractColumn

TITLE = "Training"


def the_data(subject: Subject) -> Part:
    """Return the part on the table: the treatment, the outcome and the covariates."""
    schema, summary, names = subject.schema, subject.summary, subject.names
    rows = count_of(summary["rows"])
    used = len(schema.columns) - len(schema.left_out)
    treatment = subject.treatment.words(summary["treatment"])
    finding = (
        f"{rows}, {used} covariate{'s' * (used != 1)}. Treatment {names['treatment']}: "
        f"{treatment}. Outcome {subject.model.names.get('outcome', names['outcome'])}."
    )
    notes: list[Block] = []
    if left := [f"{column.name} ({column.about()})" for column in schema.left_out]:
        finding += f" Left out: {', '.join(map(_name, schema.left_out))}."
        notes.append(paragraph(f"Columns that were left out: {'; '.join(left)}."))
    remembered = len(subject.memory)
    if summary["rows"] > remembered and subject.is_memory:
        sample = f"a random sample of {remembered:,} of the {summary['rows']:,} training rows"
        notes.append(paragraph(f"This page is drawn from {sample}."))
        finding += f" The page is drawn from {remembered:,} of them, drawn by lot."
    return Part("The data", finding, (*notes, *data_tables(subject)))


def _name(column: AbstractColumn) -> str:
    return str(column.name)


def data_tables(subject: Subject) -> list[Block]:
    """Return tables of the treatment, the outcome and the covariates as they were in training."""
    summary, names = subject.summary, subject.names
    header, rows = subject.treatment.table(summary["treatment"])
    outcome_header, outcome = subject.model.outcome.table(summary["outcome"])
    about = ["".join(f", {text}" for text in [kind.about] if text) for kind in _kinds(subject)]
    return [
        table(header, map(_cells, rows), f"Treatment: {names['treatment']}{about[0]}"),
        table(outcome_header, [_cells(outcome)], f"Outcome: {names['outcome']}{about[1]}"),
        _covariates(subject),
    ]


def _kinds(subject: Subject) -> tuple[Any, Any]:
    return subject.treatment, subject.model.outcome


def _cells(values: tuple[Any, ...]) -> tuple[str, ...]:
    write = {float: say, int: "{:,}".format}
    return tuple(write.get(type(value), str)(value) for value in values)


def _covariates(subject: Subject) -> Block:
    schema = subject.schema
    lines = [
        (column.name, column.kind, _missing(column), column.about()) for column in schema.columns
    ]
    used = len(schema.columns) - len(schema.left_out)
    caption = (
        f"Covariates: {used} columns become {len(schema.features)} numbers; {len(schema.left_out)} "
        "are left out"
    )
    return table(("covariate", "kind", "missing", "values"), lines, caption)


def _missing(column: AbstractColumn) -> str:
    return f"{int(column.lacks()):,}" if column.features else ""


def training(method: Estimator) -> Part:
    """Return the part on how long each member trained, and how well it did on rows held out."""
    summary = method.model_.memory.summary
    rounds, scores = summary["rounds"], summary["held_out_score"]
    members = len(method.model_.memory.draws)
    kind = "fold" if isinstance(method, Stacked) else "member"
    about = f"{members} {kind}{'s' * (members > 1)}, {say(summary['seconds'])} seconds in all."
    if isinstance(method, Stacked):
        by_learner: Phrase = (Link(voices.TITLE, voices.TITLE), " says how long each learner took.")
        return Part(TITLE, about, (paragraph(by_learner),))
    if not scores:
        return Part(TITLE, f"{about} This method keeps no log of its training.")
    rows = [
        (member + 1, *(counts[member] for counts in rounds.values()), say(score, 4))
        for member, score in enumerate(scores)
    ]
    header = ("member", *(f"rounds: {stage}" for stage in rounds), "held-out loss")
    shown = table(header, rows, f"Training: {about[:-1]}")
    return Part(TITLE, about, (shown, paragraph(method.about_training, kind="note")))
