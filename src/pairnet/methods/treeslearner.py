"""TreeSLearner: boosted trees for all rows, with the treatment among their columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from pairnet.core.treatments import Arms, Dose, Treatment
from pairnet.core.types import Rows
from pairnet.learners.boosted import AbstractForest, Boosted

NEAR = 0.05  # of the range of doses: trees are steps, so that a slope is taken over a stretch


class Together(AbstractForest):
    """Trees mu of all outcomes, whose last columns are the treatment."""

    @classmethod
    def names(cls, treatment):
        return ("mu",)

    @classmethod
    def more_columns(cls, treatment):
        return 1 if treatment.whole_range else treatment.strata - 1

    def outcome(self, x, t):
        return self.expected("mu", with_treatment(x, t, self.treatment))[None]

    def slope(self, x, t):
        low, high = np.maximum(t - NEAR, 0), np.minimum(t + NEAR, 1)
        return (self.outcome(x, high) - self.outcome(x, low)) / (high - low)


@dataclass(kw_only=True, eq=False, repr=False)
class TreeSLearner(Boosted):
    """Boosted trees for all rows, with the arm or the dose among their columns (no network).

    Effects tend to 0. LightGBM grows the trees.
    """

    forest: ClassVar[type[AbstractForest]] = Together
    takes: ClassVar[tuple[type, ...]] = (Arms, Dose)

    def trees(self, rows, treatment, yes_no, seed):
        x = with_treatment(rows.x, rows.t, treatment)
        seen = Rows(x, rows.t, rows.y, rows.weight)
        return {"mu": self.grow(seen, treatment.strata, seed, yes_no=yes_no).trees}


def with_treatment(
    x: Float[np.ndarray, "n d"], t: Any, treatment: Treatment
) -> Float[np.ndarray, "n e"]:
    """Return covariates and the treatment: the dose, or a flag for each arm after the first."""
    t = np.broadcast_to(np.asarray(t, np.float64), len(x))[:, None]
    flags = t == np.arange(1, treatment.strata)
    return np.hstack([x, t if treatment.whole_range else flags])
