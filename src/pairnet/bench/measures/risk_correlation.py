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
    """How a loss correlates with the true error of effects over candidate models drawn from
    Gaussian processes.

    The losses are the factual one, the pair loss with the nearest row of the other arm, and the
    pair loss without the product of residuals.
    """

    loss: Literal["factual", "pair", "pair without alignment"]

    def __call__(self, study, numbers, report=None):
        """Return the correlation in every replication; candidates depend on the replication's
        number alone."""
        x, t, y = study.rows.x[..., 0], study.rows.t, study.rows.y
        kernels = [(mu, tau) for mu in LEVELS for tau in EFFECTS for _ in range(SAMPLES)]
        found = []
        for k, number in enumerate(numbers):
            rng = np.random.default_rng([number, 4])
            level = np.stack([sample(x[k : k + 1], mu, rng)[0] for mu, _ in kernels])
            effect = np.stack(
                [sample(x[k : k + 1], tau, rng)[0] for _, tau in kernels]
            )  # [candidates n]
            residual = y[k] - level - t[k] * effect
            apart = np.where(
                t[k][:, None] == t[k][None, :], np.inf, np.abs(x[k][:, None] - x[k][None, :])
            )
            theirs = residual[:, apart.argmin(axis=-1)]
            squares = {
                "factual": residual**2,
                "pair": (residual - theirs) ** 2,
                "pair without alignment": residual**2 + theirs**2,
            }
            risk = np.mean((study.effect(study.train)[k] - effect) ** 2, axis=-1)
            found.append(np.corrcoef(squares[self.loss].mean(axis=-1), risk)[0, 1])
        return {"correlation": np.asarray(found)}
