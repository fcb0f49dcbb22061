"""How many intervals may miss: the level `alpha` that people ask for."""

from __future__ import annotations

from pairnet.core.errors import BadInput
from pairnet.core.types import is_number


def check_level(alpha: object) -> float:
    """Return alpha as a number; raise if it is no share between 0 and 1."""
    if not (is_number(alpha) and 0 < alpha < 1):  # type: ignore[operator]
        raise BadInput(
            "alpha",
            f"must be the share of intervals that may miss, as 0.05 for 95 %, got {alpha!r}",
        )
    return float(alpha)  # type: ignore[arg-type]
