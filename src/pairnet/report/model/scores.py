"""Effects judged by outcomes: doubly robust scores, the gain of treating some rows.

The average of scores over many rows is an estimate that does not trust the model alone.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from pairnet.core.robust import doubly_robust_score
from pairnet.inference.averages import doubly_robust_of_fit, of_scores
from pairnet.inference.intervals import Estimate
from pairnet.inference.scores import Scores
from pairnet.model.groups import held_out
from pairnet.report.model.subject import Subject

RESAMPLES = 300
SHARES_TREATED = np.linspace(0, 1, 41)


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows that outcomes can judge: scores, and effects by what has not seen the row.

    Both are in the reader's units; `average` is the doubly robust average in those of the outcome.
    possible: the smallest and the largest effect that the outcome allows.
    """

    effect: Float[np.ndarray, " n"]
    score: Float[np.ndarray, " n"]
    average: Estimate
    possible: tuple[float, float] = (-math.inf, math.inf)

    def mean(self, rows: np.ndarray | slice = slice(None)) -> tuple[float, float]:
        """Return the mean score of some rows and its standard error."""
        some = self.score[rows]
        error = some.std(ddof=1) / np.sqrt(len(some)) if len(some) > 1 else np.nan
        return float(some.mean().clip(*self.possible)), float(error)


def scored(subject: Subject, label: Hashable | None = None) -> Scored:
    """Return the scores of the rows that have outcomes, for one arm against the first.

    If `label` is left out, the arm is the one that the report asks about.
    """
    assert subject.t is not None
    assert subject.y is not None
    first, label = subject.labels[0], subject.labels[1] if label is None else label
    question, scale = subject.question.comparing(first, label), subject.scale
    low, high = subject.possible(np.array([-np.inf, np.inf])).tolist()
    if subject.is_memory:
        judged = question.targeting("all").scores
        effect, unseen = held_out(question)
        effect = np.where(unseen, effect, judged.effect) * scale
        return Scored(effect, judged.score * scale, question.doubly_robust, (low, high))
    effect, residuals, mine, chances = question.effect * scale, [], [], []
    for side in (first, label):
        arm = int(subject.inside(side))
        here, chance = subject.t == arm, subject.chances[:, arm]
        residuals.append(subject.y - subject.outcomes(side).mean(axis=0))
        mine.append(here)
        chances.append(chance * max((here / chance).mean(), 1e-12))
    score = doubly_robust_score(effect, tuple(residuals), tuple(mine), tuple(chances))
    average = of_scores(score / scale) if subject.target == "all" else _of_target(subject, label)
    return Scored(effect, score, average, (low, high))


def _of_target(subject: Subject, label: Hashable) -> Estimate:
    """Return the doubly robust average over the target of rows that have outcomes of their own."""
    arms = [int(subject.inside(side)) for side in (subject.labels[0], label)]
    propensity, scale = subject.memory.propensity, subject.scale
    members = np.stack([subject.outcomes(side) for side in (subject.labels[0], label)]) / scale
    of_arms = lambda chances: chances[:, arms].T[None]
    assert subject.t is not None
    assert subject.y is not None
    judged = Scores(
        y=subject.y / scale,
        weight=np.ones(len(subject.x)),
        mine=np.stack([subject.t == arm for arm in arms]),
        chances=of_arms(propensity.of(subject.x)),
        members=members,
        unseen=np.ones(members.shape[1:], bool),
        light=np.zeros((1, *members.shape[::2])),
        predicted=of_arms(propensity.predicted(subject.x)),
    )
    return doubly_robust_of_fit(judged.of(subject.target))


@dataclass(frozen=True, eq=False)
class Gain:
    """The gain per row of the whole table of treating a share of the rows, the best ones first."""

    share: Float[np.ndarray, " q"]
    gain: Float[np.ndarray, " q"]
    low: Float[np.ndarray, " q"]
    high: Float[np.ndarray, " q"]
    everyone: float  # the gain of treating all rows
    area: float  # between the curve and the line of random choice: the Qini coefficient
    area_interval: tuple[float, float]


def gain_curve(judged: Scored, goal: int, *, seed: int = 0) -> Gain:
    """Return the gain of treating rows in the order of their effects.

    The band is the 2.5th to the 97.5th percentile of resampled rows.
    """
    rng = np.random.default_rng(seed)
    lots = rng.permutation(len(judged.effect))  # between rows whose effects are the same
    order = np.lexsort((lots, -goal * judged.effect))
    score = judged.score[order]
    curve, area = _curve(score, np.ones((1, len(score))))
    counts = rng.multinomial(len(score), np.full(len(score), 1 / len(score)), size=RESAMPLES)
    curves, areas = _curve(score, counts.astype(float))
    low, high = np.percentile(curves, (2.5, 97.5), axis=0)
    first, last = np.percentile(areas * goal, (2.5, 97.5))
    return Gain(
        SHARES_TREATED,
        curve[0],
        low,
        high,
        float(curve[0, -1]),
        float(area[0] * goal),
        (float(first), float(last)),
    )


def _curve(score: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return gains at every share and the area above the straight line, for each resample."""
    treated = np.cumsum(counts, axis=1) / counts.sum(axis=1, keepdims=True)
    gained = np.cumsum(counts * score, axis=1) / counts.sum(axis=1, keepdims=True)
    curves = np.stack(
        [
            np.interp(SHARES_TREATED, np.append(0.0, a), np.append(0.0, b))
            for a, b in zip(treated, gained, strict=True)
        ]
    )
    straight = SHARES_TREATED * curves[:, -1:]
    return curves, np.trapezoid(curves - straight, SHARES_TREATED, axis=1)
