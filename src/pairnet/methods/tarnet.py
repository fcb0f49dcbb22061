"""TARNet: a shared representation with one outcome head an arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pairnet.learners.layered import Layered


@dataclass(kw_only=True, eq=False, repr=False)
class TARNet(Layered):
    """A shared representation with one outcome head for each arm (Shalit et al., 2017).

    It is trained on each observed outcome alone.
    """

    pairable: ClassVar[bool] = True

    def recipe(self, outcome, treatment, rows):
        """mu: TwoHead x Factual; the effect is the difference of two heads."""
        return self.difference(
            self.outcome_stage(outcome, treatment, rows),
            outcome=outcome,
            treatment=treatment,
            rows=rows,
        )
