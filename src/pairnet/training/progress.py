"""What the user sees while training: nothing, or bars: of stages, or of the learners of a stack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# What training calls, as report(stage, finished, total, rounds): `finished` of `total` trainings
# are done, fractions included. A stack calls a stage `within(its learner, stage)`.
Progress = Callable[[str, float, int, int], None]

BETWEEN = ": "  # a learner of a stack, and its stage
WAITING = "waiting"  # the first stage of a learner whose turn is yet to come
DONE = "done"  # the last stage of a learner
ALMOST = 0.999  # until then its bar is not full: the clock of a full bar stands still


def within(learner: str, stage: str) -> str:
    """Return what a stage of a learner of a stack is called."""
    return f"{learner}{BETWEEN}{stage}"


def silent(stage: str, finished: float, total: int, rounds: int) -> None:
    """Report nothing."""


@contextmanager
def bar(label: str, shown: bool = True) -> Iterator[Progress]:
    """Show progress, one line for each stage or learner: on standard error, or in the notebook."""
    if not shown:
        yield silent
        return
    waiting: list[str] = []  # learners
    with _display(waiting) as display:
        first = display.add_task(label, total=None, state="starting")
        lines: dict[str, Any] = {}

        def report(stage: str, finished: float, total: int, rounds: int) -> None:
            learner, _, part = stage.rpartition(BETWEEN)
            if part == WAITING:
                waiting.append(learner)
                return
            if learner in waiting:
                waiting.remove(learner)
            line = learner or stage
            if line not in lines:
                lines[line] = display.add_task(label, total=total, state="") if lines else first
            is_over = not learner or part == DONE
            many = f"{int(finished)} of {total} done" if total > 1 else ""
            state = (part if learner else many, f"round {rounds}" if rounds > 1 else "")
            display.update(
                lines[line],
                description=learner or f"{label}, {stage}",
                completed=finished if is_over else min(finished, ALMOST * total),
                total=total,
                state=", ".join(filter(None, state)),
            )

        yield report


def _display(waiting: list[str]) -> Any:
    """Return where bars are shown; waiting: the learners whose turn is yet to come."""
    from rich.console import Console

    if Console().is_jupyter:
        from pairnet.training.notebook import NotebookBars

        return NotebookBars(waiting)
    from rich import progress as rich
    from rich.text import Text

    class Display(rich.Progress):
        """Bars, and below them the learners whose turn is yet to come."""

        def get_renderables(self):
            yield from super().get_renderables()
            if waiting:
                yield Text(still_left(waiting))

    text = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.TextColumn("{task.fields[state]}"),
    )
    columns = (rich.SpinnerColumn(), *text, rich.TimeElapsedColumn())
    return Display(*columns, console=Console(stderr=True))


def still_left(waiting: list[str]) -> str:
    """Write which learners' turn is yet to come, without their numbers: their lines have them."""
    return f"  left: {', '.join(name.rpartition(' (')[0] for name in waiting)}"
