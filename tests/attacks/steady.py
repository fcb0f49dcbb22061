"""A method that learns in a moment, so that thousands of tables can be tried: a ridge regression.

It takes arms and doses, and has the units of training that networks have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairnet.core.outcomes import AbstractOutcome, Gaussian
from pairnet.core.treatments import Arms, Dose
from pairnet.core.types import is_number
from pairnet.learners.by_member import ByMember
from pairnet.model.arrays import filled
from pairnet.model.learner import expect
from pairnet.model.predictor import AbstractPredictor, Stored
from pairnet.training import Plan
from pairnet.training.scaling import Scaling

PLAN = Plan()


@dataclass(kw_only=True, eq=False, repr=False)
class Steady(ByMember):
    """A ridge regression of outcomes on covariates, on the treatment, and on their products.

    strength: the weight of the squares of the coefficients.
    """

    strength: float = 1.0

    takes: ClassVar[tuple[type, ...]] = (Arms, Dose)

    def check(self):
        super().check()
        good = is_number(self.strength) and 0 < self.strength < np.inf
        expect(good, self, "strength", "above 0")

    def learn_member(self, rows, treatment, outcome, seed):
        scaling = Scaling.of(rows.x, rows.y, rows.weight, PLAN, Gaussian())
        design = _design(scaling.x(rows.x).astype(float), rows.t, treatment)
        weighted = (design * rows.weight[:, None]).T
        penalty = self.strength * np.eye(design.shape[1])
        line = np.linalg.solve(weighted @ design + penalty, weighted @ scaling.y(rows.y))
        return Line(scaling, line, treatment, outcome)

    def restore_member(self, stored, treatment, outcome, width):
        import jax

        shape = lambda *sizes: jax.ShapeDtypeStruct(sizes, np.dtype(np.float64))
        terms = _basis(np.zeros(1), treatment).shape[1] * (width + 1)
        wanted = {"centre": shape(width), "spread": shape(width), "y": shape(2)}
        parts = filled(wanted | {"line": shape(terms)}, stored.arrays)
        (location, unit), spread = parts["y"], parts["spread"]
        if (spread <= 0).any() or unit <= 0:
            raise ValueError("its units are not above 0")
        scaling = Scaling(parts["centre"], spread, location, unit)
        return Line(scaling, parts["line"], treatment, outcome)


@dataclass(frozen=True, eq=False)
class Line(AbstractPredictor):
    """The coefficients of one member."""

    scaling: Scaling
    line: np.ndarray
    treatment: Arms | Dose
    kind: AbstractOutcome

    def outcome(self, x, t):
        design = _design(
            self.scaling.x(x).astype(float), np.broadcast_to(t, len(x)), self.treatment
        )
        expected = self.scaling.location + self.scaling.unit * (design @ self.line)
        return self.kind.inside(expected[None])

    def stored(self):
        learned = self.scaling
        y = np.stack([learned.location, learned.unit])
        arrays = {"centre": learned.centre, "spread": learned.spread, "y": y, "line": self.line}
        return Stored({}, arrays)


def _basis(t, treatment):
    if treatment.whole_range:
        return np.stack([np.ones_like(t), t, t**2], axis=1)
    return (t[:, None] == np.arange(len(treatment))).astype(float)


def _design(x, t, treatment):
    with_one = np.hstack([np.ones((len(x), 1)), x])
    basis = _basis(np.asarray(t, float), treatment)
    return (basis[:, :, None] * with_one[:, None, :]).reshape(len(x), -1)
