"""Numbers as people read them in reports: rounded, with marks between thousands."""

from __future__ import annotations

import re

from pairnet.core.words import Number as Number
from pairnet.core.words import p_text as p_text
from pairnet.core.words import say as say
from pairnet.core.words import with_minus as with_minus


def per_cent(share: Number) -> str:
    """Write a share; one that rounds to 0 has no sign."""
    text = f"{100 * float(share):.0f} %"
    return "0 %" if text == "-0 %" else with_minus(text)


def between(low: Number, high: Number) -> str:
    """Write a range; where both ends read alike, it is that one number."""
    ends = say(low), say(high)
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def figure_of(value: Number) -> str:
    """Write a number with all three digits that a reader compares, as 0.640."""
    value = float(value)
    return f"{value:#.3g}".rstrip(".") if 1e-3 <= abs(value) < 1e4 else f"{value:.3g}"


def is_number(text: str) -> bool:
    """Tell whether a text is a number, a p-value, a share, or a gap in a column of these."""
    return re.fullmatch(r"|–|[<>]? ?[-−+]?[\d,.]+(e[-+]?\d+)?( ?%)?", text) is not None
