"""Which rows each member of an ensemble draws to train on, and which rows all of them leave
alone."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int

BOOTSTRAP, KEPT_OUT, REMEMBERED = range(
    3
)  # streams of random numbers, so that one choice does not move another


def generator(seed: int, *stream: int) -> np.random.Generator:
    """Return random numbers that depend on the seed and on what they are for."""
    return np.random.default_rng([int(seed) % 2**63, *stream])


def bootstrap(
    t: Float[np.ndarray, "r n"], strata: int, members: int, seed: int, least: int
) -> Int[np.ndarray, "r m n"]:
    """Return how often each member draws each row: n draws with replacement, arm by arm.

    Drawn within arms, so that every member sees as many rows of each arm as there are. A row drawn
    twice is a row of weight 2: it trains or it validates, never both. Where luck leaves an arm with
    fewer than `least` different rows, as it can if the arm is tiny, rows that were not drawn join
    in.
    """
    draws = np.zeros((len(t), members, t.shape[1]), int)
    for replication, stratum in enumerate(np.minimum(t.astype(int), strata - 1)):
        for member in range(members):
            rng = generator(seed, BOOTSTRAP, replication, member)
            for each in range(strata):
                where = np.flatnonzero(stratum == each)
                draws[replication, member, where] = _some(rng, len(where), least)
    return draws


def _some(rng: np.random.Generator, count: int, least: int) -> np.ndarray:
    drawn = (
        np.bincount(rng.integers(0, count, count), minlength=count) if count else np.zeros(0, int)
    )
    absent = np.flatnonzero(drawn == 0)
    missing = min(least, count) - (count - len(absent))
    if missing > 0:
        drawn[rng.choice(absent, missing, replace=False)] = 1
    return drawn


def kept_out(
    t: Float[np.ndarray, " n"], strata: int, share: float, seed: int
) -> Bool[np.ndarray, " n"]:
    """Return which rows nobody trains on: a random `share` of every arm."""
    found = np.zeros(len(t), bool)
    stratum = np.minimum(t.astype(int), strata - 1)
    rng = generator(seed, KEPT_OUT)
    for each in range(strata):
        where = rng.permutation(np.flatnonzero(stratum == each))
        found[where[: round(share * len(where))]] = True
    return found
