"""Effects judged by outcomes: doubly robust scores, the gain of treating those who should gain
most, and calibration.

A row's doubly robust score is an unbiased, noisy view of its effect: what the model says, plus its
residual weighted by 1 / P(arm | x) if it was in one of the two arms (Robins et al., 1994). It is
right on average if the model of outcomes or that of the chances is. Averages over many rows are
estimates that do not trust the model alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from pairnet.report.model_view import View

RESAMPLES = 300
SHARES = np.linspace(0, 1, 41)


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows that can be judged: the effect that was said of each without its own outcome, and its
    score."""

    effect: Float[np.ndarray, " n"]
    score: Float[np.ndarray, " n"]
    place: np.ndarray  # of these rows among those of the view

    def mean(self, rows: np.ndarray | slice = slice(None)) -> tuple[float, float]:
        """Return the mean score of some rows and its standard error."""
        some = self.score[rows]
        return float(some.mean()), float(some.std(ddof=1) / np.sqrt(len(some))) if len(
            some
        ) > 1 else float("nan")


def scored(view: View) -> Scored:
    """Return the scores of the rows that have outcomes; for arms."""
    assert view.t is not None
    assert view.y is not None
    place = np.flatnonzero(view.judged)
    effect = view.trusted(view.members)[place]
    score = effect.copy()
    for label, sign in ((view.labels[1], 1), (view.labels[0], -1)):
        arm = int(view.inside(label))
        here = view.t[place] == arm
        weight = here / view.chances[place, arm]
        residual = view.y[place] - view.trusted(view.outcomes(label))[place]
        score += sign * weight / max(weight.mean(), 1e-12) * residual
    return Scored(effect, score, place)


@dataclass(frozen=True, eq=False)
class Gain:
    """What is gained, per row of the whole table, by treating a share of the rows, best first."""

    share: Float[np.ndarray, " q"]
    gain: Float[np.ndarray, " q"]
    low: Float[np.ndarray, " q"]
    high: Float[np.ndarray, " q"]
    everyone: float  # treating all
    area: float  # between the curve and treating as many at random: the Qini coefficient
    area_interval: tuple[float, float]


def gain_curve(found: Scored, goal: int, *, seed: int = 0) -> Gain:
    """Treat rows in the order of their effects; the band is the 2.5th to 97.5th percentile of
    resampled rows."""
    order = np.argsort(-goal * found.effect, kind="stable")
    score = found.score[order]
    rng = np.random.default_rng(seed)
    curve, area = _curve(score, np.ones((1, len(score))))
    counts = rng.multinomial(len(score), np.full(len(score), 1 / len(score)), size=RESAMPLES)
    curves, areas = _curve(score, counts.astype(float))
    low, high = np.percentile(curves, (2.5, 97.5), axis=0)
    first, last = np.percentile(areas * goal, (2.5, 97.5))
    return Gain(
        SHARES,
        curve[0],
        low,
        high,
        float(curve[0, -1]),
        float(area[0] * goal),
        (float(first), float(last)),
    )


def _curve(score: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return gains at every share and the area above the straight line, for each resample of the
    rows."""
    treated = np.cumsum(counts, axis=1) / counts.sum(axis=1, keepdims=True)
    gained = np.cumsum(counts * score, axis=1) / counts.sum(axis=1, keepdims=True)
    curves = np.stack(
        [
            np.interp(SHARES, np.append(0.0, a), np.append(0.0, b))
            for a, b in zip(treated, gained, strict=True)
        ]
    )
    straight = SHARES * curves[:, -1:]
    return curves, np.trapezoid(curves - straight, SHARES, axis=1)


def calibration(found: Scored, groups: int = 5) -> list[tuple[float, float, float, int]]:
    """Return, for groups of rows from the smallest effect to the largest: effect said, mean score,
    its error, rows."""
    parts = np.array_split(np.argsort(found.effect, kind="stable"), groups)
    return [
        (float(found.effect[part].mean()), *found.mean(part), len(part))
        for part in parts
        if len(part) > 1
    ]
