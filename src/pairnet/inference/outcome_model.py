"""What is expected of whom: a light, cross-fitted model of outcomes under every arm.

Doubly robust averages ask it about rows that every member of a model was trained on. It is a ridge
regression for each arm, on the covariates and on bent covariates, and it is fitted on several
splits of the rows.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int
from threadpoolctl import threadpool_limits

from pairnet.inference.features import bent, standardised
from pairnet.inference.splits import fold_of, splits_of

PENALTIES = np.geomspace(1e-4, 100, 13)  # tried for each arm; the largest leaves only its mean
MOST_BENT, MOST_FEATURES = 100, 1000  # with more columns these are not bent, or not used at all


def outcome_model(
    x: Float[np.ndarray, "n d"],
    y: Float[np.ndarray, " n"],
    t: Float[np.ndarray, " n"],
    weight: Float[np.ndarray, " n"],
    clusters: Int[np.ndarray, " n"] | None = None,
    splits: int | None = None,
) -> Float[np.ndarray, "s k n"]:
    """Return the expected outcome of every row under every arm, by split and arm.

    Each comes from a regression that has not seen the row, nor its cluster. splits: how many (left
    out: as many as the rows call for).
    """
    features = _features(x)
    arms = range(int(t.max()) + 1)
    by_split = []
    with threadpool_limits(1):  # products are small: threads would wait for one another
        for split in range(splits or splits_of(len(y))):
            fold = fold_of(t, split, clusters)
            by_split.append([_of_arm(features, y, weight * (t == arm), fold) for arm in arms])
    return np.asarray(by_split)


def _features(x: np.ndarray) -> np.ndarray:
    if x.shape[1] > MOST_FEATURES:
        return np.zeros((len(x), 0))
    z = standardised(x)
    return bent(z) if x.shape[1] <= MOST_BENT else z


def _of_arm(
    features: np.ndarray, y: np.ndarray, weight: np.ndarray, fold: Int[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Return what regressions on the rows with a weight expect of all rows of the other folds.

    The penalty is the one that is best for rows not seen.
    """
    predicted = np.zeros((len(PENALTIES), len(y)))
    for number in range(int(fold.max()) + 1):
        unseen = fold == number
        some = np.flatnonzero(~unseen & (weight > 0))
        predicted[:, unseen] = _ridge(features[some], y[some], weight[some], features[unseen])
    loss = ((y - predicted) ** 2 * weight).sum(axis=1)
    return predicted[np.argmin(loss)]


def _ridge(
    x: np.ndarray, y: np.ndarray, weight: np.ndarray, asked: np.ndarray
) -> Float[np.ndarray, "p m"]:
    """Return what a ridge regression with each of the penalties predicts for the rows asked."""
    share = weight / weight.sum()
    centre, level = share @ x, float(share @ y)
    weighted = (x - centre) * share[:, None]
    size, axes = np.linalg.eigh(weighted.T @ (x - centre))
    moment = axes.T @ (weighted.T @ (y - level))
    along = moment / (np.maximum(size, 0) + PENALTIES[:, None])
    return np.asarray(level + along @ axes.T @ (asked - centre).T)
