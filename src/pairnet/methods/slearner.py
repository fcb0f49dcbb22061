"""SLearner: one network for all arms, with the arm among its inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pairnet.learners.layered import Layered
from pairnet.networks import Single


@dataclass(kw_only=True, eq=False, repr=False)
class SLearner(Layered):
    """One network with the arm among its inputs; effects tend to 0 (Kuenzel et al., 2019)."""

    pairable: ClassVar[bool] = True

    def recipe(self, outcome, treatment, rows):
        """mu: Single x Factual; the effect is the difference of two answers."""
        mu = self.outcome_stage(outcome, treatment, rows, network=self.build(Single, treatment))
        return self.difference(mu, outcome=outcome, treatment=treatment, rows=rows)
