"""Were the groups alike? How far apart their covariates are, before and after weighting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from pairnet.evidence.memory import Memory


@dataclass(frozen=True, eq=False)
class Balance:
    """How far apart the groups' covariates are, before and after weighting by 1 / P(group | x).

    The measure is the largest difference of any two groups' means in standard deviations, without
    its sign; 0.1 is commonly called small.
    """

    features: tuple[str, ...]
    before: Float[np.ndarray, " d"]
    after: Float[np.ndarray, " d"]


def balance(memory: Memory, features: Sequence[str]) -> Balance:
    """Measure the balance of the covariates between the groups."""
    names, group = memory.groups
    own = (group[:, None] == np.arange(len(names))) * memory.weight[:, None]
    before, after = standard_means(memory.x, own, memory.propensity.chances)
    apart = lambda means: np.ptp(means, axis=0)
    return Balance(tuple(features), apart(before), apart(after))


def standard_means(
    x: Float[np.ndarray, "n d"], own: Float[np.ndarray, "n g"], chances: Float[np.ndarray, "n g"]
) -> tuple[Float[np.ndarray, "g d"], Float[np.ndarray, "g d"]]:
    """Return the groups' means in standard deviations, before and after weighting.

    own: each row's weight in its own group, 0 in the others. The standard deviation is the one
    within groups, before weighting.
    """
    mean, spread = _moments(x, own)
    pooled = np.sqrt((spread**2).mean(axis=0))
    pooled = np.where(pooled > 0, pooled, 1.0)
    return mean / pooled, _moments(x, own / chances)[0] / pooled


def _moments(x: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return means and standard deviations [g d] of every group, given weights [n g]."""
    share = (weight / weight.sum(axis=0)).T
    mean = share @ x
    return mean, np.sqrt(np.maximum(share @ x**2 - mean**2, 0))
