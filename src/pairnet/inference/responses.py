"""The average outcome under a dose, corrected by what happened to rows with doses near it.

average(t) = mean of mu(x, t) over the rows asked about + correction(t). The correction is the
height at t of a line through the residuals y - mu(x, own dose) of the rows of the fit, each judged
by members that have not seen it. A row counts by K((own dose - t) / h), so that those near t count
most, times f(dose) / f(dose | x), so that they stand for all rows (Kennedy et al., 2017; Colangelo
and Lee, 2020). It is right, up to what smoothing hides, if the outcomes or the doses are modelled
well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.clusters import by_cluster
from pairnet.inference import averages
from pairnet.inference.averages import ALL_ALIKE, Counted
from pairnet.inference.conformal import NEAR_ROWS
from pairnet.inference.intervals import Estimate

LEAST_LEFT = 1.0  # degrees of freedom


class Line(NamedTuple):
    """The height of a line through residuals at the places asked about.

    parts: by how much each row moves it. count_alike: so many units that count alike are as good.
    """

    height: float
    parts: Float[np.ndarray, " n"]
    count_alike: float


@dataclass(frozen=True, eq=False)
class Residuals:
    """The residuals of the rows of a fit by every member, and which members have not seen a row.

    place: each row's dose, as its place in the range. weight: how much it counts, its rarity
    included. clusters: which rows belong together (None: every row stands for itself).
    """

    place: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]
    members: Float[np.ndarray, "m n"]
    unseen: Bool[np.ndarray, "m n"]
    clusters: Int[np.ndarray, " n"] | None = None

    def correction(self, at: float, judges: Bool[np.ndarray, " m"] | None = None) -> Estimate:
        """Return the correction at one place, by the judges alone.

        Rows that all of them have seen take no part. Beyond the doses that were observed it is that
        of the nearest end.
        """
        line = self.line(np.full(len(self.place), at), judges)
        if line.count_alike <= 0:
            return Estimate(0.0, 0.0, LEAST_LEFT)
        part = by_cluster(line.parts, self.clusters)
        left = max(line.count_alike - 2, LEAST_LEFT)
        return Estimate(line.height, float(np.sqrt(part @ part * line.count_alike / left)), left)

    def line(
        self,
        at: Float[np.ndarray, " n"],
        judges: Bool[np.ndarray, " m"] | None = None,
        weight: Float[np.ndarray, " n"] | None = None,
    ) -> Line:
        """Return the line through the residuals of rows whose doses are near those at `at`.

        at: a place for each row. weight: how much rows count (None: `self.weight`).
        """
        unseen = self.unseen if judges is None else self.unseen & judges[:, None]
        count = unseen.sum(axis=0)
        residual = (self.members * unseen).sum(axis=0) / np.maximum(count, 1)
        at = np.clip(at, self.place.min(), self.place.max())
        gap, width = self.place - at, self._width(at)
        own = self.weight if weight is None else weight
        near = np.exp(-((gap / width) ** 2) / 2) * own * (count > 0)
        if near.sum() <= 0:
            return Line(0.0, np.zeros(len(near)), 0.0)
        share = near / near.sum()
        centre = float(share @ gap)
        room = max(float(share @ (gap - centre) ** 2), (width / 10) ** 2)
        lean = share * (gap - centre) / room  # of the slope
        height = share - centre * lean  # of the line at the places asked about
        value = float(height @ residual)
        off = residual - value - float(lean @ residual) * gap
        units = by_cluster(height, self.clusters)
        return Line(value, height * off, 1 / float(units @ units))

    def _width(self, at: Float[np.ndarray, " n"]) -> float:
        """Return how wide "near" is: as the doses spread, and no fewer than some rows."""
        middle = np.subtract(*np.percentile(self.place, (75, 25))) / 1.35
        spread = min(s for s in (self.place.std(), middle) if s > 0)
        some = np.sort(np.abs(self.place - at))[min(NEAR_ROWS, len(self.place)) - 1]
        return max(1.06 * spread * len(self.place) ** -0.2, float(some))


def doubly_robust(
    outcomes: Float[np.ndarray, "m n"],
    residuals: Residuals,
    at: float,
    counted: Counted = ALL_ALIKE,
) -> Estimate:
    """Return the average outcome at one place, corrected; `outcomes` are those of rows asked about.

    Its error holds the sampling of these rows, that of the correction, and the luck of members, by
    the jackknife.
    """
    by_member, count, luck = outcomes.mean(axis=1), len(outcomes), 0.0
    if count > 1:
        others = np.arange(count)[:, None] != np.arange(count)
        some = [by_member[own].mean() + residuals.correction(at, own).value for own in others]
        luck = float(np.var(some)) * (count - 1)
    return averages.of_dose(outcomes, residuals.correction(at), luck, counted)
