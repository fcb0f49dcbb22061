"""DRLearner: effects regressed on doubly robust pseudo-outcomes."""

from __future__ import annotations

from dataclasses import dataclass

from pairnet.core.types import number
from pairnet.learners.layered import TwoStep
from pairnet.training import Direct, Recipe
from pairnet.views import DoublyRobust


@dataclass(kw_only=True, eq=False, repr=False)
class DRLearner(TwoStep):
    """Effects regressed on pseudo-outcomes that are doubly robust (Kennedy, 2023).

    They are right on average if the model of outcomes or that of propensities is right. The first
    models are TARNet and a propensity network. Each arm is compared with the first.
    """

    def recipe(self, outcome, treatment, rows):
        """mu, pi -> tau: Regressor x Factual . DoublyRobust; the effect is tau."""
        mu = self.crossed(self.outcome_stage(outcome, treatment, rows))
        pi = self.crossed(self.propensity_stage(treatment, rows))
        nuisance = self.nuisance(outcome, mu, pi)
        taus = tuple(
            self.regression_stage(f"tau{arm}", rows, DoublyRobust(nuisance, number(arm)))
            for arm in range(1, len(treatment))
        )
        reading = Direct(outcome, mu[0].name, tuple(tau.name for tau in taus))
        return Recipe(
            (*mu, *pi, *taus),
            reading,
            outcome,
            self.pilot(outcome, treatment, rows),
            len(treatment),
        )
