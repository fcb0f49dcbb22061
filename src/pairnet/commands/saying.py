"""How commands speak on a terminal, and how Ctrl-C ends them."""

from __future__ import annotations

import contextlib
import signal
import sys
import textwrap
from collections.abc import Iterator

WIDTH = 80
INTERRUPTED = 130  # the exit code of Ctrl-C


class Ended(SystemExit):
    """The end of a command that has already said why it ends."""


def paragraphs(*lines: str) -> str:
    """Return paragraphs, their long lines folded."""
    return "\n".join(textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in lines)


@contextlib.contextmanager
def stopping() -> Iterator[None]:
    """Let Ctrl-C end a command at once.

    In Python, Ctrl-C ends a training early and keeps what there is.
    """

    def stop(*_: object) -> None:
        print("Interrupted; nothing was written.", file=sys.stderr)
        raise Ended(INTERRUPTED)

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
