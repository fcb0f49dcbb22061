"""DRNet: a shared representation with one outcome head for each bin of doses."""

from __future__ import annotations

from dataclasses import dataclass

from pairnet.core.types import is_whole
from pairnet.learners.dosed import Dosed
from pairnet.model.learner import expect
from pairnet.networks import Binned, Build


@dataclass(kw_only=True, eq=False, repr=False)
class DRNet(Dosed):
    """A shared representation with one outcome head for each bin of doses (Schwab et al., 2020).

    bins: how many equal parts the range of doses has. The response may jump from one to the next.
    """

    bins: int = 5

    def check(self):
        super().check()
        expect(is_whole(self.bins) and self.bins >= 1, self, "bins", "a whole number, at least 1")

    def plain_network(self, treatment):
        return Build(Binned, bins=int(self.bins), phi=tuple(self.phi), mu=tuple(self.mu))

    def recipe(self, outcome, treatment, rows):
        """mu: Binned x Factual; the effect is the difference of two doses' outcomes."""
        return self.difference(
            self.outcome_stage(outcome, treatment, rows),
            outcome=outcome,
            treatment=treatment,
            rows=rows,
        )
