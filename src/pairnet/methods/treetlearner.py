"""TreeTLearner: boosted trees of their own for each arm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from pairnet.learners.boosted import AbstractForest, Boosted, for_own_arm


class ByArm(AbstractForest):
    """Trees mu0, mu1, ... of the outcomes of each arm."""

    @classmethod
    def names(cls, treatment):
        return tuple(f"mu{arm}" for arm in range(treatment.strata))

    def outcome(self, x, t):
        answers = [partial(self.expected, name) for name in self.names(self.treatment)]
        return for_own_arm(x, t, answers)[None]


@dataclass(kw_only=True, eq=False, repr=False)
class TreeTLearner(Boosted):
    """Boosted trees of their own for each arm; nothing is shared (LightGBM, no network)."""

    forest: ClassVar[type[AbstractForest]] = ByArm

    def trees(self, rows, treatment, yes_no, seed):
        trees = {}
        for arm, name in enumerate(ByArm.names(treatment)):
            own = rows.take(np.flatnonzero(rows.t == arm))
            trees[name] = self.grow(own, 1, seed, yes_no=yes_no).trees
        return trees
