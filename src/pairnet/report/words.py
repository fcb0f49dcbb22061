"""Numbers as people read them in reports: rounded, with marks between thousands."""

from __future__ import annotations

import math
import re

import numpy as np

Number = float | int | np.number


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


def per_cent(share: Number) -> str:
    """Write a share."""
    return f"{100 * float(share):.0f} %"


def figure_of(value: Number) -> str:
    """Write a number with all three digits that a reader compares, as 0.640."""
    value = float(value)
    return f"{value:#.3g}".rstrip(".") if 1e-3 <= abs(value) < 1e4 else f"{value:.3g}"


def p_text(p: float | None) -> str:
    """Write a p-value; None, for no test, is empty."""
    if p is None:
        return ""
    if p < 0.001:
        return "< 0.001"
    if p > 0.999:
        return "> 0.999"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def with_minus(text: str) -> str:
    """Replace the hyphen that Python writes by a true minus sign."""
    return text.replace("-", "−")


def is_number(text: str) -> bool:
    """Tell whether a text is a number, a p-value, a share, or a gap in a column of these."""
    return re.fullmatch(r"|–|[<>]? ?[-−+]?[\d,.]+(e[-+]?\d+)?( ?%)?", text) is not None
