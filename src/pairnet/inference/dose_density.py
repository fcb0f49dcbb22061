"""How rare a dose was for people like this: f(dose) / f(dose | covariates), by a light model.

Doses are first put in the order of a normal distribution (normal scores), so that neither their
unit nor their shape matters. Their mean given the covariates is a ridge regression, cross-fitted on
several splits of the rows; around it errors are spread alike for all rows, as they were observed.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float
from scipy import stats

from pairnet.inference.outcome_model import outcome_model

MOST_RARE = 20.0  # no row counts more often than this
POINTS = 400  # at which densities are worked out


def rarity(
    x: Float[np.ndarray, "n d"], dose: Float[np.ndarray, " n"], weight: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " n"]:
    """Return f(dose) / f(dose | x) of every row, averaged over the splits.

    Weighted by it, rows of every dose have the covariates of all rows.
    """
    share = weight / weight.sum()
    score = stats.norm.ppf(stats.rankdata(dose) / (len(dose) + 1))
    expected = outcome_model(x, score, np.zeros(len(dose)), weight)[:, 0]
    return np.asarray(np.mean([_rarity(score, mean, share) for mean in expected], axis=0))


def _rarity(score: np.ndarray, mean: np.ndarray, share: np.ndarray) -> Float[np.ndarray, " n"]:
    error = score - mean
    width = max(1.06 * float(np.sqrt(share @ error**2)) * len(error) ** -0.2, 1e-3)  # Scott's
    errors = np.linspace(error.min() - 4 * width, error.max() + 4 * width, POINTS)
    density = stats.norm.pdf((errors[:, None] - error) / width) @ share
    given = lambda gap: np.interp(gap, errors, density, left=0.0, right=0.0)
    scores = np.linspace(score.min(), score.max(), POINTS)
    overall = np.array([share @ given(point - mean) for point in scores])
    ratio = np.interp(score, scores, overall) / np.maximum(given(error), 1e-12)
    return np.minimum(ratio, MOST_RARE)
