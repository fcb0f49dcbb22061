"""RALearner: effects regressed on the difference of observed and modelled outcomes."""

from __future__ import annotations

from dataclasses import dataclass

from pairnet.core.types import number
from pairnet.learners.layered import TwoStep
from pairnet.training import Direct, Recipe
from pairnet.views import RegressionAdjusted


@dataclass(kw_only=True, eq=False, repr=False)
class RALearner(TwoStep):
    """Effects regressed on observed minus modelled outcomes (Curth and van der Schaar, 2021).

    Propensities play no part. The first model is TARNet. Each arm is compared with the first.
    """

    def recipe(self, outcome, treatment, rows):
        """mu -> tau: Regressor x Factual . RegressionAdjusted; the effect is tau."""
        mu = self.crossed(self.outcome_stage(outcome, treatment, rows))
        nuisance = self.nuisance(outcome, mu, ())
        taus = tuple(
            self.regression_stage(f"tau{arm}", rows, RegressionAdjusted(nuisance, number(arm)))
            for arm in range(1, len(treatment))
        )
        reading = Direct(outcome, mu[0].name, tuple(tau.name for tau in taus))
        return Recipe(
            (*mu, *taus), reading, outcome, self.pilot(outcome, treatment, rows), len(treatment)
        )
