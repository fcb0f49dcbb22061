"""The R-loss: how well effects explain what is left of outcomes, once all else is accounted for.

It is the mean of (y - m(x) - sum_a (1[t = a] - e_a(x)) tau_a(x))^2 over rows that tau has not seen
(Nie and Wager, 2021). What is expected of a row, m, and its chances of arms, e, come from light
models that have not seen the row; they are the same for all methods.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.treatments import Treatment
from pairnet.inference.outcome_model import outcome_model
from pairnet.inference.propensity import PropensityModel
from pairnet.learners import weighing
from pairnet.metrics import PairScore
from pairnet.tables import AbstractTable, Schema


@dataclass(frozen=True, eq=False)
class LeftOver:
    """The rows of a table, and what is expected of them before their arm is known."""

    t: Int[np.ndarray, " n"]
    y: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]
    expected: Float[np.ndarray, " n"]
    chances: Float[np.ndarray, "n k"]

    @classmethod
    def of(
        cls,
        table: AbstractTable,
        column: np.ndarray,
        y: np.ndarray,
        weight: np.ndarray,
        treatment: Treatment,
    ) -> LeftOver:
        """Fit the light models to a table whose treatment has arms."""
        x = np.asarray(Schema.of(table).encode(table), np.float64)
        t = treatment.encode(column, "treatment").astype(float)
        expected = outcome_model(x, y, np.zeros(len(y)), weight)[:, 0].mean(axis=0)
        chances = weighing.clipped(PropensityModel(x, t, weight).chances)
        return cls(t.astype(int), y, weight, expected, chances)

    def score(self, effects: Float[np.ndarray, "r k"], rows: np.ndarray) -> PairScore:
        """Score effects of some rows, of each arm against the first."""
        own = (self.t, self.y, self.expected, self.chances, self.weight)
        task = weighing.residuals(effects[:, None], *(values[rows] for values in own))
        losses, weight = (task.target - task.answers[:, 0]) ** 2, task.weight
        loss = float(np.average(losses, weights=weight))
        influence = losses - loss
        error = float(np.sqrt(np.sum((weight * influence) ** 2)) / weight.sum())
        return PairScore(loss, error, influence)
