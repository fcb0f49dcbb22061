"""What a person sees while training: nothing, or a bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Called as report(stage, finished, total, round): `finished` of `total` trainings are done, fractions included.
Report = Callable[[str, float, int, int], None]


def silent(stage: str, finished: float, total: int, rounds: int) -> None:
    """Report nothing."""


@contextmanager
def bar(label: str, shown: bool = True) -> Iterator[Report]:
    """Show a progress bar on the terminal, one line for all stages of a fit."""
    if not shown:
        yield silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(label, total=None, state="starting")

        def report(stage: str, finished: float, total: int, rounds: int) -> None:
            many = f"{int(finished)} of {total} done, " if total > 1 else ""
            state = f"{many}round {rounds}"
            progress.update(task, description=f"{label} [{stage}]", completed=finished, total=total, state=state)

        yield report
