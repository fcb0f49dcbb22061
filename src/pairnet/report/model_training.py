"""How the model was made: the rows it saw, how its training went, and how to make it again."""

from __future__ import annotations

import pprint
import re
from typing import Any

from pairnet.methods import NetworkEstimator
from pairnet.report.document import Block, code, details, paragraph, table
from pairnet.report.model_view import View
from pairnet.report.words import per_cent, say


def data_tables(view: View) -> list[Block]:
    """Return tables of the treatment, the outcome and the covariates, as they were in training."""
    summary = view.model.training_.summary
    treatment, outcome = summary["treatment"], summary["outcome"]
    blocks: list[Block] = []
    rows: list[tuple[str, ...]]
    if treatment["kind"] == "arms":
        rows = [
            (str(each["arm"]), f"{each['rows']:,}", f"{100 * each['rows'] / summary['rows']:.1f} %")
            for each in treatment["arms"]
        ]
        blocks.append(
            table(("arm", "rows", "share"), rows, f"Treatment: {view.names['treatment']}")
        )
    else:
        rows = [tuple(say(treatment[name]) for name in ("low", "mean", "high"))]
        blocks.append(
            table(
                ("smallest", "mean", "largest"),
                rows,
                f"Treatment: {view.names['treatment']}, a dose",
            )
        )
    if view.binary:
        rows = [(f"{100 * outcome['mean']:.1f} %",)]
        blocks.append(table(("yes",), rows, f"Outcome: {view.names['outcome']}, yes or no"))
    else:
        rows = [(say(outcome["mean"]), say(outcome["sd"]))]
        blocks.append(
            table(("mean", "standard deviation"), rows, f"Outcome: {view.names['outcome']}")
        )
    schema = view.model.schema_
    lines = [
        (
            column.name,
            column.kind,
            f"{getattr(column, 'missing', 0):,}" if column.features else "",
            column.about(),
        )
        for column in schema.columns
    ]
    used = len(schema.columns) - len(schema.left_out)
    caption = (
        f"Covariates: {used} columns become {len(schema.features)} numbers; "
        f"{len(schema.left_out)} are left out"
    )
    blocks.append(table(("covariate", "kind", "missing", "values"), lines, caption))
    return blocks


def training_tables(model: NetworkEstimator) -> list[Block]:
    """Return how long each member trained and how well it did on rows held out."""
    summary = model.training_.summary
    stages = list(summary["rounds"])
    rows = [
        (member + 1, *(summary["rounds"][stage][member] for stage in stages), say(score, 4))
        for member, score in enumerate(summary["held_out_score"])
    ]
    plan = model.plan
    return [
        table(
            ("member", *(f"rounds: {stage}" for stage in stages), "held-out loss"),
            rows,
            f"Training: {len(rows)} member{'s' * (len(rows) > 1)}, {say(summary['seconds'])} "
            "seconds in all",
        ),
        paragraph(
            f"A round is up to 50 steps and a look at the held-out {per_cent(plan.validation)} of "
            "the rows; training "
            "stops when they no longer improve, and the best weights are kept. The loss is that "
            "of the last stage, in "
            "units of the noise; members that differ much in it, or reach the longest training, "
            "deserve a look. "
            "Losses round by round are not recorded.",
            kind="note",
        ),
    ]


def reproduction(view: View) -> list[Block]:
    """Return the code that makes this model again, and the versions it was made with."""
    model = view.model
    summary = model.training_.summary
    first, second = view.labels
    used = sorted(set(re.findall(r"[A-Z][A-Za-z]+(?=\()", repr(model))))
    text = "\n".join(
        (
            f"from pairnet import {', '.join(used)}",
            "",
            f"model = {model!r}",
            f"model.fit(X, y, treatment=t)  # {summary['rows']:,} rows",
            f"model.effect(X, T0={first!r}, T1={second!r})",
        )
    )
    values = model.get_params(deep=False)
    versions = "\n".join(f"{name} {value}" for name, value in summary["versions"].items())
    return [
        paragraph(
            "The same rows in any order, seed and versions give the same numbers on the same kind "
            "of machine."
        ),
        code(text),
        code(versions),
        details(
            "All hyperparameters", code(pprint.pformat(_plain(values), width=78, sort_dicts=False))
        ),
    ]


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != "verbose"}
