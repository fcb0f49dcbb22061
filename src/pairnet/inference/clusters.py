"""Rows that belong together, as the people of one village: clusters are independent, rows are not.

A cluster is a whole number from 0 on, one a row; None says that every row stands for itself. What
rows add to a mean is summed by cluster, and the clusters take the place of the rows in its error.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.clusters import by_cluster as by_cluster


def variance_of_mean(
    values: Float[np.ndarray, " n"],
    share: Float[np.ndarray, " n"] | None = None,
    clusters: Int[np.ndarray, " n"] | None = None,
) -> tuple[float, int]:
    """Return the variance of a weighted mean, since units are a sample, and its freedom.

    share: how much each row counts; they add up to 1 (left out: all the same). The units are the
    clusters, or the rows; the degrees of freedom are one less than there are units.
    """
    share = np.full(len(values), 1 / len(values)) if share is None else share
    off = by_cluster(share * (values - share @ values), clusters)
    units = len(off)
    if units < 2:
        return 0.0, 1
    return float(off @ off) * units / (units - 1), units - 1
