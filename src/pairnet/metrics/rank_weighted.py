"""Does an order of priority find those who gain most? TOC and RATE (Yadlowsky et al., 2021).

TOC(q) = E[effect | among the first q] - E[effect]: by how much those who come first gain more than
all. RATE = int_0^1 a(q) TOC(q) dq: with a(q) = 1 the area under the curve (AUTOC), which looks at
those who come first of all; with a(q) = q the Qini coefficient, for where many are to be treated.
An order that says nothing has TOC 0 everywhere, and RATE 0.
"""

from __future__ import annotations

from typing import Any

from pairnet.core.errors import BadInput
from pairnet.core.levels import check_level
from pairnet.core.types import is_one_of
from pairnet.core.words import shown
from pairnet.metrics.least_squares import Coefficient
from pairnet.metrics.ranked import Measure, Ranked, autoc, qini, toc_of_first
from pairnet.metrics.uplift import PriorityCurve, curve

WEIGHTINGS: dict[str, Measure] = {"autoc": autoc, "qini": qini}


def toc(
    scores: Any,
    priority: Any,
    *,
    weight: Any = None,
    clusters: Any = None,
    shares: Any = None,
    alpha: float = 0.05,
) -> PriorityCurve:
    """Return the targeting operator characteristic, by the share of the rows that come first.

    scores: doubly robust scores, one a row. priority: who comes first, the largest first; rows of
    the same priority are in no order. shares: where the curve is wanted (left out: every 5 %).
    clusters: a label a row; the rows of a cluster count as one.
    """
    return curve(Ranked.of(scores, priority, weight, clusters), toc_of_first, shares, alpha)


def rate(
    scores: Any,
    priority: Any,
    *,
    weighting: str = "autoc",
    weight: Any = None,
    clusters: Any = None,
    alpha: float = 0.05,
) -> Coefficient:
    """Return the rank-weighted average treatment effect, the area under the weighted TOC.

    It is above 0 if those who come first gain more than others; the p-value tests that. Its error
    is that of half-samples. weighting: "autoc" or "qini". The priority must come from other rows
    than the scores, or from models that have not seen the row (`model.targeting()` sees to that).
    """
    level = check_level(alpha)
    ranked = Ranked.of(scores, priority, weight, clusters)
    return ranked.estimates([WEIGHTINGS[check_weighting(weighting)]], level)[0]


def check_weighting(weighting: object) -> str:
    """Return the name of a weighting, or raise."""
    if not is_one_of(weighting, WEIGHTINGS):
        raise BadInput("weighting", f"must be 'autoc' or 'qini', got {shown(weighting)}")
    return str(weighting)
