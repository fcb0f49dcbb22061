"""KNN: TARNet that is also taught the outcomes that were not seen, copied from near rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pairnet.losses import Imputed
from pairnet.methods.base import expect
from pairnet.methods.layered import Layered
from pairnet.pairing import Nearest
from pairnet.training.spaces import AbstractSpace, Covariates, Representation


@dataclass(kw_only=True, eq=False, repr=False)
class KNN(Layered):
    """TARNet whose missing outcomes are copied from the nearest rows of the other arms.

    neighbours: how many rows of each other arm. imputed: weight of the copied outcomes. space: where they are near,
    in the "covariates" or in the representation of TARNet, "psi".
    """

    neighbours: int = 1
    imputed: float = 1.0
    space: Literal["covariates", "psi"] = "covariates"

    def check(self):
        """Raise for a hyperparameter that makes no sense."""
        super().check()
        whole = self.neighbours == int(self.neighbours)
        expect(self.neighbours >= 1 and whole, self, "neighbours", "a whole number, at least 1")
        expect(self.imputed >= 0, self, "imputed", "0 or more")
        expect(self.space in ("covariates", "psi"), self, "space", "'covariates' or 'psi'")

    def recipe(self, outcome, treatment, rows):
        """mu: TwoHead x Factual + Imputed . Nearest @ space; the effect is the difference of two heads."""
        nearest = Nearest(int(self.neighbours), len(treatment))
        extra = self.imputed * Imputed(outcome)
        psi = [self.outcome_stage(outcome, treatment, rows, name="psi")] if self.space == "psi" else []
        space: AbstractSpace = Representation("psi") if psi else Covariates()
        mu = self.outcome_stage(outcome, treatment, rows, extra=extra, pairing=nearest, space=space)
        return self.difference(*psi, mu, outcome=outcome, treatment=treatment)
