"""TreeXLearner: an X-learner of boosted trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from pairnet.core.types import Rows
from pairnet.learners.boosted import AbstractForest
from pairnet.learners.two_step_trees import AgainstFirst, BoostedTwoStep


class Blended(AgainstFirst):
    """Effects by trees of the rows of the first arm and of the other, blended by their chances."""

    @classmethod
    def names(cls, treatment):
        arms = range(1, treatment.strata)
        return ("mu0", *(f"{name}{arm}" for arm in arms for name in ("first", "own", "pi")))

    def against_first(self, x, arm):
        first, own = self.trees[f"first{arm}"](x), self.trees[f"own{arm}"](x)
        chance = expit(self.trees[f"pi{arm}"](x))
        return chance * first + (1 - chance) * own


@dataclass(kw_only=True, eq=False, repr=False)
class TreeXLearner(BoostedTwoStep):
    """Effects imputed by the other arm's trees, and blended by chances (Kuenzel et al., 2019).

    All models are boosted trees, grown by LightGBM (no network). Each arm is compared with the
    first.
    """

    forest: ClassVar[type[AbstractForest]] = Blended

    def trees(self, rows, treatment, yes_no, seed):
        mu, expected = self.grow_outcomes(rows, treatment.strata, yes_no, seed)
        trees = {"mu0": mu["mu0"]}
        for arm in range(1, treatment.strata):
            imputed = {
                f"first{arm}": (0, expected[arm] - rows.y),
                f"own{arm}": (arm, rows.y - expected[0]),
            }
            for name, (side, effect) in imputed.items():
                own = np.flatnonzero(rows.t == side)
                seen = Rows(rows.x, rows.t, effect, rows.weight).take(own)
                trees[name] = self.grow(seen, 1, seed).trees
            trees[f"pi{arm}"], _ = self.grow_chances(rows, arm, seed)
        return trees
