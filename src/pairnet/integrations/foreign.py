"""A model of another library as a learner of ours: in a stack, in `compare`, by itself.

Such models say effects tau_a(x) of arms, and no outcomes. What is expected of a row before its
treatment is known, m(x), and its chances of arms, e_a(x), come from light models. Then
mu(x, a) = m(x) + tau_a(x) - sum_b e_b(x) tau_b(x) (Robinson, 1988). For doses it is m(x) plus the
effect of the dose against the one that is expected of x.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float
from sklearn.base import clone

from pairnet.compare.effects import LeftOver
from pairnet.core.errors import BadInput
from pairnet.core.treatments import Arms, Dose, Treatment, treatment_of
from pairnet.core.types import Rows
from pairnet.inference.features import bent, standardised
from pairnet.inference.propensity import PropensityModel
from pairnet.integrations.dialects import AbstractDialect, dialect_of, takes_weights
from pairnet.learners.by_member import ByMember
from pairnet.learners.folds import fold_of_rows
from pairnet.learners.ridge import Columns, ridge
from pairnet.model import door
from pairnet.model.learner import Learner
from pairnet.model.predictor import AbstractPredictor
from pairnet.tables import opened

MOST_TIMES = 100  # how often a row is repeated at most, for a model that takes no weights
CLOSE = 1e-6  # to a whole number


@dataclass(kw_only=True, eq=False, repr=False)
class Foreign(ByMember):
    """A model of EconML, CausalML, metalearners or scikit-uplift, with the face of our methods.

    model: one of theirs, fitted or not: each fit is that of a new copy. It sees encoded covariates
    (numbers), and treatments as they are in the table. Where it has no `random_state`, the member's
    seed is set. What it has learned cannot be saved: other libraries keep whole models as pickles.
    """

    model: Any = field(default=None, kw_only=False, repr=False)

    takes: ClassVar[tuple[type[Treatment], ...]] = (Arms, Dose)
    is_plain: ClassVar[bool] = False

    @property
    def title(self):
        return type(self.model).__name__

    def check(self):
        super().check()
        if isinstance(self.model, Learner):
            problem = f"is {self.label}, a method of this library: use it as it is"
            raise BadInput("model", problem, "Leave Foreign out.")
        dialect_of(self.model)

    def learn_member(self, rows, treatment, outcome, seed):
        dialect = dialect_of(self.model)
        dialect.check(self.model, treatment)
        model = clone(self.model, safe=False)
        if getattr(model, "random_state", seed) is None:
            model.random_state = seed
        weights, own = _weighted(model, rows, self.label)
        x, t, y = (np.asarray(values, np.float64) for values in (own.x, own.t, own.y))
        passed = dialect.arguments(model, x, treatment.label_of(t), y, treatment)
        _quiet(model.fit)(**passed, **weights)
        return ForeignPredictor(model, dialect, treatment, Level.of(rows, treatment, self.seed))

    def restore_member(self, stored, treatment, outcome, width):
        raise NotImplementedError("Nothing of it is saved.")

    def outcomes(
        self, X: Any, y: Any, *, treatment: Any, sample_weight: Any = None
    ) -> Float[np.ndarray, " n"]:
        """Return outcomes of new rows under their own arms, as a model that is fitted implies them.

        They are what `pair_loss_score(y, treatment=..., outcomes=...)` needs. The model is asked
        about X as it is; it must be fitted already, to other rows.
        """
        self.check()
        table = opened(X)
        door.aligned(X, y=y, treatment=treatment)
        observed, _ = door.outcomes(y, table.rows)
        column = door.treatment_column(treatment, table.rows)
        weight = door.weights(sample_weight, table.rows)
        arms = treatment_of(column, "arms", (Arms,), self.label)
        left_over = LeftOver.of(table, column, observed, weight, arms)
        dialect = dialect_of(self.model)
        dialect.check(self.model, arms)
        try:
            effects = _quiet(dialect.by_arm)(self.model, table.native(), arms)
        except BadInput:
            raise
        except Exception as error:  # whatever a model does that is not fitted
            problem = f"cannot say its effects of these rows ({type(error).__name__}: {error})"
            advice = "It must be fitted, to rows with these columns and arms."
            raise BadInput("model", problem, advice) from error
        own = np.take_along_axis(effects, left_over.t[:, None], axis=1)[:, 0]
        return left_over.expected + own - (left_over.chances * effects).sum(axis=1)


@dataclass(frozen=True, eq=False)
class Level:
    """What is expected of a row before its treatment is known: its outcome, and its treatment."""

    like: Float[np.ndarray, "n d"]
    outcome_line: Float[np.ndarray, " p"]
    dose_line: Float[np.ndarray, " p"] | None  # of doses
    chances: PropensityModel | None  # of arms

    @classmethod
    def of(cls, rows: Rows, treatment: Treatment, seed: int) -> Level:
        """Learn it from the rows of a fit."""
        x, t, y, weight = (np.asarray(v, np.float64) for v in (rows.x, rows.t, rows.y, rows.weight))
        fold = fold_of_rows(t, treatment.strata, int(seed))
        bends = bent(standardised(x))
        columns = Columns(np.ones((len(x), 1)), bends, np.zeros((len(x), 0)))
        line = lambda values: ridge(columns, values, weight, fold)
        if treatment.whole_range:
            return cls(x, line(y), line(t), None)
        return cls(x, line(y), None, PropensityModel(x, t, weight))

    def outcome(self, x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Return the outcome that is expected of rows."""
        return self._height(x, self.outcome_line)

    def dose(self, x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Return the place of the dose that is expected of rows."""
        assert self.dose_line is not None
        return np.clip(self._height(x, self.dose_line), 0, 1)

    def _height(self, x: np.ndarray, line: np.ndarray) -> np.ndarray:
        return np.asarray(line[0] + bent(standardised(x, like=self.like)) @ line[1:])


@dataclass(frozen=True, eq=False)
class ForeignPredictor(AbstractPredictor):
    """A fitted model of another library, and the level of outcomes around its effects."""

    model: Any
    dialect: AbstractDialect
    treatment: Treatment
    level: Level

    def effect(self, x, t0, t1):
        x = np.asarray(x, np.float64)
        both = [np.broadcast_to(np.asarray(t), len(x)) for t in (t0, t1)]
        return _quiet(self.dialect.between)(self.model, x, *both, self.treatment)[None]

    def outcome(self, x, t):
        x = np.asarray(x, np.float64)
        if self.treatment.whole_range:
            return self.level.outcome(x) + self.effect(x, self.level.dose(x), t)
        assert self.level.chances is not None
        by_arm = _quiet(self.dialect.by_arm)(self.model, x, self.treatment)
        own = np.broadcast_to(np.asarray(t), len(x)).astype(int)
        of_own = np.take_along_axis(by_arm, own[:, None], axis=1)[:, 0]
        expected = (self.level.chances.of(x) * by_arm).sum(axis=1)
        return (self.level.outcome(x) + of_own - expected)[None]

    def stored(self):
        raise NotImplementedError("Nothing of it is saved.")


def _weighted(model: Any, rows: Rows, label: str) -> tuple[dict[str, Any], Rows]:
    """Return the weights as an argument of `fit`; without one, rows as often as they weigh."""
    weight = np.asarray(rows.weight, np.float64)
    if np.ptp(weight) == 0:
        return {}, rows
    if takes_weights(model):
        return {"sample_weight": weight}, rows
    times = weight / weight.min()
    whole = np.round(times)
    if np.abs(times - whole).max() > CLOSE or whole.max() > MOST_TIMES:
        problem = f"cannot be used by {label}, whose fit takes no weights"
        raise BadInput("sample_weight", problem, "Leave it out, or this model.")
    return {}, rows.take(np.repeat(np.arange(len(weight)), whole.astype(int)))


def _quiet(does: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function without its warnings, which are for authors of other libraries."""

    def quietly(*args: Any, **named: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return does(*args, **named)

    return quietly
