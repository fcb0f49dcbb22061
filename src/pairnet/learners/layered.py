"""What methods with the usual networks share: sizes, the penalty, and stages."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar

from pairnet.core.outcomes import AbstractOutcome, Gaussian
from pairnet.core.treatments import Arms, Treatment
from pairnet.core.types import is_number, is_whole, number
from pairnet.learners.networked import NetworkEstimator
from pairnet.losses import (
    AbstractLoss,
    ChosenPenalty,
    Factual,
    Penalty,
    Propensity,
    has_chosen_penalty,
)
from pairnet.model.learner import expect
from pairnet.networks import Build, Classifier, Regressor, TwoHead
from pairnet.training import Difference, Recipe, Stage
from pairnet.views import AbstractView, AsTheyAre, LeaveOut, Nuisance

PILOT_L2 = 0.03  # penalty of the factual pilot, whose outcome has standard deviation 1
# The penalty of propensities, counted in rows; chosen by held-out cross-entropy.
PROPENSITY_ROWS = 30

NUMBER = Gaussian()


@dataclass(kw_only=True, eq=False, repr=False)
class Layered(NetworkEstimator):
    """Hyperparameters of methods whose networks have a representation phi and heads mu.

    l2: weight of the squares of the representation's weights. None is the best of several on
    held-out rows; with Plan(penalty="rows") it is 300 / rows (for doses 600 / rows, and a quarter
    of that where the outcome is yes or no), so that the penalty fades as data grow. phi, mu: widths
    of the representation's and the heads' layers.
    """

    l2: float | None = None
    phi: tuple[int, ...] = (200, 200, 200)
    mu: tuple[int, ...] = (100, 100)

    # The default penalty, counted in rows: it weighs as much as so many rows' losses.
    l2_rows: ClassVar[int] = 300

    @classmethod
    def published(cls, **changes: Any):
        """Return the method as the paper trains it, with its penalty of 1."""
        return super().published(**({"l2": 1.0} | changes))

    def check(self):
        super().check()
        good = self.l2 is None or (is_number(self.l2) and 0 <= self.l2 < math.inf)
        expect(good, self, "l2", "0 or more, or None to let held-out rows choose")
        expect(
            _widths(self.phi) and self.phi,
            self,
            "phi",
            "a tuple of at least one width of 1 or more",
        )
        expect(_widths(self.mu), self, "mu", "a tuple of widths of 1 or more")

    def build(self, kind: type, treatment: Arms, **options: Any) -> Build:
        """Return a recipe for a network of this method's sizes."""
        return Build(kind, arms=len(treatment), phi=tuple(self.phi), mu=tuple(self.mu), **options)

    def plain_network(self, treatment: Any) -> Build:
        """Return the network that models outcomes unless a method asks for another.

        The pilot measures the noise of outcomes with it.
        """
        return self.build(TwoHead, treatment)

    def penalty(self, outcome: AbstractOutcome, rows: int | float) -> AbstractLoss:
        """Return the penalty with its weight, or one whose strength held-out rows will choose."""
        if self.l2 is not None:
            return self.l2 * Penalty()
        kind = ChosenPenalty if self.plan.chooses_penalty else Penalty
        return (outcome.penalty_share * self.l2_rows / rows) * kind()

    def outcome_stage(
        self,
        outcome: AbstractOutcome,
        treatment: Treatment,
        rows: int | float,
        *,
        name: str = "mu",
        network: Build | None = None,
        extra: AbstractLoss | None = None,
        **parts: Any,
    ) -> Stage:
        """Return the stage that models outcomes.

        Its loss is factual, plus the penalty, plus what a method adds as `extra`.
        """
        loss = Factual(outcome) + self.penalty(outcome, rows)
        loss = loss if extra is None else loss + extra
        return Stage(
            name, network or self.plain_network(treatment), outcome, loss, score=loss, **parts
        )

    def propensity_stage(
        self,
        treatment: Arms,
        rows: int | float,
        *,
        name: str = "pi",
        view: AbstractView | None = None,
    ):
        """Return the stage that models which treatment each row received."""
        network = Build(Classifier, arms=len(treatment), phi=tuple(self.phi))
        loss = Propensity() + (PROPENSITY_ROWS / rows) * Penalty()
        return Stage(name, network, Gaussian(), loss, score=Propensity(), view=view or AsTheyAre())

    def regression_stage(
        self, name: str, rows: int | float, view: AbstractView, outcome: AbstractOutcome = NUMBER
    ) -> Stage:
        """Return a stage that regresses an outcome, or a view's pseudo-outcome, on covariates."""
        network = Build(Regressor, phi=tuple(self.phi), mu=tuple(self.mu))
        loss = Factual(outcome) + self.penalty(outcome, rows)
        return Stage(name, network, outcome, loss, score=loss, view=view)

    def pilot(self, outcome: AbstractOutcome, treatment: Treatment, rows: int | float) -> Stage:
        """Return the factual stage that measures the noise, and chooses the penalty left open."""
        factual = Factual(outcome)
        penalty = self.penalty(outcome, rows)
        penalty = penalty if has_chosen_penalty(penalty) else PILOT_L2 * Penalty()
        network = self.plain_network(treatment)
        return Stage("pilot", network, outcome, factual + penalty, score=factual)

    def difference(
        self,
        *stages: Stage,
        outcome: AbstractOutcome,
        treatment: Treatment,
        rows: int | float,
    ) -> Recipe:
        """Return a recipe whose effect is the difference of two outcomes of its last stage."""
        reading = Difference(stage=stages[-1].name, kind=outcome)
        pilot = self.pilot(outcome, treatment, rows)
        return Recipe(stages, reading, outcome, pilot, treatment.strata)


def _widths(layers: Any) -> bool:
    return isinstance(layers, tuple | list) and all(
        is_whole(width) and width >= 1 for width in layers
    )


@dataclass(kw_only=True, eq=False, repr=False)
class TwoStep(Layered):
    """Methods that regress effects on what first models of outcomes and propensities predict.

    clip: propensities are kept this far from 0 and 1. folds: 1 uses the first models on the rows
    they were trained on; with more folds they are cross-fitted, so that every row is judged by
    models that have not seen it.
    """

    clip: float = 0.05
    folds: int = 1

    def check(self):
        super().check()
        good = is_number(self.clip) and 0 < self.clip < 0.5
        expect(good, self, "clip", "above 0 and below 0.5")
        good = is_whole(self.folds) and 1 <= self.folds <= 20
        expect(good, self, "folds", "a whole number from 1 to 20")

    def crossed(self, stage: Stage) -> tuple[Stage, ...]:
        """Return a first stage, or one for each fold, trained without the rows of the fold."""
        if self.folds == 1:
            return (stage,)
        return tuple(
            dataclasses.replace(
                stage,
                name=f"{stage.name}.{fold}",
                view=LeaveOut(stage.view, number(fold), self.folds),
            )
            for fold in range(self.folds)
        )

    def nuisance(
        self, outcome: AbstractOutcome, mu: tuple[Stage, ...], pi: tuple[Stage, ...]
    ) -> Nuisance:
        """Return the models of the first stages in the form that views ask for."""
        names = lambda stages: tuple(stage.name for stage in stages)
        return Nuisance(outcome, names(mu), names(pi), number(self.clip))
