"""Were the groups alike? Overlap of propensities and balance of covariates, over the rows of the
fit.

Groups are the arms; doses are cut into three equal groups of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.treatments import Arms, Treatment
from pairnet.evidence.memory import Training
from pairnet.inference.propensity import Propensity

BINS = 20
# a group whose chance is below this hardly occurs among such rows, if elsewhere it is twice as
# common
SURE = 0.05


@dataclass(frozen=True, eq=False)
class Overlap:
    """How likely each group was for each row, by a light model that has not seen the row.

    inside[g], outside[g]: histograms over `edges` of P(group g | x) among the rows of group g and
    among all others; where they lie over one another, the groups can be compared. effective[g]: how
    many rows of equal weight group g is worth once it is weighted to look like the whole table.
    lacking: the share of rows for which some group had hardly any chance (see `lacks`).
    """

    groups: tuple[str, ...]
    edges: Float[np.ndarray, " b"]
    inside: Int[np.ndarray, "g c"]
    outside: Int[np.ndarray, "g c"]
    rows: Int[np.ndarray, " g"]
    effective: Float[np.ndarray, " g"]
    lacking: float


@dataclass(frozen=True, eq=False)
class Balance:
    """How far apart the groups' covariates are, before and after weighting by 1 / P(group | x).

    The largest difference of any two groups' means in standard deviations, without its sign; 0.1 is
    commonly called small.
    """

    features: tuple[str, ...]
    before: Float[np.ndarray, " d"]
    after: Float[np.ndarray, " d"]


def overlap(training: Training, treatment: Treatment) -> Overlap:
    """Measure the overlap of the groups."""
    names, group, propensity = _grouped(training, treatment)
    chances = propensity.chances
    edges = np.linspace(0, 1, BINS + 1)
    count = lambda values: np.histogram(values, edges)[0]
    own = group[:, None] == np.arange(len(names))
    weight = own * training.weight[:, None] / chances
    return Overlap(
        groups=names,
        edges=edges,
        inside=np.stack([count(chances[own[:, g], g]) for g in range(len(names))]),
        outside=np.stack([count(chances[~own[:, g], g]) for g in range(len(names))]),
        rows=own.sum(axis=0),
        effective=weight.sum(axis=0) ** 2 / (weight**2).sum(axis=0),
        lacking=float(np.mean(lacks(chances, own.mean(axis=0)))),
    )


def lacks(
    chances: Float[np.ndarray, "n g"], shares: Float[np.ndarray, " g"]
) -> Bool[np.ndarray, " n"]:
    """Tell for which rows some group had hardly any chance: below 5 %, and less than half of how
    common it is.

    A group that is rare everywhere, as one drawn by lot may be, is lacking nowhere.
    """
    return np.any(chances < np.minimum(SURE, shares / 2), axis=1)


def balance(training: Training, treatment: Treatment, features: Sequence[str]) -> Balance:
    """Measure the balance of the covariates between the groups."""
    names, group, propensity = _grouped(training, treatment)
    own = (group[:, None] == np.arange(len(names))) * training.weight[:, None]
    mean, spread = _moments(training.x, own)
    pooled = np.sqrt((spread**2).mean(axis=0))
    pooled = np.where(pooled > 0, pooled, 1.0)
    apart = lambda means: np.ptp(means, axis=0) / pooled
    return Balance(
        tuple(features), apart(mean), apart(_moments(training.x, own / propensity.chances)[0])
    )


def _moments(x: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return means and standard deviations [g d] of every group, given weights [n g]."""
    share = (weight / weight.sum(axis=0)).T
    mean = share @ x
    return mean, np.sqrt(np.maximum(share @ x**2 - mean**2, 0))


def _grouped(
    training: Training, treatment: Treatment
) -> tuple[tuple[str, ...], np.ndarray, Propensity]:
    """Return the groups' names, each row's group, and who is in which."""
    if isinstance(treatment, Arms):
        return tuple(map(str, treatment.labels)), training.t.astype(int), training.propensity
    ends = np.unique(np.quantile(training.t, (1 / 3, 2 / 3)))
    group = np.unique(np.searchsorted(ends, training.t), return_inverse=True)[1]
    amounts = [treatment.amount(training.t[group == g]) for g in range(int(group.max()) + 1)]
    names = tuple(f"{amount.min():g} to {amount.max():g}" for amount in amounts)
    return names, group, Propensity(training.x, group.astype(float), training.weight)
