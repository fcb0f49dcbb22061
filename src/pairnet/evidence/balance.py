"""Were the groups alike? How far apart their covariates are, before and after weighting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from pairnet.core.listing import Listing
from pairnet.evidence.memory import Memory

SMALL = 0.1  # a difference up to this is commonly called small


@dataclass(frozen=True, eq=False, repr=False)
class Balance(Listing):
    """How far apart the groups' covariates are, before and after weighting by 1 / P(group | x).

    The measure is the largest difference of any two groups' means in standard deviations, without
    its sign; 0.1 is commonly called small.
    """

    features: tuple[str, ...]
    before: Float[np.ndarray, " d"]
    after: Float[np.ndarray, " d"]

    def columns(self) -> dict[str, np.ndarray]:
        """Return a line for each covariate, those that were farthest apart first."""
        order = np.argsort(-self.before, kind="stable")
        names = np.asarray(self.features, object)[order]
        return {"covariate": names, "before": self.before[order], "after": self.after[order]}

    @property
    def headline(self) -> str:
        """What the numbers are."""
        return "How far the groups' means lie apart, in standard deviations"

    def notes(self) -> tuple[str, ...]:
        """Count the covariates that are not alike."""
        before, after = (int((apart > SMALL).sum()) for apart in (self.before, self.after))
        of = f"of {len(self.features)} differ by more than {SMALL}"
        return (f"{before} {of} before weighting, {after} after it.",)


class GroupMeans(NamedTuple):
    """The groups' means before and after weighting, and the standard deviation within groups."""

    before: Float[np.ndarray, "g d"]
    after: Float[np.ndarray, "g d"]
    spread: Float[np.ndarray, " d"]  # before weighting


def balance(memory: Memory, features: Sequence[str]) -> Balance:
    """Measure the balance of the covariates between the groups."""
    names, group = memory.groups
    own = (group[:, None] == np.arange(len(names))) * memory.weight[:, None]
    means = group_means(memory.x, own, memory.propensity.chances)
    apart = lambda values: np.ptp(values, axis=0) / means.spread
    return Balance(tuple(features), apart(means.before), apart(means.after))


def group_means(
    x: Float[np.ndarray, "n d"], own: Float[np.ndarray, "n g"], chances: Float[np.ndarray, "n g"]
) -> GroupMeans:
    """Return the means of the covariates; `own` has each row's weight in its own group, else 0."""
    mean, spread = _moments(x, own)
    pooled = np.sqrt((spread**2).mean(axis=0))
    pooled = np.where(pooled > 0, pooled, 1.0)
    return GroupMeans(mean, _moments(x, own / chances)[0], pooled)


def _moments(x: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return means and standard deviations [g d] of every group, given weights [n g]."""
    share = (weight / weight.sum(axis=0)).T
    mean = share @ x
    return mean, np.sqrt(np.maximum(share @ x**2 - mean**2, 0))
