"""Which rows each member of an ensemble draws to train on, and which rows all leave alone."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.inference.clusters import strata_of_clusters

# Streams of random numbers, so that one choice does not change another.
BOOTSTRAP, KEPT_OUT, REMEMBERED, SPLIT = 0, 1, 2, 5  # learners have 3 and 4


def generator(seed: int, *stream: int) -> np.random.Generator:
    """Return a generator whose numbers depend on the seed and on what they are for."""
    return np.random.default_rng([int(seed) % 2**63, *stream])


def bootstrap(
    t: Float[np.ndarray, "r n"],
    strata: int,
    members: int,
    seed: int,
    least: int,
    clusters: Int[np.ndarray, " n"] | None = None,
) -> Int[np.ndarray, "r m n"]:
    """Return how often each member draws each row: n draws with replacement, arm by arm.

    Rows are drawn within arms, so that every member sees as many rows of each arm as there are. A
    row drawn twice is a row of weight 2: it trains or it validates, never both. If an arm is tiny,
    chance may leave it with fewer than `least` different rows; then rows that were not drawn join
    in. Of clusters, each is drawn as a whole.
    """
    draws = np.zeros((len(t), members, t.shape[1]), int)
    for replication, stratum in enumerate(np.minimum(t.astype(int), strata - 1)):
        for member in range(members):
            rng = generator(seed, BOOTSTRAP, replication, member)
            if clusters is not None:
                draws[replication, member] = _draws_of_clusters(rng, stratum, clusters, least)
                continue
            for number in range(strata):
                rows = np.flatnonzero(stratum == number)
                draws[replication, member, rows] = _draws(rng, len(rows), least)
    return draws


def kept_out(
    t: Float[np.ndarray, " n"],
    strata: int,
    share: float,
    seed: int,
    clusters: Int[np.ndarray, " n"] | None = None,
) -> Bool[np.ndarray, " n"]:
    """Return which rows no member trains on: a random `share` of every arm, or of the clusters."""
    stratum = np.minimum(t.astype(int), strata - 1)
    if clusters is not None:
        of_cluster, own = strata_of_clusters(stratum, clusters)
        count = int(of_cluster.max()) + 1
        return kept_out(of_cluster.astype(float), count, share, seed)[own]
    is_out = np.zeros(len(t), bool)
    rng = generator(seed, KEPT_OUT)
    for number in range(strata):
        rows = rng.permutation(np.flatnonzero(stratum == number))
        is_out[rows[: round(share * len(rows))]] = True
    return is_out


def _draws(rng: np.random.Generator, count: int, least: int) -> np.ndarray:
    if count == 0:
        return np.zeros(0, int)
    draws = np.bincount(rng.integers(0, count, count), minlength=count)
    absent = np.flatnonzero(draws == 0)
    missing = min(least, count) - (count - len(absent))
    if missing > 0:
        draws[rng.choice(absent, missing, replace=False)] = 1
    return draws


def _draws_of_clusters(
    rng: np.random.Generator, stratum: np.ndarray, clusters: np.ndarray, least: int
) -> np.ndarray:
    """Return how often each row is drawn with its cluster; for tiny arms others join in."""
    of_cluster, own = strata_of_clusters(stratum, clusters)
    drawn = np.zeros(len(of_cluster), int)
    for number in np.unique(of_cluster):
        some = np.flatnonzero(of_cluster == number)
        drawn[some] = _draws(rng, len(some), 1)
    for arm, count in zip(*np.unique(stratum, return_counts=True), strict=True):
        rows = np.flatnonzero(stratum == arm)
        for cluster in rng.permutation(np.unique(own[rows])):
            if (drawn[own[rows]] > 0).sum() >= min(least, count):
                break
            drawn[cluster] = max(drawn[cluster], 1)
    return drawn[own]
