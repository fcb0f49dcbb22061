"""RLearner: residual outcomes regressed on residual treatments."""

from __future__ import annotations

from dataclasses import dataclass

from pairnet.core.types import number
from pairnet.learners.layered import TwoStep
from pairnet.training import Direct, Recipe, Stage
from pairnet.views import OnlyArms, Robinson


@dataclass(kw_only=True, eq=False, repr=False)
class RLearner(TwoStep):
    """Effects regressed on residual outcomes over residual treatments (Nie and Wager, 2021).

    With several arms, each is compared with the first, on the rows of these two arms.
    """

    def recipe(self, outcome, treatment, rows):
        """m, pi -> tau: Regressor x Factual . Robinson; the effect is tau."""
        pi = self.crossed(self.propensity_stage(treatment, rows))
        averages: list[Stage] = []
        taus: list[Stage] = []
        for arm in range(1, len(treatment)):
            view = OnlyArms(number(0), number(arm))
            m = self.crossed(self.regression_stage(f"m{arm}", rows, view, outcome))
            averages += m
            nuisance = self.nuisance(outcome, m, pi)
            taus.append(self.regression_stage(f"tau{arm}", rows, Robinson(nuisance, number(arm))))
        reading = Direct(outcome, averages[0].name, tuple(tau.name for tau in taus), pi[0].name)
        return Recipe(
            (*pi, *averages, *taus),
            reading,
            outcome,
            self.pilot(outcome, treatment, rows),
            len(treatment),
        )
