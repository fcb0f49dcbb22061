"""How a stack weighs its learners: by what they say about rows that they have not seen.

`aggregated` is Q-aggregation (Lecue and Rigollet, 2014; for effects Lan and Syrgkanis, 2023): of
all shares w it takes those that make (1 - NU) loss(sum_c w_c f_c) + NU sum_c w_c loss(f_c) least.
The second part keeps learners out that are bad by themselves. `docs/plans.md` says how NU was set.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from pairnet.inference.mixing import shares_with_least

NU = 0.3
NU_OF_OUTCOMES = 0.7  # of the mixture of outcomes, whose level bad learners would spoil
LEAST_SHARE = 0.005  # a learner with less has no weight
LEAST_CHANCE = 0.02  # chances of arms are kept this far from 0


class Task(NamedTuple):
    """A regression whose coefficients are shares: target ~ answers @ shares, rows weighed."""

    answers: Float[np.ndarray, "n c"]
    target: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]

    @property
    def losses(self) -> Float[np.ndarray, " c"]:
        """The mean squared error of each learner alone."""
        off = (self.target[:, None] - self.answers) ** 2
        return np.asarray(self.weight @ off / self.weight.sum())

    def shares(self, nu: float = NU) -> Float[np.ndarray, " c"]:
        """Return the learners' shares by Q-aggregation; nu = 0 is plain stacking."""
        weight = self.weight / self.weight.sum()
        gram = (self.answers * weight[:, None]).T @ self.answers
        moment = self.answers.T @ (weight * self.target)
        shares = shares_with_least((1 - nu) * gram, (1 - nu) * moment - nu * self.losses / 2)
        shares = np.where(shares < LEAST_SHARE, 0, shares)
        return shares / shares.sum()


def factual(own: Float[np.ndarray, "n c"], y: np.ndarray, weight: np.ndarray) -> Task:
    """Return the task of predicting outcomes under the rows' own treatments."""
    return Task(own, y, weight)


def residuals(
    effects: Float[np.ndarray, "n c k"],
    t: Int[np.ndarray, " n"],
    y: np.ndarray,
    expected: Float[np.ndarray, " n"],
    chances: Float[np.ndarray, "n k"],
    weight: np.ndarray,
) -> Task:
    """Return the task whose loss is the R-loss, for any number of arms.

    It is |y - m(x) - sum_a (1[t = a] - e_a(x)) tau_a(x)|^2. effects: tau_a of each arm against the
    first. expected: m(x), the outcome that is expected of a row before its arm is known.
    """
    return Task(_off_expected(effects, t, chances), y - expected, weight)


def pairs(own: Float[np.ndarray, "n c"], y: np.ndarray, weight: np.ndarray) -> Task:
    """Return the task whose loss is that of pairs of rows: (y - y') - (f - f').

    Averaged over all pairs it is twice the variance of the residuals, so both sides are centred.
    """
    share = weight / weight.sum()
    return Task(own - share @ own, y - share @ y, weight)


def alike(t: Int[np.ndarray, " n"], weight: np.ndarray) -> Float[np.ndarray, " n"]:
    """Return weights of rows under which every arm weighs the same."""
    return np.asarray(weight / np.bincount(t, weight)[t])


def one_effect(
    t: Int[np.ndarray, " n"],
    y: np.ndarray,
    expected: np.ndarray,
    chances: Float[np.ndarray, "n k"],
    weight: np.ndarray,
) -> Float[np.ndarray, " k"]:
    """Return the effect of each arm against the first, one for all rows, with the least R-loss."""
    off = np.eye(chances.shape[1])[t][:, 1:] - chances[:, 1:]
    root = np.sqrt(weight)
    effects = np.linalg.lstsq(off * root[:, None], (y - expected) * root, rcond=None)[0]
    return np.concatenate([[0.0], effects])


def clipped(chances: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
    """Return chances that are not too near to 0, and add up to 1."""
    kept = np.maximum(chances, LEAST_CHANCE)
    return kept / kept.sum(axis=1, keepdims=True)


def _off_expected(
    values: Float[np.ndarray, "n c k"], t: np.ndarray, chances: np.ndarray
) -> Float[np.ndarray, "n c"]:
    """Return how far values of the rows' own arms are from those expected before it is known."""
    own = np.take_along_axis(values, t[:, None, None], axis=2)[:, :, 0]
    return own - np.einsum("nck,nk->nc", values, chances)
