"""FlexTENet: arms share what they can, layer by layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pairnet.learners.layered import Layered
from pairnet.model.learner import expect_not_negative
from pairnet.networks import FlexTE


@dataclass(kw_only=True, eq=False, repr=False)
class FlexTENet(Layered):
    """Shared and private units in every layer, kept orthogonal (Curth and van der Schaar, 2021).

    private, orthogonal: weights of the private units' squares and of what shared and private
    weights have in common, relative to `l2`, the weight of the shared units' squares. phi, mu: half
    of each width is shared.
    """

    private: float = 0.01
    orthogonal: float = 0.1

    pairable: ClassVar[bool] = True

    def check(self):
        super().check()
        expect_not_negative(self, "private", "orthogonal")

    def recipe(self, outcome, treatment, rows):
        """mu: FlexTE x Factual; the effect is the difference of two heads."""
        network = self.build(
            FlexTE, treatment, private=float(self.private), orthogonal=float(self.orthogonal)
        )
        mu = self.outcome_stage(outcome, treatment, rows, network=network)
        return self.difference(mu, outcome=outcome, treatment=treatment, rows=rows)
