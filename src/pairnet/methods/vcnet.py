"""VCNet: a head whose weights are smooth functions of the dose."""

from __future__ import annotations

from dataclasses import dataclass

from pairnet.core.types import is_number, is_whole, number
from pairnet.learners.dosed import Dosed
from pairnet.losses import Independence, Propensity, Targeted
from pairnet.model.learner import expect, expect_not_negative
from pairnet.networks import Build, Varying

HEIGHTS = 11  # points at which the density of doses is modelled


@dataclass(kw_only=True, eq=False, repr=False)
class VCNet(Dosed):
    """A head whose weights are splines of the dose, for smooth responses (Nie et al., 2021).

    degree, knots: of the splines; knots are shares of the range of doses. targeted: weight of
    targeted regularisation, which drives residuals weighted by inverse density to zero; 0 in the
    paper's runs. If it is used, `propensity` is the weight of the density of doses, kept above
    `clip`. hsic: weight of the dependence of representation and dose.
    """

    degree: int = 2
    knots: tuple[float, ...] = (1 / 3, 2 / 3)
    targeted: float = 0.0
    propensity: float = 0.5
    clip: float = 0.05
    hsic: float = 0.0

    def check(self):
        super().check()
        expect(
            is_whole(self.degree) and self.degree >= 1, self, "degree", "a whole number, at least 1"
        )
        knots = isinstance(self.knots, tuple | list) and all(
            is_number(knot) and 0 < knot < 1 for knot in self.knots
        )
        expect(knots, self, "knots", "a tuple of shares of the range, between 0 and 1")
        expect_not_negative(self, "targeted", "propensity", "hsic")
        expect(is_number(self.clip) and self.clip > 0, self, "clip", "above 0")

    def plain_network(self, treatment):
        heights = HEIGHTS if self.targeted > 0 else 0
        spline = {"degree": int(self.degree), "knots": tuple(map(float, self.knots))}
        return Build(Varying, phi=tuple(self.phi), mu=tuple(self.mu), heights=heights, **spline)

    def recipe(self, outcome, treatment, rows):
        """mu: Varying x Factual (+ Targeted + Propensity, + Independence).

        The effect is the difference of two doses' outcomes.
        """
        extra = self.hsic * Independence() if self.hsic > 0 else None
        if self.targeted > 0:
            term = (
                self.targeted * Targeted(outcome, number(self.clip))
                + self.propensity * Propensity()
            )
            extra = term if extra is None else extra + term
        mu = self.outcome_stage(outcome, treatment, rows, extra=extra)
        return self.difference(mu, outcome=outcome, treatment=treatment, rows=rows)
