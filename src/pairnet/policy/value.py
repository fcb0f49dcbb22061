"""What a policy gains, by doubly robust scores: against nobody, everybody, and as many at random.

The gain of a policy is the mean of the scores of the treatment that it gives to each row (Dudik,
Langford and Li, 2011; Athey and Wager, 2021). A policy that gives everybody the same has the doubly
robust average effect. The rows must not have decided on the policy by their own outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import BadInput, count_of
from pairnet.core.levels import check_level
from pairnet.core.listing import Listing
from pairnet.core.words import shown
from pairnet.inference import intervals
from pairnet.inference.clusters import variance_of_mean
from pairnet.inference.intervals import Estimate
from pairnet.metrics.least_squares import Coefficient, units_of
from pairnet.metrics.passed import weights
from pairnet.metrics.ranked import ROUNDING
from pairnet.policy.budget import table_of

NOBODY, POLICY, AT_RANDOM = "nobody", "this policy", "as many at random"
# (how much each score counts [k n]) -> the variance that other luck leaves in the sum
Luck = Callable[[Float[np.ndarray, "k n"]], float]


def no_luck(counts: Float[np.ndarray, "k n"]) -> float:
    """Return the variance of sums of scores that hang on no luck but that of the rows."""
    return 0.0


class Compared(NamedTuple):
    """One policy against another: the gain per row, with its error, interval and p-value."""

    policy: str
    against: str
    gain: Coefficient


@dataclass(frozen=True, eq=False, repr=False)
class PolicyValue(Listing):
    """What a policy gains per row, against others; one line a comparison.

    share: the share of the rows that it treats, by treatment. names: of the treatments. rows: how
    many judge. after_cost: whether costs were taken from the gains.
    """

    lines: tuple[Compared, ...]
    names: tuple[str, ...]
    share: Float[np.ndarray, " k"]
    rows: int
    alpha: float = 0.05
    after_cost: bool = False

    def __getitem__(self, against: str) -> Coefficient:
        """Return the gain of the policy against another: "nobody", "everybody", ..."""
        found = [
            line.gain for line in self.lines if (line.policy, line.against) == (POLICY, against)
        ]
        if not found:
            known = [line.against for line in self.lines if line.policy == POLICY]
            raise KeyError(f"{against!r}: expected one of {known}")
        return found[0]

    def columns(self) -> dict[str, np.ndarray]:
        """Return a line a comparison."""
        words = {
            name: np.asarray([getattr(line, name) for line in self.lines], object)
            for name in ("policy", "against")
        }
        gains = np.asarray([line.gain for line in self.lines], float).T
        return {**words, **dict(zip(("gain", "error", "lower", "upper", "p"), gains, strict=True))}

    def notes(self):
        treated = ", ".join(
            f"{100 * share:.3g} % {name}"
            for name, share in zip(self.names, self.share, strict=True)
        )
        what = "gain less cost" if self.after_cost else "gain"
        return (
            f"{what}: per row, by the doubly robust scores of {count_of(self.rows)}. This policy "
            f"treats {treated}.",
        )


def coefficient(estimate: Estimate, alpha: float) -> Coefficient:
    """Return an estimate with its interval and p-value."""
    from scipy import stats

    value, error, freedom = estimate
    size = abs(value) / error if error > 0 else np.inf
    p = 1.0 if value == 0 else 2 * float(stats.t.sf(size, freedom))
    return Coefficient(value, error, *intervals.around(estimate, alpha), p)


@dataclass(frozen=True, eq=False)
class Judges:
    """Rows that can judge a policy: their scores for each treatment against none.

    share: how much each row counts; they add up to 1.
    """

    score: Float[np.ndarray, "k n"]
    share: Float[np.ndarray, " n"]
    names: tuple[str, ...]
    clusters: Int[np.ndarray, " n"] | None = None
    luck: Luck = no_luck
    after_cost: bool = False

    def after(self, cost: Float[np.ndarray, "k n"], worth: float = 1.0) -> Judges:
        """Return the same rows with scores after costs; a unit of gain is worth `worth` of cost."""
        luck = lambda counts: worth**2 * self.luck(counts)
        return replace(self, score=worth * self.score - cost, luck=luck, after_cost=True)

    def value(self, given: Float[np.ndarray, "k n"], alpha: float = 0.05) -> PolicyValue:
        """Return what a policy gains; given: how much of each row gets each treatment."""
        lines = tuple(
            Compared(policy, against, self.gain(counts, alpha))
            for policy, against, counts in self._comparisons(given)
        )
        own = given @ self.share, given.shape[1], alpha, self.after_cost
        return PolicyValue(lines, self.names, *own)

    def gain(self, counts: Float[np.ndarray, "k n"], alpha: float = 0.05) -> Coefficient:
        """Return the mean of some sums of the rows' scores."""
        own = (counts * self.score).sum(axis=0)
        variance, freedom = variance_of_mean(own, self.share, self.clusters)
        variance += self.luck(counts * self.share)
        nothing = ROUNDING * float(np.abs(self.score).max())
        found = float(self.share @ own), float(np.sqrt(variance))
        value, error = (0.0 if abs(number) <= nothing else number for number in found)
        return coefficient(Estimate(value, error, freedom), alpha)

    def _comparisons(
        self, given: Float[np.ndarray, "k n"]
    ) -> Iterator[tuple[str, str, Float[np.ndarray, "k n"]]]:
        yield POLICY, NOBODY, given
        for k, name in enumerate(self.names):
            all_of_them = np.zeros_like(given)
            all_of_them[k] = 1
            everybody = _everybody(name, len(self.names))
            yield everybody, NOBODY, all_of_them
            yield POLICY, everybody, given - all_of_them
        yield POLICY, AT_RANDOM, given - (given @ self.share)[:, None]


def policy_value(
    scores: Any,
    treated: Any,
    *,
    weight: Any = None,
    clusters: Any = None,
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
) -> PolicyValue:
    """Return what a policy gains against treating nobody, everybody, and as many at random.

    scores: doubly robust scores of treating a row against leaving it alone, one a row, or [n, k]
    for k treatments (`pairnet.metrics.effect_scores` makes them; less the cost in the unit of the
    outcome, if it is to count). treated: whether a row is treated, or how much of it: flags, or
    shares from 0 to 1, or [n, k]. A row that gets none of k treatments has k zeros. names: of the
    treatments. clusters: a label a row; the rows of a cluster count as one.
    """
    score = table_of("scores", scores)
    given = table_of("treated", treated, score.shape)
    if not ((given >= 0) & (given.sum(axis=1, keepdims=True) <= 1 + 1e-9)).all():
        problem = "must be shares of a row, from 0 to 1, which add up to 1 at most"
        raise BadInput("treated", f"{problem}, got {shown(treated)}")
    own = weights(weight, len(score))
    called = tuple(map(str, names or _names(score.shape[1])))
    if len(called) != score.shape[1]:
        problem = f"must be one a treatment ({score.shape[1]}), got {len(called)}"
        raise BadInput("names", problem)
    known = None if clusters is None else units_of(clusters, len(score))
    judges = Judges(score.T, own / own.sum(), called, known)
    return judges.value(given.T, check_level(alpha))


def _everybody(name: str, treatments: int) -> str:
    return "everybody" if treatments == 1 else f"everybody {name}"


def _names(treatments: int) -> list[str]:
    return ["treated"] if treatments == 1 else [f"treatment {k + 1}" for k in range(treatments)]
