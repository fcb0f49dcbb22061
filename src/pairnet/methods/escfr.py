"""ESCFR: TARNet balanced by transport that may leave rows behind, with outcomes in its cost."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pairnet.core.types import is_number, number
from pairnet.learners.layered import Layered
from pairnet.losses import RelaxedTransport
from pairnet.model.learner import expect, expect_not_negative


@dataclass(kw_only=True, eq=False, repr=False)
class ESCFR(Layered):
    """TARNet balanced by relaxed optimal transport in each minibatch (Wang et al., NeurIPS 2023).

    balance: weight of the transport cost between arms. entropy: of the transport plan, in units of
    the mean cost. relaxation: the price of leaving rows out of the transport (inf: no row may be
    left out). outcome_weight: in the cost of moving a row, the weight of how badly its outcome fits
    the other row's. Needs ott-jax; another value of entropy or relaxation compiles anew.
    """

    balance: float = 0.1
    entropy: float = 0.1
    relaxation: float = 1.0
    outcome_weight: float = 0.1

    def check(self):
        super().check()
        expect_not_negative(self, "balance", "outcome_weight")
        good = is_number(self.entropy) and 0 < self.entropy < math.inf
        expect(good, self, "entropy", "above 0")
        good = is_number(self.relaxation) and self.relaxation > 0
        expect(good, self, "relaxation", "above 0 (inf is balanced transport)")

    def recipe(self, outcome, treatment, rows):
        """mu: TwoHead x Factual + balance x RelaxedTransport.

        The effect is the difference of two heads.
        """
        moved = RelaxedTransport(
            outcome,
            len(treatment),
            float(self.entropy),
            float(self.relaxation),
            number(self.outcome_weight),
        )
        mu = self.outcome_stage(outcome, treatment, rows, extra=self.balance * moved)
        return self.difference(mu, outcome=outcome, treatment=treatment, rows=rows)
