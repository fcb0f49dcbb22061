"""Effects judged by outcomes: doubly robust scores, the gain of treating some rows.

The average of scores over many rows is an estimate that does not trust the model alone.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from pairnet.inference.averages import doubly_robust_of_fit, of_scores
from pairnet.inference.intervals import Estimate
from pairnet.metrics import qini_coefficient, qini_curve
from pairnet.model.groups import held_out
from pairnet.model.whom import judged_others
from pairnet.report.model.subject import Subject

SHARES_TREATED = np.linspace(0, 1, 21)


@dataclass(frozen=True, eq=False)
class Scored:
    """Rows that outcomes can judge: scores, and effects by what has not seen the row.

    Both are in the reader's units; `average` is the doubly robust average in those of the outcome.
    possible: the smallest and the largest effect that the outcome allows. weight, clusters: how
    much rows count (None: all alike), and which belong together.
    """

    effect: Float[np.ndarray, " n"]
    score: Float[np.ndarray, " n"]
    average: Estimate
    possible: tuple[float, float] = (-math.inf, math.inf)
    weight: Float[np.ndarray, " n"] | None = None
    clusters: Int[np.ndarray, " n"] | None = None

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
        own = question.doubly_robust, (low, high), judged.weight, judged.clusters
        return Scored(effect, judged.score * scale, *own)
    arms = int(subject.inside(first)), int(subject.inside(label))
    rows = subject.x, subject.y / scale, subject.t, np.ones(len(subject.x))
    judged = judged_others(subject.model, *rows, arms)
    average = of_scores(judged.score)
    if subject.target != "all":
        average = doubly_robust_of_fit(judged.of(subject.target))
    return Scored(question.effect * scale, judged.score * scale, average, (low, high))


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


def gain_curve(judged: Scored, goal: int) -> Gain:
    """Return the gain of treating rows in the order of their effects.

    The band holds each point of the curve with a chance of 95 %.
    """
    own: dict[str, Any] = {"weight": judged.weight, "clusters": judged.clusters}
    curve = qini_curve(judged.score, goal * judged.effect, shares=SHARES_TREATED[1:], **own)
    area = qini_coefficient(goal * judged.score, goal * judged.effect, **own)
    gain, low, high = (np.append(0.0, ends) for ends in (curve.value, curve.lower, curve.upper))
    ends = area.lower, area.upper
    return Gain(SHARES_TREATED, gain, low, high, float(gain[-1]), area.value, ends)
