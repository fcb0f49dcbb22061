"""Warnings that point at the user's own line, however deep in the package they begin."""

from __future__ import annotations

import sys
import warnings

from pairnet.core.errors import Notice, Part


def notice(*parts: Part) -> None:
    """Warn the user; the warning names the first line of code outside this package."""
    warn_again(Notice(parts))


def warn_again(message: Warning) -> None:
    """Warn the user, as `notice` does, of what a worker has warned of."""
    level, frame = 2, sys._getframe(1)  # the caller
    inside = lambda frame: frame.f_globals.get("__name__", "").split(".")[0] == "pairnet"
    while frame.f_back is not None and inside(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, stacklevel=level)
