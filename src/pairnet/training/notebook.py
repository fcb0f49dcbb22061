"""Progress in a notebook: lines that change while training goes on, and stay when it is over.

They need no widgets, so that a notebook which is opened later shows them, too.
"""

from __future__ import annotations

import html
import time
from dataclasses import dataclass
from typing import Any

WIDTH = 30  # letters of a bar
PAUSE = 0.3  # seconds between two pictures


@dataclass
class _Line:
    """A stage or a learner; total: None while it is not known."""

    description: str
    total: float | int | None
    state: str
    completed: float | int = 0
    begun: float = 0.0
    seconds: float = 0.0


class NotebookBars:
    """Bars below one another, in one output of the cell.

    waiting: the learners whose turn is yet to come; whoever reports changes the list.
    """

    def __init__(self, waiting: list[str]):
        self.waiting, self._lines = waiting, list[_Line]()
        self._handle: Any = None
        self._shown = 0.0

    def __enter__(self) -> NotebookBars:
        from IPython.display import HTML, display

        self._handle = display(HTML(self.page()), display_id=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._show(at_once=True)

    def add_task(self, description: str, *, total: float | int | None, state: str) -> int:
        """Add a line, and return its number."""
        self._lines.append(_Line(description, total, state, begun=time.perf_counter()))
        return len(self._lines) - 1

    def update(
        self, task: int, *, description: str, completed: float | int, total: float | int, state: str
    ) -> None:
        """Change a line."""
        line = self._lines[task]
        if line.total is None or line.completed < line.total:
            line.seconds = time.perf_counter() - line.begun
        line.description, line.completed, line.total = description, completed, total
        line.state = state
        self._show()

    def page(self) -> str:
        """Return the bars as text of a page."""
        from pairnet.training.progress import still_left

        widest = max((len(line.description) for line in self._lines), default=0)
        rows = [_written(line, widest) for line in self._lines]
        rows += [still_left(self.waiting)] if self.waiting else []
        text = html.escape("\n".join(rows))
        return f'<pre style="line-height: 1.3; margin: 0; font-family: monospace">{text}</pre>'

    def _show(self, at_once: bool = False) -> None:
        """Draw the bars anew, unless that was done a moment ago."""
        now = time.perf_counter()
        if self._handle is None or (now - self._shown < PAUSE and not at_once):
            return
        from IPython.display import HTML

        self._shown = now
        self._handle.update(HTML(self.page()))


def _written(line: _Line, widest: int) -> str:
    share = line.completed / line.total if line.total else 0.0
    full = round(WIDTH * min(1.0, share))
    bar = "█" * full + "░" * (WIDTH - full)
    clock = f"{int(line.seconds // 60)}:{int(line.seconds % 60):02d}"
    return f"{line.description:<{widest}}  {bar}  {clock}  {line.state}"
