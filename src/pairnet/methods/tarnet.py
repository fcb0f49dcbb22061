"""TARNet: a shared representation with one outcome head an arm, trained on each outcome alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pairnet.learners.layered import Layered


@dataclass(kw_only=True, eq=False, repr=False)
class TARNet(Layered):
    """A shared representation with one outcome head an arm, trained on each outcome alone (Shalit
    et al., 2017)."""

    pairable: ClassVar[bool] = True

    def recipe(self, outcome, treatment, rows):
        """mu: TwoHead x Factual; the effect is the difference of two heads."""
        return self.difference(
            self.outcome_stage(outcome, treatment, rows), outcome=outcome, treatment=treatment
        )
