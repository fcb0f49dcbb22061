"""How losses of candidate models correlate with their true error of effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pairnet.bench.measures.base import AbstractMeasure
from pairnet.studies.gp import sample

LEVELS = (1.0, 1.5, 2.0, 2.5, 3.0)  # kernels of candidate mu0
EFFECTS = (0.2, 0.5, 0.75, 1.0)  # and of candidate tau
SAMPLES = 9  # of each pair of kernels


@dataclass(frozen=True)
class RiskCorrelation(AbstractMeasure):
    """How a loss correlates with the true error of effects over candidate models.

    The candidates are drawn from Gaussian processes, from the replication's number alone. The
    losses are the factual one, the pair loss with the nearest row of the other arm, and the pair
    loss without the product of residuals.
    """

    loss: Literal["factual", "pair", "pair without alignment"]

    def __call__(self, study, numbers, report=None):
        x, t, y = study.rows.x[..., 0], study.rows.t, study.rows.y
        truth = study.effect(study.train)
        correlations = []
        for k, number in enumerate(numbers):
            level, effect = _candidates(x[k : k + 1], number)
            residual = y[k] - level - t[k] * effect
            loss = _squares(self.loss, residual, residual[:, _nearest_others(x[k], t[k])])
            risk = np.mean((truth[k] - effect) ** 2, axis=-1)
            correlations.append(np.corrcoef(loss.mean(axis=-1), risk)[0, 1])
        return {"correlation": np.asarray(correlations)}


def _candidates(x: np.ndarray, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the levels mu0 and effects tau of all candidate models, [candidates, rows]."""
    kernels = [(mu, tau) for mu in LEVELS for tau in EFFECTS for _ in range(SAMPLES)]
    rng = np.random.default_rng([number, 4])
    level = np.stack([sample(x, mu, rng)[0] for mu, _ in kernels])
    effect = np.stack([sample(x, tau, rng)[0] for _, tau in kernels])
    return level, effect


def _nearest_others(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return the position of each row's nearest row of the other arm."""
    distance = np.abs(x[:, None] - x[None, :])
    return np.where(t[:, None] == t[None, :], np.inf, distance).argmin(axis=-1)


def _squares(loss: str, residual: np.ndarray, partners: np.ndarray) -> np.ndarray:
    match loss:
        case "factual":
            return residual**2
        case "pair":
            return (residual - partners) ** 2
        case _:
            return residual**2 + partners**2
