"""`pairnet compare`: which method is best on one's own table, by held-out pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from pairnet.commands.choosing import chosen
from pairnet.commands.options import TableOptions
from pairnet.commands.saying import stopping
from pairnet.commands.settings import Assignment, assignments, for_those_that_have, has
from pairnet.commands.wording import notes
from pairnet.compare.ranking import Comparison, compare, suited
from pairnet.core.errors import listed
from pairnet.methods import methods as registry


def compare_methods(
    asked: TableOptions,
    *,
    methods: str | None,
    kind: str,
    settings: Sequence[str],
    folds: int,
    seed: int,
) -> None:
    """Train methods on parts of a table, score them on the rest, and print the ranking.

    methods: names with commas between them; left out, some that suit. settings: hyperparameters as
    NAME=VALUE, each for the methods that have it.
    """
    wanted = assignments(settings, taken=["treatment"])
    names = (
        None if methods is None else [name for name in map(str.strip, methods.split(",")) if name]
    )
    rows = chosen(asked)
    candidates: Any = names
    if wanted:
        suiting = suited(rows.treatment, kind) if names is None else names
        candidates = {name: registry[name](treatment=kind) for name in suiting}
        candidates = for_those_that_have(candidates, wanted)
        for setting in wanted:
            _tell_whose(setting, candidates)
    console = Console()
    with stopping(), notes(), console.status("Starting ...") as status:

        def told(name: str, done: float | int, of: int, fold: int) -> None:
            status.update(f"Part {fold} of {folds}: {name} is done ({done} of {of} methods)")

        options: dict[str, Any] = {"kind": kind, "folds": folds, "seed": seed, "report": told}
        ranked = compare(candidates, rows.x, rows.outcome, treatment=rows.treatment, **options)
    console.print(ranking(ranked))
    console.print(ranked.sentence)


def _tell_whose(setting: Assignment, methods: Mapping[str, Any]) -> None:
    """Say which methods a setting is for, where it is not for all."""
    names = [name for name, method in methods.items() if has(method, setting.name)]
    if len(names) < len(methods):
        print(f"{setting.name}={setting.text} is set for {listed(names)} only.")


def ranking(comparison: Comparison) -> Table:
    """Return the ranking as a table for the terminal."""
    table = Table(
        title=f"Held-out pair loss over {comparison.rows:,} rows; smaller is better",
        title_justify="left",
    )
    table.add_column("method", no_wrap=True)
    for column in ("pair loss", "± error", "behind the best", "± error", "explains"):
        table.add_column(column, justify="right", no_wrap=True)
    for position, line in enumerate(comparison.lines):
        behind = (f"{line.behind:.3g}", f"{line.behind_error:.2g}") if position else ("", "")
        table.add_row(
            line.method, f"{line.loss:.4g}", f"{line.error:.2g}", *behind, f"{line.explained:.0%}"
        )
    return table
