"""What rooms above this one do with a fitted model, by name: people find it on the model itself.

Nothing here is imported before it is asked for, so that imports still point downwards.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def upstairs(room: str, name: str) -> Any:
    """Return a public thing of a room above."""
    return getattr(import_module(f"pairnet.{room}"), name)
