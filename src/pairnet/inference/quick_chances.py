"""P(arm | covariates) in a moment: cross-fitted logistic regressions, by Newton's method.

It is the model of `propensity.py` for what is estimated again and again: one split of the rows, no
answers about other rows, and one regression for each arm, which are brought to the sum 1.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int
from scipy.special import expit

from pairnet.inference.features import bent, standardised
from pairnet.inference.propensity import bounded
from pairnet.inference.splits import fold_of

PENALTY = 1.0  # of squared slopes, as in scikit-learn
STEPS, ENOUGH = 25, 1e-6
MOST_BENT = 40  # columns; with more only lines are tried
LONGEST = 8.0  # of a step in log odds, so that separated arms do not run away


def quick_chances(
    x: Float[np.ndarray, "n d"],
    t: Float[np.ndarray, " n"],
    weight: Float[np.ndarray, " n"],
    clusters: Int[np.ndarray, " n"] | None = None,
) -> Float[np.ndarray, "n k"]:
    """Return the chances of every arm for every row, by models that have not seen the row.

    Covariates are bent if that foretells the arms of unseen rows better. No chance is too small to
    divide by.
    """
    z, fold, arms = standardised(x), fold_of(t, 0, clusters), int(t.max()) + 1
    tried = [z, bent(z)] if x.shape[1] <= MOST_BENT else [z]
    found = [_cross_fitted(features, t, weight, fold, arms) for features in tried]
    own = [np.take_along_axis(one, t.astype(int)[:, None], axis=1)[:, 0] for one in found]
    return found[int(np.argmax([weight @ np.log(chance) for chance in own]))]


def _cross_fitted(
    features: np.ndarray, t: np.ndarray, weight: np.ndarray, fold: np.ndarray, arms: int
) -> Float[np.ndarray, "n k"]:
    chances = np.zeros((len(t), arms))
    design = np.column_stack([np.ones(len(t)), features])
    for number in range(int(fold.max()) + 1):
        seen, unseen = fold != number, fold == number
        own = range(1, arms) if arms == 2 else range(arms)
        for arm in own:
            line = _logistic(design[seen], (t[seen] == arm).astype(float), weight[seen])
            chances[unseen, arm] = expit(design[unseen] @ line)
    if arms == 2:
        chances[:, 0] = 1 - chances[:, 1]
    return bounded(np.maximum(chances, 1e-12) / np.maximum(chances, 1e-12).sum(1, keepdims=True))


def _logistic(x: np.ndarray, yes: np.ndarray, weight: np.ndarray) -> Float[np.ndarray, " p"]:
    """Return the coefficients of a logistic regression with a penalty, the level first."""
    penalty = np.full(x.shape[1], PENALTY)
    penalty[0] = 0.0
    line = np.zeros(x.shape[1])
    rate = np.clip(np.average(yes, weights=weight), 1e-3, 1 - 1e-3)
    line[0] = np.log(rate / (1 - rate))
    for _ in range(STEPS):
        chance = expit(x @ line)
        pull = x.T @ (weight * (yes - chance)) - penalty * line
        spread = np.maximum(weight * chance * (1 - chance), 1e-9)
        bend = (x * spread[:, None]).T @ x
        bend[np.diag_indices_from(bend)] += penalty + 1e-9
        step = np.linalg.solve(bend, pull)
        longest = float(np.abs(x @ step).max())
        line = line + step * min(1.0, LONGEST / max(longest, 1e-12))
        if longest < ENOUGH:
            break
    return line
