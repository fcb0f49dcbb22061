"""PerfectMatch: minibatches filled up with rows of the other arms that have the same propensity."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from pairnet.core.types import number
from pairnet.learners.layered import Layered
from pairnet.losses import Pair
from pairnet.pairing import Nearest
from pairnet.training.spaces import Score


@dataclass(kw_only=True, eq=False, repr=False)
class PerfectMatch(Layered):
    """TARNet on minibatches that hold each row's match in each other arm (Schwab et al., 2018).

    The match is the row of nearest propensity. Rows and matches are both trained on their own
    outcomes.
    """

    @property
    def results_version(self) -> int:
        """Version 2 gives the propensity stage random numbers of its own."""
        return 2

    def recipe(self, outcome, treatment, rows):
        """pi -> mu: TwoHead x Pair(alpha 0) . Nearest(1) @ Score(pi).

        The effect is the difference of two heads.
        """
        pi = self.propensity_stage(treatment, rows)
        loss = 0.5 * Pair(outcome, number(0.0)) + self.penalty(outcome, rows)
        nearest = Nearest(1, len(treatment))
        mu = self.outcome_stage(outcome, treatment, rows, pairing=nearest, space=Score(pi.name))
        mu = dataclasses.replace(mu, loss=loss, score=loss)
        return self.difference(pi, mu, outcome=outcome, treatment=treatment, rows=rows)
