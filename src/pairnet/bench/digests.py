"""Everything that decides a result as plain JSON, and a short name made from it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from pairnet.model.learner import Learner

# Hyperparameters that were added later, each with the value that means what was done before. With
# that value they are left out, so that older results keep their names.
LATER: dict[str, Any] = {
    "verbose": False,
    "bootstrap": False,
    "calibration": 0.0,
    "codes": 0,
    "penalty": "rows",
    "level": "effects",
}


def describe(value: Any, inner: bool = False) -> Any:
    """Return a value as plain JSON; values that differ in any field differ in it, too.

    inner: the value is of a method that another one trains, whose plan therefore does not matter.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        described: dict[str, Any] = {"is": type(value).__name__}
        for field in dataclasses.fields(value):
            part = getattr(value, field.name)
            as_before = field.name in LATER and (inner or LATER[field.name] == part)
            if not as_before:
                is_inner = isinstance(value, Learner) and isinstance(part, Learner)
                described[field.name] = describe(part, inner or is_inner)
        return described
    if isinstance(value, tuple | list):
        return [describe(part) for part in value]
    if isinstance(value, Mapping):
        return {str(name): describe(part) for name, part in value.items()}
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(
        f"Cannot name a job by {value!r}: expected numbers, text, tuples and dataclasses of them."
    )


def digest(description: Any) -> str:
    """Return the name for a result of `describe`."""
    return digest_of_text(as_text(description))


def as_text(description: Any) -> str:
    """Return a description as text; equal descriptions give equal texts."""
    return json.dumps(description, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_of_text(text: str) -> str:
    """Return the first half of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
