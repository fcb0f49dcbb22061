"""`pairnet compare`: which method is best on one's own table, by held-out pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from pairnet.commands.choosing import chosen
from pairnet.commands.saying import notes, stopping
from pairnet.compare.ranking import Comparison, compare


def compare_methods(
    table: Path,
    *,
    treatment: str,
    outcome: str,
    methods: str | None,
    ignore: str,
    covariates: str,
    categories: str,
    separator: str | None,
    decimal: str,
    folds: int,
    seed: int,
    kind: str = "auto",
) -> None:
    """Train methods on parts of a table, score them on the rest, and print the ranking with its
    sentence."""
    found = chosen(table, treatment, outcome, ignore, covariates, categories, separator, decimal)
    names = (
        None if methods is None else [name.strip() for name in methods.split(",") if name.strip()]
    )
    console = Console()
    with stopping(), notes(), console.status("Starting ...") as status:

        def told(name: str, done: float | int, of: int, fold: int) -> None:
            status.update(f"Part {fold} of {folds}: {name} is done ({done} of {of} methods)")

        asked: dict[str, Any] = {
            "treatment": found.treatment,
            "kind": kind,
            "folds": folds,
            "seed": seed,
        }
        ranked = compare(names, found.x, found.outcome, **asked, report=told)
    console.print(ranking(ranked))
    console.print(ranked.sentence)


def ranking(found: Comparison) -> Table:
    """Return the ranking as a table for the terminal."""
    table = Table(
        title=f"Held-out pair loss over {found.rows:,} rows; smaller is better",
        title_justify="left",
    )
    table.add_column("method", no_wrap=True)
    for column in ("pair loss", "± error", "behind the best", "± error", "explains"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in found.lines:
        behind = (
            ("", "")
            if line is found.lines[0]
            else (f"{line.behind:.3g}", f"{line.behind_error:.2g}")
        )
        table.add_row(
            line.method, f"{line.loss:.4g}", f"{line.error:.2g}", *behind, f"{line.explained:.0%}"
        )
    return table
