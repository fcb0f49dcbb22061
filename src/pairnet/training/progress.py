"""What a person sees while training: nothing, or a bar a stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Called as report(stage, finished, total, rounds): `finished` of `total` trainings are done,
# fractions included.
Report = Callable[[str, float, int, int], None]


def silent(stage: str, finished: float, total: int, rounds: int) -> None:
    """Report nothing."""


@contextmanager
def bar(label: str, shown: bool = True) -> Iterator[Report]:
    """Show progress on the terminal (standard error), one line a stage."""
    if not shown:
        yield silent
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
    )

    text = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[state]}"))
    with Progress(
        SpinnerColumn(), *text, TimeElapsedColumn(), console=Console(stderr=True)
    ) as progress:
        first = progress.add_task(label, total=None, state="starting")
        tasks: dict[str, TaskID] = {}

        def report(stage: str, finished: float, total: int, rounds: int) -> None:
            if stage not in tasks:
                tasks[stage] = (
                    first if not tasks else progress.add_task(label, total=total, state="")
                )
            many = f"{int(finished)} of {total} done, " if total > 1 else ""
            progress.update(
                tasks[stage],
                description=f"{label}, {stage}",
                completed=finished,
                total=total,
                state=f"{many}round {rounds}",
            )

        yield report
