"""What the user sees while training: nothing, or a bar for each stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# What training calls, as report(stage, finished, total, rounds): `finished` of `total` trainings
# are done, fractions included.
Progress = Callable[[str, float, int, int], None]


def silent(stage: str, finished: float, total: int, rounds: int) -> None:
    """Report nothing."""


@contextmanager
def bar(label: str, shown: bool = True) -> Iterator[Progress]:
    """Show progress on the terminal (standard error), one line for each stage."""
    if not shown:
        yield silent
        return
    from rich import progress as rich
    from rich.console import Console

    text = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.TextColumn("{task.fields[state]}"),
    )
    columns = (rich.SpinnerColumn(), *text, rich.TimeElapsedColumn())
    with rich.Progress(*columns, console=Console(stderr=True)) as display:
        first = display.add_task(label, total=None, state="starting")
        lines: dict[str, rich.TaskID] = {}

        def report(stage: str, finished: float, total: int, rounds: int) -> None:
            if stage not in lines:
                lines[stage] = display.add_task(label, total=total, state="") if lines else first
            many = f"{int(finished)} of {total} done, " if total > 1 else ""
            display.update(
                lines[stage],
                description=f"{label}, {stage}",
                completed=finished,
                total=total,
                state=f"{many}round {rounds}",
            )

        yield report
