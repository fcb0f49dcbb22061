"""A noisy, unbiased estimate of each row's effect, from its outcome and its chance of treatment."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.robust import doubly_robust_score
from pairnet.metrics.passed import numbers, weights

LEAST = 1e-9  # a row with a smaller chance would count more than all others


def effect_scores(
    y: Any, treatment: Any, *, propensity: Any = None, outcomes: Any = None, weight: Any = None
) -> Float[np.ndarray, " n"]:
    """Return the doubly robust score of each row, for two arms.

    score = mu1 - mu0 + t (y - mu1) / p - (1 - t) (y - mu0) / (1 - p): its mean is the average
    effect if p or mu are right (Robins, Rotnitzky and Zhao, 1994). The weights 1 / p of each arm
    are brought to the mean 1.

    treatment: 1 for the treated, 0 for the others. propensity: P(treated), one number or one a row:
    known, as in an experiment, or estimated by a model that has not seen the row; left out, the
    share of the treated, as in an experiment by lot. outcomes: the outcomes (mu0, mu1) expected
    without and with the treatment, by a model that has not seen the row; left out, the mean of
    either arm, which is enough where chances are known. The model's own scores of a fitted model
    are `model.targeting().scores`.
    """
    outcome = numbers("y", y)
    arm = numbers("treatment", treatment, len(outcome))
    weight = weights(weight, len(outcome))
    if not np.isin(arm, (0, 1)).all():
        raise BadInput("treatment", "must be 1 for the treated and 0 for the others")
    mine = (1 - arm, arm)
    if any((side * weight).sum() == 0 for side in mine):
        raise BadInput("treatment", "must have rows of both arms, with some weight")
    chance = _chances(propensity, arm, weight)
    share = weight / weight.sum()
    counts = [side / p for side, p in zip(mine, (1 - chance, chance), strict=True)]
    level = [max(float(share @ own), np.finfo(float).tiny) for own in counts]
    expected = _expected(outcomes, outcome, [share * own for own in counts])
    return np.asarray(
        doubly_robust_score(
            expected[1] - expected[0],
            (outcome - expected[0], outcome - expected[1]),
            mine,
            ((1 - chance) * level[0], chance * level[1]),
        )
    )


def _chances(propensity: Any, arm: np.ndarray, weight: np.ndarray) -> Float[np.ndarray, " n"]:
    if propensity is None:
        return np.full(len(arm), float(np.average(arm, weights=weight)))
    given = [propensity] * len(arm) if np.ndim(propensity) == 0 else propensity
    chance = numbers("propensity", given, len(arm))
    if not ((chance >= LEAST) & (chance <= 1 - LEAST)).all():
        problem = f"must be chances of the treatment, from {LEAST:g} to 1 - {LEAST:g}, got others"
        raise BadInput("propensity", problem)
    return chance


def _expected(
    outcomes: Any, y: np.ndarray, counts: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the expected outcomes of each row without and with the treatment."""
    if outcomes is None:
        first, second = (np.full(len(y), float(own @ y / own.sum())) for own in counts)
        return first, second
    try:
        first, second = outcomes
    except (TypeError, ValueError):
        raise BadInput(
            "outcomes",
            "must be two columns: those expected without, and those with the treatment",
        ) from None
    return numbers("outcomes", first, len(y)), numbers("outcomes", second, len(y))
