"""`pairnet compare`: which method is best on one's own table, by held-out pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from pairnet.commands.asked import TableOptions
from pairnet.commands.choosing import chosen
from pairnet.commands.saying import paragraphs, stopping
from pairnet.commands.settings import TypedSetting, assignments, for_those_that_have, has
from pairnet.commands.telling import Teller
from pairnet.commands.wording import notes
from pairnet.compare.ranking import Comparison, compare, suited
from pairnet.core.errors import listed
from pairnet.engines import AbstractEngine
from pairnet.methods import methods as registry
from pairnet.report.words import per_cent


def compare_methods(
    asked: TableOptions,
    *,
    methods: str | None,
    kind: Any,
    settings: Sequence[str],
    folds: int,
    seed: int,
    engine: AbstractEngine,
    teller: Teller,
) -> None:
    """Train methods on parts of a table, score them on the rest, and print the ranking.

    methods: names with commas between them; left out, the stack and some learners. settings:
    hyperparameters as NAME=VALUE, each for the methods that have it. engine: where methods are
    fitted.
    """
    wanted = assignments(settings, taken=["treatment"])
    rows = chosen(asked)
    candidates: Any = methods and [name for name in map(str.strip, methods.split(",")) if name]
    if wanted:
        candidates = _set(candidates or suited(rows.treatment, kind), kind, wanted, teller)
    for line in map(paragraphs, rows.said):
        teller.say(line)
    shown = Console(quiet=not teller.in_words)
    with stopping(), notes(told=teller.notes), shown.status("Starting ...") as status:

        def told(name: str, done: float | int, of: int, fold: int) -> None:
            status.update(f"Part {fold} of {folds}: {name} is done ({done} of {of} methods)")

        options: dict[str, Any] = {"kind": kind, "folds": folds, "seed": seed, "engine": engine}
        table = rows.schema.of_rows(rows.x)
        ranked = compare(
            candidates,
            table,
            rows.outcome,
            treatment=rows.treatment,
            sample_weight=rows.weight,
            report=told,
            **options,
        )
    shown.print(ranking(ranked))
    shown.print(ranked.sentence)
    teller.tell(lambda: _facts(asked, ranked, folds))


def _facts(asked: TableOptions, ranked: Comparison, folds: int) -> dict[str, Any]:
    """Return the ranking for programs; losses of methods are in the order of the ranking."""
    return {
        "command": "compare",
        "table": asked.path,
        "treatment": asked.treatment,
        "outcome": asked.outcome,
        "rows": ranked.rows,
        "folds": folds,
        "methods": [vars(line) for line in ranked.lines],
        "conclusion": ranked.sentence,
    }


def _set(
    names: Sequence[str], kind: Any, wanted: Sequence[TypedSetting], teller: Teller
) -> dict[str, Any]:
    """Return methods with their hyperparameters set; print which methods a setting is for."""
    methods = for_those_that_have({name: registry[name](treatment=kind) for name in names}, wanted)
    for setting in wanted:
        owners = [name for name, method in methods.items() if has(method, setting.name)]
        if len(owners) < len(methods):
            teller.say(f"{setting.name}={setting.text} is set for {listed(owners)} only.")
    return methods


def ranking(comparison: Comparison) -> Table:
    """Return the ranking as a table for the terminal."""
    table = Table(
        title=f"Held-out losses over {comparison.rows:,} rows; smaller is better",
        title_justify="left",
    )
    table.add_column("method", no_wrap=True)
    has_r = any(line.r is not None for line in comparison.lines)
    for column in ("pair loss", "behind the best", "explains", *["R-loss"] * has_r):
        table.add_column(column, justify="right", no_wrap=True)
    for position, line in enumerate(comparison.lines):
        behind = line.behind_in_words if position else ""
        r = [line.r_in_words] if has_r else []
        pair = line.loss_in_words
        table.add_row(line.method, pair, behind, per_cent(line.explained), *r)
    return table
