"""KNN: TARNet that is also taught the outcomes that were not seen, copied from near rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pairnet.core.types import is_number, is_whole, number
from pairnet.learners.layered import Layered
from pairnet.losses import Imputed
from pairnet.model.learner import expect, expect_not_negative, expect_one_of
from pairnet.pairing import AbstractPairing, Nearest, Neighbours
from pairnet.training.spaces import AbstractSpace, Covariates, Representation


@dataclass(kw_only=True, eq=False, repr=False)
class KNN(Layered):
    """TARNet whose missing outcomes are copied from the nearest rows of the other arms.

    neighbours: how many rows of each other arm. imputed: weight of the copied outcomes. space:
    where distances are measured, in the "covariates" or in the representation of TARNet, "psi".
    temperature: 0 takes the nearest rows; above 0, as many rows of any other arm are drawn anew
    every round from softmax(-distance / temperature), so that inf draws at random. distance:
    "spread" (in units of the embedding's own spread) or "raw".
    """

    neighbours: int = 1
    imputed: float = 1.0
    space: Literal["covariates", "psi"] = "covariates"
    temperature: float = 0.0
    distance: Literal["spread", "raw"] = "spread"

    @property
    def results_version(self) -> int:
        """Version 2 draws rows part by part, and gives psi random numbers of its own."""
        return 2 if self.temperature > 0 or self.space == "psi" else 1

    def check(self):
        super().check()
        good = is_whole(self.neighbours) and self.neighbours >= 1
        expect(good, self, "neighbours", "a whole number, at least 1")
        expect_not_negative(self, "imputed")
        expect_one_of(self, "space", ("covariates", "psi"))
        good = is_number(self.temperature) and self.temperature >= 0
        expect(good, self, "temperature", "0 (the nearest) or above (inf draws at random)")
        expect_one_of(self, "distance", ("spread", "raw"))

    def recipe(self, outcome, treatment, rows):
        """mu: TwoHead x Factual + Imputed . Nearest @ space.

        The effect is the difference of two heads.
        """
        near: AbstractPairing = Nearest(int(self.neighbours), len(treatment))
        if self.temperature > 0:
            near = Neighbours(
                int(self.neighbours),
                number(self.temperature),
                number(0.0),
                spread=self.distance == "spread",
            )
        extra = self.imputed * Imputed(outcome)
        psi = (
            [self.outcome_stage(outcome, treatment, rows, name="psi")]
            if self.space == "psi"
            else []
        )
        space: AbstractSpace = Representation("psi") if psi else Covariates()
        mu = self.outcome_stage(outcome, treatment, rows, extra=extra, pairing=near, space=space)
        return self.difference(*psi, mu, outcome=outcome, treatment=treatment, rows=rows)
