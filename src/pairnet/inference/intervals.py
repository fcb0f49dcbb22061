"""How sure an effect is: intervals from bootstrapped members, from held-out pairs, and of averages.

`docs/intervals.md` says what each one covers, what it does not, and what was measured.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import stats

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.treatments import Dose, Treatment
from pairnet.core.types import is_number
from pairnet.evidence.memory import Training
from pairnet.inference.resampling import generator
from pairnet.training import Fitted

Interval = tuple[np.ndarray, np.ndarray]

# the most rows of each treatment whose pairs calibrate an interval: 4 million pairs are enough
PAIRS = 2000
NEAR_SHARE, NEAR_ROWS = 0.2, 50  # held-out rows that are near a dose: a fifth of them, or so many


class Estimate(NamedTuple):
    """A number and how far off it may be."""

    value: float
    error: float  # standard error
    freedom: float  # degrees of freedom of the standard error


class Asked(NamedTuple):
    """A fitted model and what it is asked: treatments are inside units, one for all rows or one a
    row."""

    fitted: Fitted
    training: Training
    treatment: Treatment
    x: Float[np.ndarray, "n d"]
    t0: np.ndarray
    t1: np.ndarray

    @property
    def outcome(self) -> AbstractOutcome:
        """What the outcome is."""
        return self.fitted.reading.kind

    def members(self) -> Float[np.ndarray, "m n"]:
        """Return every member's effects."""
        return self.fitted.effect(self.x, self.t0, self.t1)[0]


def check_level(alpha: object) -> None:
    """Raise if alpha is no share of intervals that may miss."""
    if not (is_number(alpha) and 0 < alpha < 1):  # type: ignore[operator]
        raise ValueError(
            f"alpha must be the share of intervals that may miss, as 0.05 for 95 %, got {alpha!r}."
        )


def one_of(kind: object, known: tuple[str, ...]) -> None:
    """Raise for a kind that there is not."""
    if kind not in known:
        raise ValueError(f"kind must be {' or '.join(map(repr, known))}, got {kind!r}.")


# From members.


def of_members(said: Float[np.ndarray, " m *n"], alpha: float) -> Interval:
    """Return the interval around the mean of bootstrapped members: mean -+ t s sqrt(1 + 1/m).

    s is the members' standard deviation and t the quantile of Student's distribution with m - 1
    degrees of freedom, since few members know s badly. The spread stands for how the estimate would
    move if the rows were collected anew (s^2), plus what the mean of m members still lacks of the
    mean of many (s^2 / m).
    """
    count = len(said)
    reach = (
        stats.t.ppf(1 - alpha / 2, count - 1) * said.std(axis=0, ddof=1) * np.sqrt(1 + 1 / count)
    )
    middle = said.mean(axis=0)
    return middle - reach, middle + reach


def need_bootstrap(training: Training) -> None:
    """Raise if members were not trained on their own draws of the rows."""
    if not (training.draws > 1).any():
        raise ValueError(
            "This interval needs members that were trained on resampled rows, and this model has "
            "none. Fit it with "
            "members=5 (or more) and bootstrap=True."
        )


def bootstrap(asked: Asked, alpha: float) -> Interval:
    """Return each row's interval from bootstrapped members."""
    need_bootstrap(asked.training)
    return from_members(asked.outcome, asked.members(), alpha)


def from_members(
    outcome: AbstractOutcome, said: Float[np.ndarray, "m n"], alpha: float
) -> Interval:
    """Return each row's interval from what bootstrapped members say of it, inside what the outcome
    allows."""
    return _inside(outcome, *of_members(said, alpha))


def need_unseen(training: Training) -> None:
    """Raise if every member was trained on every row: residuals of such rows are too small to tell
    errors by."""
    if training.draws.all():
        raise ValueError(
            "This interval needs rows that some member was not trained on, and this model was "
            "trained on all. Fit it "
            "with bootstrap=True and members=5 (or more), or with calibration=0.2."
        )


# From held-out pairs.


def conformal(asked: Asked, alpha: float) -> Interval:
    """Return each row's interval for the difference in outcome between it under T1 and its like
    under T0.

    Rows that no member trained on say how far off the model is: r = y - mu(x, t). For two such
    rows, i under T1 and j under T0, |r_i - r_j| is the error of the difference that the model
    predicted for the pair; the interval reaches as far as the share 1 - alpha of these errors. Rows
    weigh 1 / P(t | x), so that those seen under T1 speak for all, and the row asked about takes
    part with an error that may be anything (weighted split conformal prediction: Tibshirani et al.,
    2019; Lei & Candes, 2021), so that where a treatment is too rare the interval is infinite.
    """
    training = asked.training
    unseen = np.flatnonzero(~training.draws.any(axis=0))
    if len(unseen) == 0:
        raise ValueError(
            "A conformal interval is calibrated on rows that the model was not trained on, and "
            "this model was trained "
            "on all. Fit it with calibration=0.2 to keep 20 % of the rows out of training."
        )
    predicted = asked.fitted.outcome(training.x[unseen], training.t[unseen])[0].mean(axis=0)
    residual = training.y[unseen] - np.clip(predicted, *asked.outcome.bounds)
    middle = asked.members().mean(axis=0)
    near = _near_dose if isinstance(asked.treatment, Dose) else _in_arm
    if isinstance(asked.treatment, Dose) and max(asked.t0.ndim, asked.t1.ndim) > 0:
        raise ValueError(
            "A conformal interval compares one dose with one other: T0 and T1 must be single doses."
        )
    t0, t1 = (np.broadcast_to(t, len(asked.x)) for t in (asked.t0, asked.t1))
    reach = np.zeros(len(asked.x))
    for first, second in itertools.product(np.unique(t0).tolist(), np.unique(t1).tolist()):
        rows = np.flatnonzero((t0 == first) & (t1 == second))
        if first != second and len(rows):
            sides = [near(training, unseen, residual, t, asked.x[rows]) for t in (first, second)]
            reach[rows] = _pair_reach(*sides, alpha=alpha)
    if not np.isfinite(reach).any():
        raise ValueError(
            f"{len(unseen)} held-out rows are too few for intervals at alpha={alpha:g}: all would "
            "be infinite. "
            "Fit with a larger calibration, or ask for a larger alpha."
        )
    return _inside(asked.outcome, middle - reach, middle + reach)


class _Side(NamedTuple):
    """Held-out residuals under one treatment with their weights, and the weights of the rows asked
    about."""

    residual: np.ndarray
    weight: np.ndarray
    own: np.ndarray


def _in_arm(
    training: Training, unseen: np.ndarray, residual: np.ndarray, t: float, x: np.ndarray
) -> _Side:
    here = training.t[unseen] == t
    weight = training.weight[unseen] / training.propensity.chances[unseen, int(t)]
    return _Side(residual[here], weight[here], 1 / training.propensity.of(x)[:, int(t)])


def _near_dose(
    training: Training, unseen: np.ndarray, residual: np.ndarray, t: float, x: np.ndarray
) -> _Side:
    gap = np.abs(training.t[unseen] - t)
    count = min(len(gap), max(NEAR_ROWS, round(NEAR_SHARE * len(gap))))
    here = np.argsort(gap, kind="stable")[:count]
    return _Side(residual[here], training.weight[unseen][here], np.ones(len(x)))


def _pair_reach(first: _Side, second: _Side, *, alpha: float) -> np.ndarray:
    """Return, for each row asked about, the weighted quantile of the pairs' errors, its own among
    them at infinity."""
    some = [_at_most(side, PAIRS) for side in (first, second)]
    error = np.abs(some[1].residual[:, None] - some[0].residual[None, :]).reshape(-1)
    weight = (some[1].weight[:, None] * some[0].weight[None, :]).reshape(-1)
    order = np.argsort(error)
    share = np.cumsum(weight[order])
    known = np.ones(len(first.own))  # the share of pairs of which the row asked about is no part
    for side in (first, second):
        known *= side.weight.sum() / (side.weight.sum() + side.own)
    if len(error) == 0:
        return np.full(len(first.own), np.inf)
    place = np.searchsorted(share, (1 - alpha) / known * share[-1])
    return np.append(error[order], np.inf)[place]


def _at_most(side: _Side, count: int) -> _Side:
    if len(side.residual) <= count:
        return side
    some = generator(0).choice(len(side.residual), count, replace=False)
    return side._replace(residual=side.residual[some], weight=side.weight[some])


# Of the average effect.


def average(asked: Asked) -> Estimate:
    """Return the average effect with its error: the spread of the members' averages, and the
    sampling of the rows."""
    need_bootstrap(asked.training)
    said = asked.members()
    count = len(said)
    of_fit = float(said.mean(axis=1).var(ddof=1)) * (1 + 1 / count)
    return Estimate(
        float(said.mean()), *_sum_of_errors((of_fit, count - 1), _sampling(said.mean(axis=0)))
    )


def doubly_robust(asked: Asked) -> Estimate:
    """Return the average effect corrected by inverse-propensity-weighted residuals of the training
    rows (AIPW).

    ate = mean of tau(x) over the rows asked about + [mean residual under T1] - [mean residual under
    T0], the means weighted by 1 / P(t | x). It is right if the outcome model or the propensities
    are, and its standard error needs no bootstrap. A row's residual is taken of members that did
    not train on it, where there are any.
    """
    if isinstance(asked.treatment, Dose):
        raise ValueError(
            "The doubly robust average is for arms; this model has doses. Leave kind out."
        )
    if max(asked.t0.ndim, asked.t1.ndim) > 0:
        raise ValueError(
            "The doubly robust average compares one arm with one other: T0 and T1 must be single "
            "arms."
        )
    effect = asked.members().mean(axis=0)
    value, errors = float(effect.mean()), [_sampling(effect)]
    for arm, sign in ((asked.t1, 1), (asked.t0, -1)):
        residual, weight = _own_residuals(asked, float(arm))
        share = weight / weight.sum()
        mean = float(share @ residual)
        value += sign * mean
        errors.append((float(share**2 @ (residual - mean) ** 2), len(share) - 1))
    return Estimate(value if asked.t0 != asked.t1 else 0.0, *_sum_of_errors(*errors))


def _own_residuals(asked: Asked, arm: float) -> tuple[np.ndarray, np.ndarray]:
    """Return residuals of the training rows of an arm, and weights that make the arm look like the
    whole table."""
    training = asked.training
    unseen = training.draws == 0
    usable = unseen.any(axis=0) if unseen.any() else np.ones(len(training), bool)
    rows = np.flatnonzero((training.t == arm) & usable)
    trust = unseen[:, rows] if unseen.any() else np.ones((len(unseen), len(rows)), bool)
    said = np.clip(
        asked.fitted.outcome(training.x[rows], np.asarray(arm))[0], *asked.outcome.bounds
    )
    predicted = (said * trust).sum(axis=0) / trust.sum(axis=0)
    return training.y[rows] - predicted, training.weight[rows] / training.propensity.chances[
        rows, int(arm)
    ]


def around(estimate: Estimate, alpha: float) -> tuple[float, float]:
    """Return the interval around an average."""
    reach = float(stats.t.ppf(1 - alpha / 2, estimate.freedom)) * estimate.error
    return estimate.value - reach, estimate.value + reach


def _sampling(effect: np.ndarray) -> tuple[float, int]:
    """Return the variance of the mean of effects, as the rows are a sample of those meant, and its
    freedom."""
    count = len(effect)
    return (float(effect.var(ddof=1)) / count, count - 1) if count > 1 else (0.0, 1)


def _sum_of_errors(*parts: tuple[float, int]) -> tuple[float, float]:
    """Return the standard error of a sum of independent parts and its degrees of freedom
    (Welch-Satterthwaite)."""
    total = sum(variance for variance, _ in parts)
    if total <= 0:
        return 0.0, 1.0
    return float(np.sqrt(total)), total**2 / sum(
        variance**2 / freedom for variance, freedom in parts if freedom > 0
    )


def _inside(outcome: AbstractOutcome, lower: np.ndarray, upper: np.ndarray) -> Interval:
    """Keep intervals inside what the outcome allows."""
    low, high = outcome.bounds
    return np.clip(lower, low - high, high - low), np.clip(upper, low - high, high - low)
