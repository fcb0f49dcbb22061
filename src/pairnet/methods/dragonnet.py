"""DragonNet: TARNet whose representation must also tell who was treated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pairnet.core.types import is_number, number
from pairnet.learners.layered import Layered
from pairnet.losses import Propensity, Targeted
from pairnet.model.learner import expect, expect_not_negative
from pairnet.networks import Dragon


@dataclass(kw_only=True, eq=False, repr=False)
class DragonNet(Layered):
    """TARNet with a propensity head on its representation (Shi, Blei and Veitch, 2019).

    propensity: weight of the propensity's loss. targeted: weight of targeted regularisation, 0 in
    the paper's runs. clip: in targeted regularisation, propensities are kept at least this far from
    0.
    """

    propensity: float = 1.0
    targeted: float = 0.0
    clip: float = 0.05

    pairable: ClassVar[bool] = True

    def check(self):
        super().check()
        expect_not_negative(self, "propensity", "targeted")
        good = is_number(self.clip) and 0 < self.clip < 0.5
        expect(good, self, "clip", "above 0 and below 0.5")

    def recipe(self, outcome, treatment, rows):
        """mu: Dragon x Factual + Propensity (+ Targeted).

        The effect is the difference of two heads.
        """
        extra = self.propensity * Propensity()
        if self.targeted > 0:
            extra = extra + self.targeted * Targeted(outcome, number(self.clip))
        mu = self.outcome_stage(
            outcome, treatment, rows, network=self.build(Dragon, treatment), extra=extra
        )
        return self.difference(mu, outcome=outcome, treatment=treatment, rows=rows)
