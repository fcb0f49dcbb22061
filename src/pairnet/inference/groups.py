"""Means of groups of rows, with intervals that hold for all groups at once.

Groups may overlap, so that their means depend on one another. What one row adds to all means is a
line of the joint covariance; the largest of the standardised differences from the truth is then the
largest of normal variables with this covariance (Chernozhukov, Chetverikov and Kato, 2013).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int
from scipy import linalg, stats

from pairnet.core.clusters import by_cluster

DRAWS = 20_000  # of the largest of the normal variables
NEGLIGIBLE = 1e-9  # of the largest variance: what lies below is rounding


@dataclass(frozen=True, eq=False)
class Means:
    """The mean of each group, with the joint covariance of the means.

    freedom: the degrees of freedom of each variance. A group without two rows, or without two
    clusters, has no error: NaN.
    """

    value: Float[np.ndarray, " g"]
    covariance: Float[np.ndarray, "g g"]
    freedom: Int[np.ndarray, " g"]

    @property
    def error(self) -> Float[np.ndarray, " g"]:
        """The standard error of each mean."""
        return np.sqrt(np.diag(self.covariance))

    def plus(self, other: Means) -> Means:
        """Return the sums with other, independent means of the same groups."""
        freedom = np.minimum(self.freedom, other.freedom)
        return Means(self.value + other.value, self.covariance + other.covariance, freedom)

    def ends(self, alpha: float) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        """Return the ends of intervals that hold at once, and of those for one group alone."""
        return self.joint_interval(alpha), self.interval(alpha)

    def interval(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends of each mean's own interval, which the share alpha may miss."""
        with np.errstate(invalid="ignore"):
            reach = stats.t.ppf(1 - alpha / 2, np.maximum(self.freedom, 1)) * self.error
        return self.value - reach, self.value + reach

    def joint_interval(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Return ends such that all intervals hold at once, but for the share alpha."""
        return self.interval(self._joint_level(alpha))

    def p_same(self) -> float:
        """Return the p-value of the test that all means are the same; NaN if none can be tested."""
        some = np.isfinite(self.error) & (self.error > 0)
        if some.sum() < 2:
            return np.nan
        contrast = np.eye(int(some.sum()))[1:] - np.eye(int(some.sum()))[0]
        off = contrast @ self.value[some]
        spread = contrast @ self.covariance[np.ix_(some, some)] @ contrast.T
        inverse, rank = linalg.pinvh(spread, rtol=NEGLIGIBLE, return_rank=True)
        if rank == 0:
            return np.nan
        others = max(int(self.freedom[some].sum()), 1)
        return float(stats.f.sf(off @ inverse @ off / rank, rank, others))

    def _joint_level(self, alpha: float) -> float:
        """Return the level of single intervals at which all hold at once, but for alpha."""
        some = np.isfinite(self.error) & (self.error > 0)
        count = int(some.sum())
        if count < 2:
            return alpha
        error = self.error[some]
        correlation = self.covariance[np.ix_(some, some)] / np.outer(error, error)
        size, axes = np.linalg.eigh(correlation)
        root = axes * np.sqrt(np.maximum(size, 0))
        draws = np.random.default_rng(0).normal(size=(DRAWS, count)) @ root.T
        largest = np.quantile(np.abs(draws).max(axis=1), 1 - alpha)
        return 2 * float(stats.norm.sf(largest))


def means_of_groups(
    values: Float[np.ndarray, " n"],
    groups: Bool[np.ndarray, "g n"],
    weight: Float[np.ndarray, " n"],
    clusters: Int[np.ndarray, " n"] | None = None,
) -> Means:
    """Return the weighted mean of the values in each group; units are the rows, or the clusters."""
    share = shares_of_groups(groups, weight)
    value = np.where(groups.any(axis=1), share @ values, np.nan)
    off = share * (values - np.nan_to_num(value)[:, None])
    parts = by_cluster(off, clusters)
    units = (by_cluster(groups.astype(float), clusters) > 0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = parts * np.where(units > 1, np.sqrt(units / (units - 1)), np.nan)[:, None]
    return Means(value, parts @ parts.T, units - 1)


def shares_of_groups(
    groups: Bool[np.ndarray, "g n"], weight: Float[np.ndarray, " n"]
) -> Float[np.ndarray, "g n"]:
    """Return how much each row counts in each group; in a group that is not empty it adds to 1."""
    own = groups * weight
    return np.asarray(own / np.maximum(own.sum(axis=1, keepdims=True), np.finfo(float).tiny))


def by_quantiles(
    values: Float[np.ndarray, " n"], count: int
) -> tuple[Int[np.ndarray, " n"], Float[np.ndarray, " e"]]:
    """Return the group of each row, from low to high, and the upper ends of all groups but one.

    Rows with the same value are in the same group, so that groups may differ in size, and be fewer.
    """
    ends = np.quantile(values, np.arange(1, count) / count, method="inverted_cdf")
    edges = np.unique(ends[ends < values.max()])
    return np.searchsorted(edges, values, side="left"), edges
