"""The face of every method: scikit-learn's contract with EconML's names."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import jax.random as jr
import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from pairnet.methods import inputs
from pairnet.metrics import pair_loss
from pairnet.outcomes import AbstractOutcome, Bernoulli, Gaussian
from pairnet.training import Fitted, Plan, Recipe, fit_recipe
from pairnet.training.progress import bar
from pairnet.treatments import Arms, Dose
from pairnet.types import Rows

DEFAULT_PLAN = Plan()


@dataclass(kw_only=True, eq=False, repr=False)
class NetworkEstimator(BaseEstimator):
    """Hyperparameters that all methods share; `recipe` says the rest.

    plan: how to train. members: how many networks to fit and average. outcome: "gaussian" (a number), "bernoulli"
    (0 or 1), or "auto". seed: the same seed and rows give the same numbers. verbose: show a progress bar.
    """

    plan: Plan = DEFAULT_PLAN
    members: int = 1
    outcome: Literal["auto", "gaussian", "bernoulli"] = "auto"
    seed: int = 0
    verbose: bool = False

    pairable: ClassVar[bool] = False  # whether `PairNet` can train its network: the last stage has a factual loss
    training_fields: ClassVar[tuple[str, ...]] = ("plan", "members", "outcome", "seed", "verbose")

    @abc.abstractmethod
    def recipe(self, outcome: AbstractOutcome, treatment: Arms, rows: int | float) -> Recipe:
        """Return this method as a sentence of networks, losses and pairings, for a table of so many rows."""

    @classmethod
    def published(cls, **changes: Any) -> NetworkEstimator:
        """Return the method as the paper trains it; `changes` are hyperparameters to set otherwise."""
        return cls(**({"plan": Plan.published()} | changes))

    def check(self) -> None:
        """Raise for a hyperparameter that makes no sense."""
        expect(self.members >= 1, self, "members", "at least 1")
        expect(self.outcome in ("auto", "gaussian", "bernoulli"), self, "outcome", "'auto', 'gaussian' or 'bernoulli'")
        expect(isinstance(self.plan, Plan), self, "plan", "a pairnet.Plan")

    def fit(self, X: Any, y: Any, *, treatment: Any, sample_weight: Any = None) -> NetworkEstimator:
        """Learn from a table: covariates X [n d], outcomes y [n], treatments [n]. Returns self."""
        self.check()
        names = inputs.feature_names(X)
        x = inputs.covariates(X)
        outcome = inputs.outcomes(y, len(x))
        t, arms = inputs.arms(treatment, len(x))
        weight = inputs.weights(sample_weight, len(x))
        present = weight > 0
        x, outcome, t, weight = x[present], outcome[present], t[present], weight[present]
        inputs.enough_rows(t, arms, self.plan.validation)
        order = inputs.canonical_order(x, outcome, t)
        rows = Rows(*(values[order][None] for values in (x, t, outcome, weight)))
        recipe = self.recipe(self._outcome(outcome), arms, len(x))
        with bar(type(self).__name__, self.verbose) as report:
            fitted = fit_recipe(recipe, rows, self.plan, self._keys(1), members=self.members, report=report)
        self.fitted_, self.treatment_, self.n_features_in_ = fitted, arms, x.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        return self

    def fit_replications(self, rows: Rows, arms: Arms | Dose, *, report=None) -> Fitted:
        """Fit every replication of a study at once; rows are numpy arrays with a leading axis, as in a `Study`."""
        self.check()
        if not isinstance(arms, Arms):
            raise ValueError(f"{type(self).__name__} compares arms; it cannot learn from a study of doses.")
        recipe = self.recipe(self._outcome(np.asarray(rows.y)), arms, rows.t.shape[-1])
        keys = self._keys(len(rows.t))
        with bar(type(self).__name__, self.verbose) as own:
            return fit_recipe(recipe, rows, self.plan, keys, members=self.members, report=report or own)

    def effect(self, X: Any, *, T0: Any = 0, T1: Any = 1) -> Float[np.ndarray, " n"]:
        """Return each row's effect of T1 against T0: arms by name, one for all rows or one a row."""
        return self.member_effects(X, T0=T0, T1=T1).mean(axis=0)

    def member_effects(self, X: Any, *, T0: Any = 0, T1: Any = 1) -> Float[np.ndarray, "m n"]:
        """Return what every member of the ensemble says of each row's effect; `effect` is their mean."""
        x = self._covariates(X)
        return self.fitted_.effect(x, self._arm(T0, "T0", len(x)), self._arm(T1, "T1", len(x)))[0]

    def predict(self, X: Any) -> Float[np.ndarray, " n"]:
        """Return `effect(X)`, so that a pipeline's predict is useful."""
        return self.effect(X)

    def predict_outcome(self, X: Any, *, treatment: Any) -> Float[np.ndarray, " n"]:
        """Return each row's expected outcome under a treatment: an arm by name, one for all rows or one a row."""
        x = self._covariates(X)
        outcome = self.fitted_.outcome(x, self._arm(treatment, "treatment", len(x)))[0].mean(axis=0)
        return np.clip(outcome, *self.fitted_.reading.kind.bounds)

    def ate(self, X: Any, *, T0: Any = 0, T1: Any = 1) -> float:
        """Return the average effect over the rows of X."""
        return float(self.effect(X, T0=T0, T1=T1).mean())

    def score(self, X: Any, y: Any, *, treatment: Any, sample_weight: Any = None) -> float:
        """Return the negative pair loss on these rows, over all pairs of rows of different arms: higher is better."""
        x = self._covariates(X)
        observed = inputs.column(y, "y", len(x), "Did you pass the outcomes of another split?").astype(np.float64)
        t = self._arm(treatment, "treatment", len(x))
        predicted = self.predict_outcome(X, treatment=treatment)
        return -pair_loss(observed, predicted, t, weight=inputs.weights(sample_weight, len(x)))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_")

    def _outcome(self, y: np.ndarray) -> AbstractOutcome:
        binary = bool(np.isin(y, (0.0, 1.0)).all())
        if self.outcome == "bernoulli" and not binary:
            raise ValueError("outcome='bernoulli' needs y to be 0 or 1 (or booleans); other values came.")
        return Bernoulli() if self.outcome == "bernoulli" or (self.outcome == "auto" and binary) else Gaussian()

    def _keys(self, count: int):
        return jr.split(jr.key(self.seed), count)

    def _covariates(self, X: Any) -> np.ndarray:
        if not hasattr(self, "fitted_"):
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet. Call fit(X, y, treatment=t) first.")
        return inputs.covariates(X, getattr(self, "feature_names_in_", None), self.n_features_in_)

    def _arm(self, value: Any, name: str, rows: int) -> np.ndarray:
        position = self.treatment_.encode(value, name)
        if position.shape not in ((), (rows,)):
            raise ValueError(f"{name} must be one arm, or one per row: expected shape ({rows},), got {position.shape}.")
        return position


def expect(good: Any, method: object, name: str, what: str) -> None:
    """Raise if a hyperparameter is not what it must be."""
    if not good:
        raise ValueError(f"{type(method).__name__}.{name} must be {what}, got {getattr(method, name)!r}.")
