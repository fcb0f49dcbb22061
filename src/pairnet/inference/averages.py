"""Average effects with their errors: by members or a stack, and corrected by outcomes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from pairnet.inference.clusters import variance_of_mean
from pairnet.inference.intervals import (
    FOLDS_FACTOR,
    LEARNERS_FACTOR,
    Estimate,
    disagreement,
)
from pairnet.inference.scores import Scores


class Counted(NamedTuple):
    """How rows count: their shares, which add up to 1 (None: all alike), and their clusters."""

    share: Float[np.ndarray, " n"] | None = None
    clusters: Int[np.ndarray, " n"] | None = None

    def mean(self, values: Float[np.ndarray, "*m n"]) -> Float[np.ndarray, "*m"]:
        """Return the average of the rows' values."""
        return np.asarray(values.mean(axis=-1) if self.share is None else values @ self.share)

    def sampling(self, values: Float[np.ndarray, " n"]) -> tuple[float, int]:
        """Return the variance of the average, since rows are a sample, and its freedom."""
        return variance_of_mean(values, self.share, self.clusters)


ALL_ALIKE = Counted()


def of_members(effects: Float[np.ndarray, "m n"], counted: Counted = ALL_ALIKE) -> Estimate:
    """Return the average of bootstrapped members' effects.

    Its error holds the spread of the members' averages, and the chance in which rows were sampled.
    """
    count, averages = len(effects), counted.mean(effects)
    of_fit = float(averages.var(ddof=1)) * (1 + 1 / count)
    errors = _sum_of_errors((of_fit, count - 1), counted.sampling(effects.mean(axis=0)))
    return Estimate(float(averages.mean()), *errors)


def of_folds(
    effects: Float[np.ndarray, "m n"],
    by_learner: Float[np.ndarray, "p n"],
    weights: Float[np.ndarray, " p"],
    counted: Counted = ALL_ALIKE,
) -> Estimate:
    """Return the average of a stack's effects.

    Its error holds the spread of its fold models' averages, that of its learners' averages, and the
    chance in which rows were sampled.
    """
    count, averages = len(effects), counted.mean(effects)
    of_fit = FOLDS_FACTOR * float(averages.var())
    of_learners = LEARNERS_FACTOR * float(disagreement(counted.mean(by_learner), weights)) ** 2
    others = max(len(weights) - 1, 1)
    errors = _sum_of_errors(
        (of_fit, count - 1), (of_learners, others), counted.sampling(effects.mean(axis=0))
    )
    return Estimate(float(averages.mean()), *errors)


def doubly_robust(
    effect: Float[np.ndarray, " n"],
    of_fit: Float[np.ndarray, " k"],
    scores: Scores,
    counted: Counted = ALL_ALIKE,
) -> Estimate:
    """Return the average effect corrected by outcomes of the rows of the fit (AIPW).

    average = mean of tau(x) over the rows asked about + mean of (score - tau(x)) over the rows of
    the fit. It is right if the model of outcomes or that of the chances is right, and its standard
    error needs no bootstrap. For the rows of the fit it is the mean of their scores. of_fit: tau(x)
    of the rows of the fit. counted: how the rows asked about count.
    """
    correction = scores.score - scores.of_target(of_fit)
    error = _sum_of_errors(
        counted.sampling(effect),
        variance_of_mean(correction, scores.share, scores.clusters),
        (scores.luck, len(scores.y) - 1),
    )
    return Estimate(float(counted.mean(effect) + scores.share @ correction), *error)


def doubly_robust_of_fit(scores: Scores) -> Estimate:
    """Return the average of the scores of the rows of the fit: the same, for these rows alone."""
    error = _sum_of_errors(
        variance_of_mean(scores.score, scores.share, scores.clusters),
        (scores.luck, len(scores.y) - 1),
    )
    return Estimate(float(scores.share @ scores.score), *error)


def of_scores(score: Float[np.ndarray, " n"]) -> Estimate:
    """Return the doubly robust average of rows that have scores of their own."""
    variance, freedom = variance_of_mean(score)
    return Estimate(float(score.mean()), float(np.sqrt(variance)), freedom)


def of_dose(outcomes: Float[np.ndarray, "m n"], correction: Estimate, luck: float) -> Estimate:
    """Return the average outcome under a dose, corrected by outcomes of the rows of the fit.

    outcomes: those expected of the rows asked about, by member. correction: what the rows of the
    fit correct. luck: the variance that the luck of members leaves in the sum.
    """
    error = _sum_of_errors(
        variance_of_mean(outcomes.mean(axis=0)),
        (correction.error**2, correction.freedom),
        (luck, max(len(outcomes) - 1, 1)),
    )
    return Estimate(float(outcomes.mean()) + correction.value, *error)


def _sum_of_errors(*parts: tuple[float, float | int]) -> tuple[float, float]:
    """Return the standard error of a sum of independent parts and its degrees of freedom.

    The parts are variances with their freedom (Welch-Satterthwaite).
    """
    total = sum(variance for variance, _ in parts)
    if total <= 0:
        return 0.0, 1.0
    terms = (variance**2 / freedom for variance, freedom in parts if freedom > 0)
    return float(np.sqrt(total)), total**2 / sum(terms)
