"""Values as words and words as values: how labels and numbers are written, and read again."""

from __future__ import annotations

import decimal
import math
import numbers
import sys
from typing import Any

import numpy as np

LARGEST_FLOAT = sys.float_info.max
LONGEST = 200  # letters of a value in a message
Number = float | int | np.number
TINY, MILLIONS, HUGE = 1e-4, 1e7, 1e15  # of numbers that are written without an exponent
DIGITS = 1000  # Python refuses to write whole numbers with many more


def word(value: Any) -> str:
    """Return one value as text; a whole number has no decimals, however it was stored."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return str(int(value)) if abs(int(value)) < 10**DIGITS else hex(int(value))
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        number = as_float(value)
        if number.is_integer():
            return str(int(number))
    return str(value)


def as_float(value: numbers.Real | decimal.Decimal) -> float:
    """Return any real number as a float; one beyond the largest float becomes the largest."""
    try:
        return float(value)
    except OverflowError:
        return math.copysign(LARGEST_FLOAT, 1 if value > 0 else -1)  # type: ignore[operator]


def shown(value: Any) -> str:
    """Return a value as Python writes it, for a message; what is very long is cut."""
    if isinstance(value, int) and abs(value) >= 10**LONGEST:
        return f"a whole number of {int(abs(value).bit_length() * math.log10(2)) + 1} digits"
    try:
        text = repr(value)
    except ValueError:  # it holds such a number
        return f"a {type(value).__name__}"
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def is_unicode(text: str) -> bool:
    """Tell whether a text can be written to a file: it has no half characters (surrogates)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def spelled(text: str) -> float:
    """Return the number that a text spells, or NaN if it spells none."""
    try:
        return float(text) if "_" not in text else math.nan
    except ValueError:
        return math.nan


def kind_of_values(array: np.ndarray) -> str:
    """Return a word for what an array holds: text, dates, or the name of its type."""
    words = {"U": "text", "M": "dates", "m": "time spans", "c": "complex numbers"}
    words |= {"S": "bytes", "V": "records"}
    return words.get(array.dtype.kind, str(array.dtype))


def say(value: Number, digits: int = 3) -> str:
    """Write a number with `digits` significant digits and a true minus sign; NaN is –."""
    value = float(value)
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    if -4 <= places <= 8 and abs(value) < 1e7:
        return with_minus(f"{value:,.{max(0, places)}f}")
    text = f"{value:.{digits}g}"
    return text if "e" in text else with_minus(text)


def in_full(value: Number, digits: int = 4) -> str:
    """Write a number for the terminal: digits that count, thousands with commas, no exponent.

    So it reads like the same number on a page, with the hyphen that every terminal can print.
    """
    value = float(value)
    size = abs(value)
    if not math.isfinite(value) or not TINY <= size < HUGE:
        return f"{value:.{digits}g}"
    places = digits - 1 - math.floor(math.log10(size))
    rounded = round(value, places) if size >= MILLIONS else value
    text = f"{rounded:,.{max(0, places)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def with_minus(text: str) -> str:
    """Replace the hyphen that Python writes by a true minus sign."""
    return text.replace("-", "−")


def p_text(p: float | None) -> str:
    """Write a p-value; None, for no test, is empty."""
    if p is None:
        return ""
    if p < 0.001:
        return "< 0.001"
    if p > 0.999:
        return "> 0.999"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"
