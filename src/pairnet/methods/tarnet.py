"""TARNet: a shared representation with one outcome head an arm, trained on each outcome alone."""

from __future__ import annotations

from dataclasses import dataclass

from pairnet.losses import Factual, Penalty
from pairnet.methods.base import NetworkEstimator, expect
from pairnet.networks import Build, TwoHead
from pairnet.training import Difference, Recipe, Stage

PILOT_L2 = 0.03  # of the factual pilot, whose outcome has standard deviation 1
L2_ROWS = 300  # the default penalty, counted in rows: it weighs as much as so many rows' losses


@dataclass(kw_only=True, eq=False, repr=False)
class TARNet(NetworkEstimator):
    """A shared representation with one outcome head an arm, trained on each outcome alone (Shalit et al., 2017).

    l2: weight of the squares of the representation's weights; None is 300 / rows, so that the penalty fades as data
    grow. phi, mu: widths of the representation's and the heads' layers.
    """

    l2: float | None = None
    phi: tuple[int, ...] = (200, 200, 200)
    mu: tuple[int, ...] = (100, 100)

    @classmethod
    def published(cls, **changes):
        """Return TARNet as the paper trains it, with its penalty of 1."""
        return super().published(**({"l2": 1.0} | changes))

    def check(self):
        """Raise for a hyperparameter that makes no sense."""
        super().check()
        expect(self.l2 is None or self.l2 >= 0, self, "l2", "0 or more, or None for 300 / rows")
        expect(self.phi and all(width >= 1 for width in self.phi), self, "phi", "at least one width of 1 or more")
        expect(all(width >= 1 for width in self.mu), self, "mu", "widths of 1 or more")

    def recipe(self, outcome, treatment, rows):
        """mu: TwoHead x Factual; the effect is the difference of two heads."""
        network = Build(TwoHead, arms=len(treatment), phi=tuple(self.phi), mu=tuple(self.mu))
        factual = Factual(outcome)
        l2 = L2_ROWS / rows if self.l2 is None else self.l2
        loss = factual + l2 * Penalty()
        mu = Stage("mu", network, outcome, loss, score=loss)
        pilot = Stage("pilot", network, outcome, factual + PILOT_L2 * Penalty(), score=factual)
        return Recipe((mu,), Difference(stage="mu", kind=outcome), outcome, pilot, len(treatment))
