"""How a command tells what it did: in words, as one JSON object for programs, or not at all."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pairnet.commands.asked import SayingOptions
from pairnet.core.errors import BadInput

Facts = Mapping[str, Any]


class Teller:
    """What commands speak through: `say` for people, `tell` for programs."""

    def __init__(self, asked: SayingOptions = SayingOptions()):  # noqa: B008 (a frozen value)
        if asked.quiet and asked.json:
            problem = "and --json exclude each other: --quiet prints nothing, --json an object"
            raise BadInput("--quiet", problem, "Leave one out.")
        self.in_words, self.in_json = not (asked.quiet or asked.json), asked.json
        self.notes: list[str] = []  # what was said on standard error, for programs, too

    def say(self, text: str) -> None:
        """Print a text for people."""
        if self.in_words:
            print(text, flush=True)

    def tell(self, facts: Callable[[], Facts]) -> None:
        """Print facts as JSON, if that is asked; else they are not even worked out."""
        if self.in_json:
            from pairnet import __version__

            whole = {"pairnet": __version__, **facts(), "notes": self.notes}
            print(json.dumps(plain(whole), indent=2, allow_nan=False, ensure_ascii=False))


def plain(value: Any) -> Any:
    """Return a value as JSON has it: numbers that are none, as NaN, become null."""
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | bool | int) else str(value)
