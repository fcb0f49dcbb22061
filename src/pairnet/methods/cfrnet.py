"""CFRNet: TARNet whose representation is balanced across arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from pairnet.learners.layered import Layered
from pairnet.losses import AbstractLoss, KernelMMD, LinearMMD, Wasserstein
from pairnet.model.learner import expect_not_negative, expect_one_of

ENTROPY_OF_BALANCE = 0.05  # of the transport plan between arms, in units of the mean cost


@dataclass(kw_only=True, eq=False, repr=False)
class CFRNet(Layered):
    """TARNet whose representation is kept alike across arms (Shalit et al., 2017).

    balance: weight of the difference between arms (the paper: 0.1 on IHDP, 0.5 on ACIC and Twins).
    measure: "linear" (distance of mean representations), "kernel" (Gaussian MMD) or "wasserstein"
    (entropic transport; needs ott-jax).
    """

    balance: float = 0.1
    measure: Literal["linear", "kernel", "wasserstein"] = "linear"

    pairable: ClassVar[bool] = True

    def check(self):
        super().check()
        expect_not_negative(self, "balance")
        expect_one_of(self, "measure", ("linear", "kernel", "wasserstein"))

    def recipe(self, outcome, treatment, rows):
        """mu: TwoHead x Factual + balance x distance of arms.

        The effect is the difference of two heads.
        """
        arms = len(treatment)
        apart: dict[str, AbstractLoss] = {
            "linear": LinearMMD(arms),
            "kernel": KernelMMD(arms),
            "wasserstein": Wasserstein(arms, ENTROPY_OF_BALANCE),
        }
        mu = self.outcome_stage(outcome, treatment, rows, extra=self.balance * apart[self.measure])
        return self.difference(mu, outcome=outcome, treatment=treatment, rows=rows)
