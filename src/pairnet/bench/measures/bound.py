"""Both sides of Theorem 5.9's bound on the risk of effects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pairnet.bench.measures.base import AbstractMeasure
from pairnet.bench.measures.divergence import nearest_partners
from pairnet.core.types import Rows
from pairnet.methods import NetworkEstimator

STEPS = 2001  # of the line on which Lipschitz constants are measured


@dataclass(frozen=True)
class Bound(AbstractMeasure):
    """The risk of a fitted method's effects and what the theorem bounds it by, on the toy study of
    two Gaussians.

    With r_t(x) = mu*(x, t) - mu(x, t), noise-free as in the paper: risk = E (r_1 - r_0)^2 and, for
    the pair loss,

        bound = E (r_t(x) - r_t'(x'))^2 + sum_t u_t [B W(p_t, q_t) + 2 K_t' delta sqrt(E_t r_t^2)]

    and for the factual loss 2 (E_0 r_0^2 + E_1 r_1^2 + B W(p_1, p_0)). The distance is
    Wasserstein's, so B and K are the Lipschitz constants of r_t^2 and r_t over the range of the
    rows; delta is the largest distance of a row to its partner, its nearest row of the other
    arm."""

    method: NetworkEstimator
    pairs: bool

    def __call__(self, study, numbers, report=None):
        """Fit, and take both sides on the test rows."""
        fitted = self.method.fit_replications(
            study.part(study.train), study.treatment, numbers=numbers, report=report
        )
        test = study.part(study.test)
        low, high = float(test.x.min()), float(test.x.max())
        line = np.linspace(low, high, STEPS)
        level = np.sin(2 * line) + line
        truth = np.stack([level, level + 1 + line / 2])  # as the study `gaussians` has it
        found: dict[str, list[float]] = {"risk": [], "loss": [], "distance": [], "bound": []}
        said = np.stack(
            [fitted.outcome(line[:, None], np.full((), arm)).mean(axis=1) for arm in (0.0, 1.0)],
            axis=1,
        )
        for k in range(len(study)):
            values = _sides(test.x[k, :, 0], test.t[k], line, truth - said[k], self.pairs)
            for name, value in values.items():
                found[name].append(value)
        return {name: np.asarray(values) for name, values in found.items()}


def _sides(
    x: np.ndarray, t: np.ndarray, line: np.ndarray, residual: np.ndarray, pairs: bool
) -> dict[str, float]:
    from scipy.stats import wasserstein_distance

    step = line[1] - line[0]
    slope, slope_of_squares = (
        np.abs(np.diff(r, axis=1)).max(axis=1) / step for r in (residual, residual**2)
    )
    at = np.stack([np.interp(x, line, r) for r in residual])  # [arm, row]
    own, mine = np.take_along_axis(at, t[None].astype(int), 0)[0], [t == arm for arm in (0, 1)]
    error = [float(np.mean(at[arm][mine[arm]] ** 2)) for arm in (0, 1)]
    risk = float(np.mean((at[1] - at[0]) ** 2))
    if not pairs:
        apart = wasserstein_distance(x[mine[1]], x[mine[0]])
        loss = error[0] + error[1]
        return {
            "risk": risk,
            "loss": loss,
            "distance": apart,
            "bound": 2 * (loss + slope_of_squares.max() * apart),
        }
    partner = nearest_partners(Rows(x[:, None], t, t, np.ones(len(t))))
    loss = float(np.mean((own - own[partner]) ** 2))
    delta = float(np.abs(x - x[partner]).max())
    total, distance = loss, 0.0
    for arm in (0, 1):
        share = float(mine[arm].mean())
        apart = wasserstein_distance(x[mine[arm]], x[partner[mine[arm]]])
        distance += share * apart
        total += share * (
            slope_of_squares[1 - arm] * apart + 2 * slope[1 - arm] * delta * np.sqrt(error[arm])
        )
    return {"risk": risk, "loss": loss, "distance": distance, "bound": total}
