"""Both sides of Theorem 5.9's bound on the risk of effects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pairnet.bench.measures.base import AbstractMeasureOfMethod
from pairnet.bench.measures.divergence import nearest_partners
from pairnet.core.types import Rows
from pairnet.model.replications import Replications

STEPS = 2001  # points of the line on which Lipschitz constants are measured


@dataclass(frozen=True)
class Bound(AbstractMeasureOfMethod):
    """The risk of a method's effects and its bound, on the study of two Gaussians.

    With r_t(x) = mu*(x, t) - mu(x, t), noise-free as in the paper: risk = E (r_1 - r_0)^2 and, for
    the pair loss,

        bound = E (r_t(x) - r_t'(x'))^2 + sum_t u_t [B W(p_t, q_t) + 2 K_t' delta sqrt(E_t r_t^2)]

    and for the factual loss 2 (E_0 r_0^2 + E_1 r_1^2 + B W(p_1, p_0)). The distance is
    Wasserstein's, so B and K are the Lipschitz constants of r_t^2 and r_t over the range of the
    rows; delta is the largest distance of a row to its partner, its nearest row of the other arm.
    """

    pairs: bool

    def __call__(self, study, numbers, report=None):
        fitted = self.method.fit_replications(
            study.part(study.train), study.treatment, numbers=numbers, report=report
        )
        test = study.part(study.test)
        line = np.linspace(float(test.x.min()), float(test.x.max()), STEPS)
        sides = _sides_with_pairs if self.pairs else _sides_without_pairs
        residuals = _truth(line) - _outcomes(fitted, line)
        values = [
            sides(_Residuals(line, residuals[k]), test.x[k, :, 0], test.t[k])
            for k in range(len(study))
        ]
        return {name: np.asarray([value[name] for value in values]) for name in values[0]}


def _truth(line: np.ndarray) -> np.ndarray:
    """Return what the study `gaussians` expects on the line, [arm, point]."""
    level = np.sin(2 * line) + line
    return np.stack([level, level + 1 + line / 2])


def _outcomes(fitted: Replications, line: np.ndarray) -> np.ndarray:
    """Return what was learned on the line, [replication, arm, point]."""
    arms = (np.zeros(()), np.ones(()))
    return np.stack([fitted.outcome(line[:, None], arm).mean(axis=1) for arm in arms], axis=1)


class _Residuals:
    """Residuals r_t on a line, and their Lipschitz constants."""

    def __init__(self, line: np.ndarray, residuals: np.ndarray):
        self.line, self.residuals = line, residuals
        self.step = line[1] - line[0]

    @property
    def slopes(self) -> np.ndarray:
        """The Lipschitz constants of r_0 and r_1."""
        return np.abs(np.diff(self.residuals, axis=1)).max(axis=1) / self.step

    @property
    def slopes_of_squares(self) -> np.ndarray:
        """The Lipschitz constants of r_0^2 and r_1^2."""
        return np.abs(np.diff(self.residuals**2, axis=1)).max(axis=1) / self.step

    def at(self, x: np.ndarray) -> np.ndarray:
        """Return r_0 and r_1 of rows, [arm, row]."""
        return np.stack([np.interp(x, self.line, r) for r in self.residuals])


def _risk_and_errors(at: np.ndarray, t: np.ndarray) -> tuple[float, list[float]]:
    """Return the risk of effects, and the mean square of each arm's residuals."""
    errors = [float(np.mean(at[arm][t == arm] ** 2)) for arm in (0, 1)]
    return float(np.mean((at[1] - at[0]) ** 2)), errors


def _sides_without_pairs(residuals: _Residuals, x: np.ndarray, t: np.ndarray) -> dict[str, float]:
    from scipy.stats import wasserstein_distance

    risk, errors = _risk_and_errors(residuals.at(x), t)
    distance = wasserstein_distance(x[t == 1], x[t == 0])
    loss = errors[0] + errors[1]
    bound = 2 * (loss + residuals.slopes_of_squares.max() * distance)
    return {"risk": risk, "loss": loss, "distance": distance, "bound": bound}


def _sides_with_pairs(residuals: _Residuals, x: np.ndarray, t: np.ndarray) -> dict[str, float]:
    from scipy.stats import wasserstein_distance

    at = residuals.at(x)
    risk, errors = _risk_and_errors(at, t)
    own = np.take_along_axis(at, t[None].astype(int), 0)[0]
    partner = nearest_partners(Rows(x[:, None], t, t, np.ones(len(t))))
    loss = float(np.mean((own - own[partner]) ** 2))
    delta = float(np.abs(x - x[partner]).max())
    bound, distance = loss, 0.0
    for arm in (0, 1):
        share = float((t == arm).mean())
        apart = wasserstein_distance(x[t == arm], x[partner[t == arm]])
        distance += share * apart
        slope, slope_of_square = residuals.slopes[1 - arm], residuals.slopes_of_squares[1 - arm]
        bound += share * (slope_of_square * apart + 2 * slope * delta * np.sqrt(errors[arm]))
    return {"risk": risk, "loss": loss, "distance": distance, "bound": bound}
