"""Average effects with their errors: by the members, and corrected by outcomes (doubly robust)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from pairnet.inference.intervals import Estimate


class Side(NamedTuple):
    """The rows of one arm: how far off a model was for each, and how much each counts.

    The weight is 1 / P(arm | x), so that the rows of the arm stand for all rows.
    """

    residual: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]

    @property
    def share(self) -> Float[np.ndarray, " n"]:
        """The weights, adding up to 1."""
        return np.asarray(self.weight / self.weight.sum())


def of_members(effects: Float[np.ndarray, "m n"]) -> Estimate:
    """Return the average of bootstrapped members' effects.

    Its error holds the spread of the members' averages, and the chance in which rows were sampled.
    """
    count = len(effects)
    of_fit = float(effects.mean(axis=1).var(ddof=1)) * (1 + 1 / count)
    errors = _sum_of_errors((of_fit, count - 1), _sampling(effects.mean(axis=0)))
    return Estimate(float(effects.mean()), *errors)


def doubly_robust(effect: Float[np.ndarray, " n"], treated: Side, control: Side) -> Estimate:
    """Return the average effect corrected by weighted residuals of observed rows (AIPW).

    average = mean of tau(x) over the rows asked about + [mean residual under T1] - [mean residual
    under T0], the means weighted by 1 / P(t | x). It is right if the outcome model or the
    propensities are, and its standard error needs no bootstrap.
    """
    value, errors = float(effect.mean()), [_sampling(effect)]
    for side, sign in ((treated, 1), (control, -1)):
        share = side.share
        mean = float(share @ side.residual)
        value += sign * mean
        errors.append((float(share**2 @ (side.residual - mean) ** 2), len(share) - 1))
    return Estimate(value, *_sum_of_errors(*errors))


def of_scores(score: Float[np.ndarray, " n"]) -> Estimate:
    """Return the doubly robust average of rows that have scores of their own."""
    variance, freedom = _sampling(score)
    return Estimate(float(score.mean()), float(np.sqrt(variance)), freedom)


def _sampling(effect: np.ndarray) -> tuple[float, int]:
    """Return the variance of the mean of effects, since rows are a sample, and its freedom."""
    count = len(effect)
    return (float(effect.var(ddof=1)) / count, count - 1) if count > 1 else (0.0, 1)


def _sum_of_errors(*parts: tuple[float, int]) -> tuple[float, float]:
    """Return the standard error of a sum of independent parts and its degrees of freedom.

    The parts are variances with their freedom (Welch-Satterthwaite).
    """
    total = sum(variance for variance, _ in parts)
    if total <= 0:
        return 0.0, 1.0
    terms = (variance**2 / freedom for variance, freedom in parts if freedom > 0)
    return float(np.sqrt(total)), total**2 / sum(terms)
