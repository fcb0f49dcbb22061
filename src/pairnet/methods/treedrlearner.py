"""TreeDRLearner: effects regressed by boosted trees on doubly robust scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairnet.core.robust import doubly_robust_score
from pairnet.core.types import Rows, is_number
from pairnet.learners.boosted import AbstractForest
from pairnet.learners.two_step_trees import AgainstFirst, BoostedTwoStep
from pairnet.model.learner import expect


class Regressed(AgainstFirst):
    """Effects by trees tau1, tau2, ... of every arm against the first."""

    @classmethod
    def names(cls, treatment):
        return ("mu0", *(f"tau{arm}" for arm in range(1, treatment.strata)))

    def against_first(self, x, arm):
        return self.trees[f"tau{arm}"](x)


@dataclass(kw_only=True, eq=False, repr=False)
class TreeDRLearner(BoostedTwoStep):
    """Effects regressed on pseudo-outcomes that are doubly robust (Kennedy, 2023).

    They are right on average if the trees of outcomes or those of chances are right; both are
    cross-fitted, and chances are kept `clip` away from 0 and 1. All models are boosted trees, grown
    by LightGBM (no network). Each arm is compared with the first.
    """

    clip: float = 0.05

    forest: ClassVar[type[AbstractForest]] = Regressed

    def check(self):
        super().check()
        good = is_number(self.clip) and 0 < self.clip < 0.5
        expect(good, self, "clip", "above 0 and below 0.5")

    def trees(self, rows, treatment, yes_no, seed):
        mu, expected = self.grow_outcomes(rows, treatment.strata, yes_no, seed)
        arms = range(1, treatment.strata)
        against = np.stack([self.grow_chances(rows, arm, seed)[1] for arm in arms])
        odds = np.vstack([np.ones(len(rows.t)), against / np.maximum(1 - against, 1e-9)])
        chances = np.clip(odds / odds.sum(axis=0), self.clip, 1 - self.clip)
        trees = {"mu0": mu["mu0"]}
        for arm in arms:
            score = doubly_robust_score(
                expected[arm] - expected[0],
                (rows.y - expected[0], rows.y - expected[arm]),
                ((rows.t == 0).astype(float), (rows.t == arm).astype(float)),
                (chances[0], chances[arm]),
            )
            seen = Rows(rows.x, rows.t, score, rows.weight)
            trees[f"tau{arm}"] = self.grow(seen, treatment.strata, seed).trees
        return trees
