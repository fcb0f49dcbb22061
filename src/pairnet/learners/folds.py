"""Folds of the rows that a learner has, to choose its own numbers by rows not seen."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from pairnet.inference.clusters import fold_of_clusters
from pairnet.inference.resampling import generator

FOLDS = 5
CHOOSING = 3  # a stream of random numbers beside those of pairnet.inference.resampling


def fold_of_rows(
    t: Float[np.ndarray, " n"],
    strata: int,
    seed: int,
    folds: int = FOLDS,
    clusters: Int[np.ndarray, " n"] | None = None,
) -> Int[np.ndarray, " n"]:
    """Return each row's fold: rows take turns arm by arm, in an order that the seed decides.

    Clusters take turns as a whole.
    """
    if clusters is not None:
        stratum = np.minimum(t.astype(int), strata - 1).astype(float)
        return fold_of_clusters(stratum, clusters, folds, generator(seed, CHOOSING))
    chance = generator(seed, CHOOSING).random(len(t))
    order = np.lexsort((chance, np.minimum(t.astype(int), strata - 1)))
    fold = np.zeros(len(t), int)
    fold[order] = np.arange(len(t)) % folds
    return fold
