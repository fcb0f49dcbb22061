"""Doubly robust scores of the rows of a fit, each judged by what has not seen the row.

A score needs the expected outcomes of a row and its chances of the treatments. Outcomes are mixed
of two: of what the members expect that did not train on the row, and of what light models expect,
which are cross-fitted on several splits of the rows. The shares are those that are best for rows
not seen, an arm. Rows that all members trained on are judged by the light models alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.errors import BadInput
from pairnet.core.robust import doubly_robust_score
from pairnet.inference import targets
from pairnet.inference.mixing import share_of_second


@dataclass(frozen=True, eq=False)
class Scores:
    """What the scores of rows are made of; pairs are (under T0, under T1).

    y, weight: the outcome and the weight of each row. mine: which rows were treated so. chances:
    P(treatment | x), by split. members: every member's expected outcomes, and `unseen` the members
    that did not train on a row. light: expected outcomes by light models, by split (None: members
    alone judge the rows, and each row has one). target: whose
    average effect the scores are for; their mean is that average. predicted: the chances as they
    were predicted, where `chances` are kept away from 0 (None: they are the same). clusters: which
    rows belong together.
    """

    y: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]
    mine: Bool[np.ndarray, "2 n"]
    chances: Float[np.ndarray, "s 2 n"]
    members: Float[np.ndarray, "2 m n"]
    unseen: Bool[np.ndarray, "m n"]
    light: Float[np.ndarray, "s 2 n"] | None
    target: str = "all"
    predicted: Float[np.ndarray, "s 2 n"] | None = None
    clusters: Int[np.ndarray, " n"] | None = None

    def of(self, target: str) -> Scores:
        """Return the scores of the same rows for another target."""
        scores = replace(self, target=target)
        if not (scores.counts @ self.share > 0).all():
            raise BadInput("target", f"{target!r} has no rows among those of the fit")
        return scores

    @cached_property
    def share(self) -> Float[np.ndarray, " n"]:
        """The weights, adding up to 1."""
        return np.asarray(self.weight / self.weight.sum())

    @cached_property
    def effect(self) -> Float[np.ndarray, " n"]:
        """Each row's effect by what has not seen it."""
        return np.asarray(np.diff(self.expected, axis=1)[:, 0].mean(axis=0))

    @cached_property
    def score(self) -> Float[np.ndarray, " n"]:
        """Each row's score, averaged over the splits."""
        return np.asarray(self._by_split.mean(axis=0))

    @cached_property
    def luck(self) -> float:
        """The variance that the luck of splits and members leaves in the average of the scores.

        It is that of the mean over splits, and that of the members by the jackknife: how far the
        average moves if one of them is left out.
        """
        return float(self.luck_in(self.share[None])[0, 0])

    def luck_in(self, shares: Float[np.ndarray, "k n"]) -> Float[np.ndarray, "k k"]:
        """Return the covariance that this luck leaves in several weighted sums of the scores."""
        sums = self._by_split @ shares.T
        off = sums - sums.mean(axis=0)
        splits, members = len(sums), len(self.unseen)
        luck = off.T @ off / (splits * max(splits - 1, 1))
        if members < 2:
            return np.asarray(luck)
        others = [np.arange(members)[:, None] != member for member in range(members)]
        without = [(self._scores(self.unseen & some) @ shares.T).mean(axis=0) for some in others]
        moved = np.asarray(without) - np.mean(without, axis=0)
        return np.asarray(luck + moved.T @ moved * (members - 1) / members)

    @cached_property
    def _by_split(self) -> Float[np.ndarray, "s n"]:
        return self._scores(self.unseen)

    @cached_property
    def expected(self) -> Float[np.ndarray, "s 2 n"]:
        """The outcomes that what has not seen a row expects of it."""
        return self._expected(self.unseen)

    def _expected(self, judges: Bool[np.ndarray, "m n"]) -> Float[np.ndarray, "s 2 n"]:
        """Return the outcomes that the members that may judge a row and the light models expect."""
        count = judges.sum(axis=0)
        by_members = (self.members * judges).sum(axis=1) / np.maximum(count, 1)
        if self.light is None:
            return np.asarray(by_members[None])
        weight = self.share * self.mine * (count > 0)
        share = share_of_second(self.light, by_members, self.y, weight)
        return self.light + np.where(count > 0, share * (by_members - self.light), 0.0)

    def of_target(self, effect: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        """Return what each row adds to the average of any effects over the target."""
        if self.target == "all":
            return effect
        return np.asarray(self._of_target(effect * self.counts).mean(axis=0))

    @cached_property
    def counts(self) -> Float[np.ndarray, "s n"]:
        """How much each row counts for the target, by split."""
        return targets.counts(self.target, self.mine, self._predicted)

    @property
    def _predicted(self) -> Float[np.ndarray, "s 2 n"]:
        return self.chances if self.predicted is None else self.predicted

    def _of_target(self, values: Float[np.ndarray, "s n"]) -> Float[np.ndarray, "s n"]:
        """Return the average of values over the target, and how far each row moves it.

        values: those of the rows, times `counts`. The mean of what is returned is the average, and
        its spread the average's error.
        """
        size = (self.counts @ self.share)[:, None]
        average = (values @ self.share)[:, None] / size
        return np.asarray(average + (values - average * self.counts) / size)

    def _scores(self, judges: Bool[np.ndarray, "m n"]) -> Float[np.ndarray, "s n"]:
        """Return the scores; an arm's weights 1 / P have the mean 1 over all rows.

        For other targets they have the mean of what the rows count.
        """
        is_all = self.target == "all"
        expected = self._expected(judges)
        chances = targets.divisors(self.target, self._predicted, self.chances)
        level = (self.mine / chances) @ self.share
        if not is_all:
            level = level / (self.counts @ self.share)[:, None]
        chances = chances * np.maximum(level, 1e-12)[..., None]
        sides = lambda values: (values[..., 0, :], values[..., 1, :])
        effect = expected[:, 1] - expected[:, 0]
        scores = np.asarray(
            doubly_robust_score(
                effect if is_all else effect * self.counts,
                sides(self.y - expected),
                sides(self.mine),
                sides(chances),
            )
        )
        return scores if is_all else self._of_target(scores)
