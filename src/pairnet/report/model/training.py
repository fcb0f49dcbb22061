"""How the model was made: the rows it saw, how its training went, and how to make it again."""

from __future__ import annotations

import pprint
import re
from typing import Any

from pairnet.learners.stacked import Stacked
from pairnet.methods import Estimator
from pairnet.report.document import Block, Link, code, details, paragraph, table
from pairnet.report.model import voices
from pairnet.report.model.subject import Subject
from pairnet.report.words import say
from pairnet.tables.columns import AbstractColumn


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


def training_tables(method: Estimator) -> list[Block]:
    """Return how long each member trained and how well it did on rows held out."""
    summary = method.model_.memory.summary
    rounds, scores = summary["rounds"], summary["held_out_score"]
    members = len(method.model_.memory.draws)
    kind = "fold" if isinstance(method, Stacked) else "member"
    caption = f"Training: {members} {kind}{'s' * (members > 1)}, {say(summary['seconds'])} seconds "
    if isinstance(method, Stacked):
        by_learner = "says how long each learner took."
        return [
            paragraph((f"{caption}in all. ", Link(voices.TITLE, voices.TITLE), f" {by_learner}"))
        ]
    if not scores:
        return [paragraph(f"{caption}in all. This method keeps no log of its training.")]
    rows = [
        (member + 1, *(counts[member] for counts in rounds.values()), say(score, 4))
        for member, score in enumerate(scores)
    ]
    header = ("member", *(f"rounds: {stage}" for stage in rounds), "held-out loss")
    return [
        table(header, rows, f"{caption}in all"),
        paragraph(method.about_training, kind="note"),
    ]


def reproduction(subject: Subject) -> list[Block]:
    """Return the code that makes this model again, and the versions it was made with."""
    method, summary = subject.method, subject.summary
    first, second = subject.labels
    used = sorted(set(re.findall(r"[A-Z][A-Za-z]+(?=\()", repr(method))))
    text = "\n".join(
        (
            f"from pairnet import {', '.join(used)}",
            "",
            f"model = {method!r}",
            f"model.fit(X, y, treatment=t)  # {summary['rows']:,} rows",
            f"model.effect(X, T0={first!r}, T1={second!r})",
        )
    )
    parameters = method.get_params(deep=False)
    parameters.pop("verbose")
    versions = "\n".join(f"{name} {value}" for name, value in summary["versions"].items())
    return [
        paragraph(
            "The same rows in any order, seed and versions give the same numbers on the same kind "
            "of machine."
        ),
        code(text),
        code(versions),
        details(
            "All hyperparameters", code(pprint.pformat(parameters, width=78, sort_dicts=False))
        ),
    ]
