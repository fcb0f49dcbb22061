"""What a rule that gives each row a dose gains against another rule, corrected by outcomes.

gain = mean of mu(x, d(x)) - mu(x, d0(x)) + correction(d) - correction(d0), where mu is by members
that have not seen the row. The correction of a rule is the height of a line through the residuals
of the rows that happened to receive nearly the dose that the rule gives them; a row counts by
1 / f(own dose | x), so that they stand for all rows (Kallus and Zhou, 2018). It is right, up to
what smoothing hides, if the outcomes or the doses are modelled well.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from pairnet.core.clusters import by_cluster
from pairnet.inference.intervals import Estimate
from pairnet.inference.responses import LEAST_LEFT, Line, Residuals

MOST_RARE = 20.0  # no dose makes a row count more often than this, against the commonest
POINTS = 200  # at which the density of doses is worked out


def gain(
    gains: Float[np.ndarray, "m n"],
    residuals: Residuals,
    places: tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]],
    share: Float[np.ndarray, " n"],
) -> Estimate:
    """Return the gain per row of one rule against another.

    gains: of each row by every member. places: the doses that the rule and the other give. share:
    how much rows count; those that all members have seen take no part.
    """
    weight = residuals.weight / _density(residuals.place, share)
    everyone = np.ones(len(gains), bool)
    value, parts, freedom = _gain(gains, residuals, places, share, weight, everyone)
    units = by_cluster(parts, residuals.clusters)
    variance = float(units @ units) * len(units) / max(len(units) - 1, 1)
    if len(gains) > 1:
        others = np.arange(len(gains))[:, None] != np.arange(len(gains))
        some = [_gain(gains, residuals, places, share, weight, own)[0] for own in others]
        variance += float(np.var(some)) * (len(gains) - 1)
    return Estimate(value, float(np.sqrt(variance)), freedom)


def _gain(
    gains: np.ndarray,
    residuals: Residuals,
    places: tuple[np.ndarray, np.ndarray],
    share: np.ndarray,
    weight: np.ndarray,
    judges: Bool[np.ndarray, " m"],
) -> tuple[float, np.ndarray, float]:
    """Return the gain by some members, by how much each row moves it, and the freedom."""
    unseen = residuals.unseen & judges[:, None]
    count = unseen.sum(axis=0)
    own = share * (count > 0)
    own = own / max(float(own.sum()), np.finfo(float).tiny)
    by_row = (gains * unseen).sum(axis=0) / np.maximum(count, 1)
    mean = float(own @ by_row)
    first, second = (residuals.line(at, judges, weight) for at in places)
    parts = own * (by_row - mean) + _widened(first) - _widened(second)
    freedom = max(min(first.count_alike, second.count_alike) - 2, LEAST_LEFT)
    return mean + first.height - second.height, parts, freedom


def _widened(line: Line) -> np.ndarray:
    """Return how far rows move a line, for the few that it goes through."""
    left = max(line.count_alike - 2, LEAST_LEFT)
    return np.asarray(line.parts * np.sqrt(max(line.count_alike, LEAST_LEFT) / left))


def _density(place: np.ndarray, share: np.ndarray) -> Float[np.ndarray, " n"]:
    """Return the density of the doses at each row's own; none is too small to divide by."""
    spread = float(np.sqrt(share @ (place - share @ place) ** 2))
    width = max(1.06 * spread * len(place) ** -0.2, 1e-3)
    points = np.linspace(place.min(), place.max(), POINTS)
    heights = np.exp(-(((points[:, None] - place) / width) ** 2) / 2) @ share
    return np.maximum(np.interp(place, points, heights), heights.max() / MOST_RARE)
