"""TLearner: a network of its own for each arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pairnet.learners.layered import Layered
from pairnet.networks import Separate
from pairnet.views import EqualArms


@dataclass(kw_only=True, eq=False, repr=False)
class TLearner(Layered):
    """A network of its own for each arm; nothing is shared (Kuenzel et al., 2019).

    Deviation: the networks are trained side by side and stop together; each arm's loss is a mean
    over its own rows.
    """

    pairable: ClassVar[bool] = True

    def recipe(self, outcome, treatment, rows):
        """mu: Separate x Factual . EqualArms; the effect is the difference of two networks."""
        network, view = self.build(Separate, treatment), EqualArms(len(treatment))
        mu = self.outcome_stage(outcome, treatment, rows, network=network, view=view)
        return self.difference(mu, outcome=outcome, treatment=treatment, rows=rows)
