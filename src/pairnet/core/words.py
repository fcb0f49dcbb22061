"""Values as words and words as values: how labels and numbers are written, and read again."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np


def word(value: Any) -> str:
    """Return one value as text; a whole number has no decimals, however it was stored."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        number = float(value)
        if number.is_integer():
            return str(int(number))
    return str(value)


def spelled(text: str) -> float:
    """Return the number that a text spells, or NaN if it spells none."""
    try:
        return float(text) if "_" not in text else math.nan
    except ValueError:
        return math.nan


def kind_of_values(array: np.ndarray) -> str:
    """Return a word for what an array holds: text, dates, or the name of its type."""
    words = {"U": "text", "M": "dates", "m": "time spans", "c": "complex numbers"}
    return words.get(array.dtype.kind, str(array.dtype))
