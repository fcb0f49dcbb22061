"""XLearner: each arm's effects imputed with the other arm's model, and blended by propensity."""

from __future__ import annotations

from dataclasses import dataclass

from pairnet.core.types import number
from pairnet.learners.layered import TwoStep
from pairnet.training import Blend, Recipe
from pairnet.views import ImputedEffect


@dataclass(kw_only=True, eq=False, repr=False)
class XLearner(TwoStep):
    """Effects regressed separately in the arms compared, then blended (Kuenzel et al., 2019).

    The first model is TARNet. Each arm is compared with the first.
    """

    def recipe(self, outcome, treatment, rows):
        """mu, pi -> tau of the first arm's rows, tau of the other arm's rows.

        The effect is a blend of the two by pi.
        """
        mu = self.crossed(self.outcome_stage(outcome, treatment, rows))
        pi = self.propensity_stage(treatment, rows)
        nuisance = self.nuisance(outcome, mu, ())
        sides = [
            [
                self.regression_stage(
                    f"tau{arm}.{side}", rows, ImputedEffect(nuisance, number(arm), number(control))
                )
                for arm in range(1, len(treatment))
            ]
            for side, control in (("first", 1.0), ("own", 0.0))
        ]
        names = [tuple(stage.name for stage in stages) for stages in sides]
        reading = Blend(outcome, mu[0].name, names[0], names[1], pi.name)
        stages = (*mu, pi, *sides[0], *sides[1])
        return Recipe(
            stages, reading, outcome, self.pilot(outcome, treatment, rows), len(treatment)
        )
