"""Splits of rows into folds, several times, so that no answer hangs on the luck of one split."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int
from sklearn.model_selection import StratifiedKFold

from pairnet.inference.clusters import fold_of_clusters
from pairnet.inference.resampling import SPLIT, generator

FOLDS = 5
SPLITS = 5  # times that rows are split
SPLITS_OF_MANY, MANY = 3, 5000  # with more rows than these, one split is much like another


def splits_of(rows: int) -> int:
    """Return how many times a table of so many rows is split."""
    return SPLITS if rows <= MANY else SPLITS_OF_MANY


def fold_of(
    t: Float[np.ndarray, " n"], split: int, clusters: Int[np.ndarray, " n"] | None = None
) -> Int[np.ndarray, " n"]:
    """Return the fold of each row in one split; every fold holds each arm in its share.

    Clusters are never cut.
    """
    if clusters is not None:
        folds = max(2, min(FOLDS, len(np.unique(clusters))))
        return fold_of_clusters(t, clusters, folds, generator(split, SPLIT))
    rarest = int(np.unique(t, return_counts=True)[1].min())
    folds = StratifiedKFold(max(2, min(FOLDS, rarest)), shuffle=True, random_state=split)
    fold = np.zeros(len(t), int)
    for number, (_, unseen) in enumerate(folds.split(t, t)):
        fold[unseen] = number
    return fold
