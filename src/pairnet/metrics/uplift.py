"""What is gained by treating the first rows of an order: Qini curve, AUUC, uplift at k.

All are made of doubly robust scores, one a row (`effect_scores`, or `model.targeting()`), so that
they hold where chances differ between rows, too. Where both arms are equally common among the first
rows, wherever one stops, they are the differences of the arms' means that uplift libraries count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.levels import check_level
from pairnet.core.listing import Listing
from pairnet.metrics.least_squares import Coefficient
from pairnet.metrics.passed import numbers
from pairnet.metrics.ranked import (
    Luck,
    Measure,
    Ranked,
    area,
    gain_of_first,
    mean_of_first,
    qini,
    share_of_rows,
)

SHARES = np.linspace(0.05, 1, 20)


@dataclass(frozen=True, eq=False, repr=False)
class PriorityCurve(Listing):
    """A curve over the share of the rows that come first; one line a point.

    Each point has its own interval, which the share `alpha` may miss; a curve leaves its band
    somewhere more often.
    """

    share: Float[np.ndarray, " q"]
    value: Float[np.ndarray, " q"]
    error: Float[np.ndarray, " q"]
    lower: Float[np.ndarray, " q"]
    upper: Float[np.ndarray, " q"]
    alpha: float = 0.05

    def columns(self) -> dict[str, np.ndarray]:
        """Return a line a point."""
        names = ("share", "value", "error", "lower", "upper")
        return {name: getattr(self, name) for name in names}


def qini_curve(
    scores: Any,
    priority: Any,
    *,
    weight: Any = None,
    clusters: Any = None,
    shares: Any = None,
    alpha: float = 0.05,
) -> PriorityCurve:
    """Return the gain per row of all rows if the first ones are treated, by their share.

    G(q) = E[score; among the first q]: its end is the average effect, and a random order lies on
    the straight line to there (Radcliffe, 2007). Other libraries call it the cumulative gain or
    uplift curve; those that count rows have n G(q).

    scores: doubly robust scores, one a row. priority: who comes first, the largest first. shares:
    where the curve is wanted (left out: every 5 %). clusters: a label a row; the rows of a cluster
    count as one.
    """
    return curve(Ranked.of(scores, priority, weight, clusters), gain_of_first, shares, alpha)


def qini_coefficient(
    scores: Any, priority: Any, *, weight: Any = None, clusters: Any = None, alpha: float = 0.05
) -> Coefficient:
    """Return the area between the Qini curve and the straight line of a random order.

    It is 0 on average for an order that says nothing, and not normalised: its unit is that of the
    effect. The same as `rate(..., weighting="qini")`, and as `auuc` less half the average effect.
    """
    return _estimate(Ranked.of(scores, priority, weight, clusters), qini, alpha)


def auuc(
    scores: Any, priority: Any, *, weight: Any = None, clusters: Any = None, alpha: float = 0.05
) -> Coefficient:
    """Return the area under the Qini curve; a random order has half the average effect."""
    return _estimate(Ranked.of(scores, priority, weight, clusters), area, alpha)


def uplift_at_k(
    scores: Any,
    priority: Any,
    k: Any = 0.3,
    *,
    weight: Any = None,
    clusters: Any = None,
    alpha: float = 0.05,
) -> Coefficient:
    """Return the average effect among the first share `k` of the rows."""
    first = mean_of_first(share_of_rows("k", k))
    return _estimate(Ranked.of(scores, priority, weight, clusters), first, alpha)


def curve(
    ranked: Ranked,
    point: Callable[[float], Measure],
    shares: Any,
    alpha: Any,
    luck: Luck | None = None,
) -> PriorityCurve:
    """Return the curve of a measure of the first rows; `point` makes the measure of a share."""
    at = SHARES if shares is None else numbers("shares", shares)
    if not len(at) or not ((at > 0) & (at <= 1)).all():
        raise BadInput("shares", "must be one or more shares of the rows, above 0 and at most 1")
    level = check_level(alpha)
    found = ranked.estimates([point(q) for q in at.tolist()], level, luck)
    value, error, lower, upper, _ = np.asarray(found, float).T
    return PriorityCurve(at, value, error, lower, upper, level)


def _estimate(ranked: Ranked, measure: Measure, alpha: Any) -> Coefficient:
    return ranked.estimates([measure], check_level(alpha))[0]
