"""KNN: TARNet that is also taught the outcomes that were not seen, copied from near rows."""

from __future__ import annotations

from dataclasses import dataclass

from pairnet.losses import Imputed
from pairnet.methods.base import expect
from pairnet.methods.layered import Layered
from pairnet.pairing import Nearest
from pairnet.training.spaces import Covariates


@dataclass(kw_only=True, eq=False, repr=False)
class KNN(Layered):
    """TARNet whose missing outcomes are copied from the nearest rows of the other arms.

    neighbours: how many rows of each other arm. imputed: weight of the copied outcomes.
    """

    neighbours: int = 1
    imputed: float = 1.0

    def check(self):
        """Raise for a hyperparameter that makes no sense."""
        super().check()
        whole = self.neighbours == int(self.neighbours)
        expect(self.neighbours >= 1 and whole, self, "neighbours", "a whole number, at least 1")
        expect(self.imputed >= 0, self, "imputed", "0 or more")

    def recipe(self, outcome, treatment, rows):
        """mu: TwoHead x Factual + Imputed . Nearest @ Covariates; the effect is the difference of two heads."""
        nearest = Nearest(int(self.neighbours), len(treatment))
        extra = self.imputed * Imputed(outcome)
        mu = self.outcome_stage(outcome, treatment, rows, extra=extra, pairing=nearest, space=Covariates())
        return self.difference(mu, outcome=outcome, treatment=treatment)
