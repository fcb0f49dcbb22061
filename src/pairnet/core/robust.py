"""The doubly robust score of a row, for arrays of numpy and of JAX alike."""

from __future__ import annotations

from typing import Any


def doubly_robust_score(
    effect: Any, residuals: tuple[Any, Any], mine: tuple[Any, Any], chances: tuple[Any, Any]
) -> Any:
    """Return an unbiased, noisy estimate of each row's effect (Robins et al., 1994).

    It is the model's effect of the row, plus the row's residual under the treatment that it
    received, weighted by 1 / P(treatment | x). It is right on average if the model of outcomes or
    that of the chances is right. All pairs are (under T0, under T1); `mine` is 1 where a row was
    treated so, else 0.
    """
    return effect + mine[1] * residuals[1] / chances[1] - mine[0] * residuals[0] / chances[0]
