"""How sure effects are: intervals around the mean of resampled members, or around a stack.

`docs/intervals.md` says what each kind of interval covers, what it does not, and what was measured.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import stats

from pairnet.core.errors import BadInput, Setting
from pairnet.core.levels import check_level as check_level
from pairnet.core.notices import notice
from pairnet.core.types import is_one_of

FEW_MEMBERS = 5  # with fewer, the spread of members says little about how sure they are
# Of a stack's variances: of its fold models, and of its learners.
FOLDS_FACTOR, LEARNERS_FACTOR = 12.0, 4.0
Ends = tuple[np.ndarray, np.ndarray]  # the lower and the upper ends of intervals


class Estimate(NamedTuple):
    """A number with its standard error."""

    value: float
    error: float  # standard error
    freedom: float  # degrees of freedom of the standard error


def check_kind(kind: object, kinds: tuple[str, ...]) -> None:
    """Raise if `kind` is none of the kinds of interval."""
    if not is_one_of(kind, kinds):
        raise BadInput("kind", f"must be {' or '.join(map(repr, kinds))}, got {kind!r}")


def announce_few(members: int) -> None:
    """Tell the user if members are too few for good intervals."""
    if members < FEW_MEMBERS:
        notice(
            f"Intervals from {members} members are poor: far too wide as a rule, at times too "
            "narrow. Fit with ",
            Setting("members", FEW_MEMBERS),
            " or more.",
        )


def announce_none(method: str) -> None:
    """Tell the user that effects of one method, as it is, come without intervals."""
    notice(
        f"Effects of {method} come without intervals: fit with ",
        Setting("members", FEW_MEMBERS),
        " and ",
        Setting("bootstrap", True),
        ", as `pairnet fit --method` does, or fit a Stack(), to have them.",
    )


def of_answers(
    answers: Float[np.ndarray, " m *n"],
    by_learner: tuple[Float[np.ndarray, " p *n"], Float[np.ndarray, " p"]] | None,
    alpha: float,
) -> Ends:
    """Return the interval around the members' mean: of bootstrapped members, or of a stack.

    by_learner: the answers of a stack's learners with their weights; None for one method.
    """
    if by_learner is None:
        return of_members(answers, alpha)
    return of_folds(answers, *by_learner, alpha)


def of_members(answers: Float[np.ndarray, " m *n"], alpha: float) -> Ends:
    """Return the interval around the mean of bootstrapped members: mean -+ t s sqrt(1 + 1/m).

    s is the members' standard deviation and t the quantile of Student's distribution with m - 1
    degrees of freedom, since few members do not tell s well. The spread stands for how the estimate
    would move if the rows were collected anew (s^2), plus the distance of the mean of m members
    from the mean of many (s^2 / m).
    """
    count = len(answers)
    spread = answers.std(axis=0, ddof=1)
    reach = stats.t.ppf(1 - alpha / 2, count - 1) * spread * np.sqrt(1 + 1 / count)
    middle = answers.mean(axis=0)
    return middle - reach, middle + reach


def of_folds(
    effects: Float[np.ndarray, " m *n"],
    by_learner: Float[np.ndarray, " p *n"],
    weights: Float[np.ndarray, " p"],
    alpha: float,
) -> Ends:
    """Return the interval around the effects of a stack: mean -+ z s.

    s^2 is the sum of two variances, each times a factor: that of the fold models, whose rows differ
    by two folds alone, and that of the learners around the stack, by their weights. The factors
    were set on development tables (docs/intervals.md).
    """
    middle = effects.mean(axis=0)
    error = np.sqrt(
        FOLDS_FACTOR * effects.var(axis=0)
        + LEARNERS_FACTOR * disagreement(by_learner, weights) ** 2
    )
    reach = stats.norm.ppf(1 - alpha / 2) * error
    return middle - reach, middle + reach


def disagreement(
    by_learner: Float[np.ndarray, " p *n"], weights: Float[np.ndarray, " p"]
) -> Float[np.ndarray, " *n"]:
    """Return the learners' standard deviation around their weighted mean."""
    middle = np.tensordot(weights, by_learner, 1)
    return np.asarray(np.sqrt(np.tensordot(weights, (by_learner - middle) ** 2, 1)))


def around(estimate: Estimate, alpha: float) -> tuple[float, float]:
    """Return the interval around an average."""
    if estimate.error == 0:
        return estimate.value, estimate.value
    reach = float(stats.t.ppf(1 - alpha / 2, estimate.freedom)) * estimate.error
    return estimate.value - reach, estimate.value + reach
