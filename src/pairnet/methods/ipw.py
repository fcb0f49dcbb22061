"""IPW: TARNet on rows weighted by inverse propensity."""

from __future__ import annotations

from dataclasses import dataclass

from pairnet.learners.layered import TwoStep
from pairnet.views import InversePropensity


@dataclass(kw_only=True, eq=False, repr=False)
class IPW(TwoStep):
    """TARNet on rows weighted by inverse propensity, as in a trial (Robins et al., 1994)."""

    def recipe(self, outcome, treatment, rows):
        """pi -> mu: TwoHead x Factual . InversePropensity.

        The effect is the difference of two heads.
        """
        pi = self.crossed(self.propensity_stage(treatment, rows))
        view = InversePropensity(self.nuisance(outcome, (), pi))
        mu = self.outcome_stage(outcome, treatment, rows, view=view)
        return self.difference(*pi, mu, outcome=outcome, treatment=treatment, rows=rows)
