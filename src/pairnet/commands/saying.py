"""How commands speak: in lines that fit a terminal, warnings as notes."""

from __future__ import annotations

import contextlib
import signal
import sys
import textwrap
import warnings
from collections.abc import Iterator

WIDTH = 80


class Ended(SystemExit):
    """The end of a command that has said why it ends."""


def paragraphs(*lines: str) -> str:
    """Return lines, long ones folded."""
    return "\n".join(textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in lines)


@contextlib.contextmanager
def stopping() -> Iterator[None]:
    """Let Ctrl-C end a command at once; in Python it ends a training early and keeps what there is."""

    def stop(*_: object) -> None:
        print("Interrupted; nothing was written.", file=sys.stderr)
        raise Ended(130)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def notes(but: str | None = None) -> Iterator[None]:
    """Show warnings as notes of a line or two, not as Python shows them."""

    shown = set()

    def show(message, category, filename, lineno, file=None, line=None):
        if str(message) not in shown and (but is None or not str(message).startswith(but)):
            shown.add(str(message))
            print(textwrap.fill(f"Note: {message}", WIDTH), file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        yield
