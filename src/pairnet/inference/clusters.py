"""Rows that belong together, as the people of one village: clusters are independent, rows are not.

A cluster is a whole number from 0 on, one a row; None says that every row stands for itself. What
rows add to a mean is summed by cluster, and the clusters take the place of the rows in its error.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.clusters import by_cluster
from pairnet.core.errors import BadInput

TRIES = 50  # orders of clusters that are tried for folds


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


def strata_of_clusters(
    arm: Int[np.ndarray, " n"], clusters: Int[np.ndarray, " n"]
) -> tuple[Int[np.ndarray, " c"], Int[np.ndarray, " n"]]:
    """Return the stratum of each cluster, and the cluster of each row by its place among them.

    If every cluster holds one arm only, as where whole villages were treated, that is its stratum;
    otherwise all clusters are one stratum.
    """
    names, own = np.unique(clusters, return_inverse=True)
    highest, lowest = np.full(len(names), -1), np.full(len(names), np.iinfo(int).max)
    np.maximum.at(highest, own, arm)
    np.minimum.at(lowest, own, arm)
    if (highest == lowest).all():
        return highest, own
    return np.zeros(len(names), int), own


def fold_of_clusters(
    t: Float[np.ndarray, " n"],
    clusters: Int[np.ndarray, " n"],
    folds: int,
    rng: np.random.Generator,
) -> Int[np.ndarray, " n"]:
    """Return the fold of each row; no cluster is cut, and no arm is in one fold alone.

    Clusters take turns by the rarest arm that they hold, in a random order.
    """
    names, own = np.unique(clusters, return_inverse=True)
    arms, arm = np.unique(t, return_inverse=True)
    if len(names) < folds:
        problem = f"must hold at least {folds} different groups, one a fold, got {len(names)}"
        raise BadInput("groups", problem)
    holds = np.zeros((len(names), len(arms)), bool)
    holds[own, arm] = True
    rarest = np.where(holds, holds.sum(axis=0), len(names) + 1).argmin(axis=1)
    for _ in range(TRIES):
        order = np.lexsort((rng.random(len(names)), rarest))
        fold = np.empty(len(names), int)
        fold[order] = np.arange(len(names)) % folds
        if all(holds[fold != number].any(axis=0).all() for number in range(folds)):
            return fold[own]
    raise BadInput(
        "groups",
        "hold some arm too rarely: without the groups of one fold no row of it is left",
        "Use smaller groups, or leave them out.",
    )
