"""The face of every method: scikit-learn's contract with EconML's names."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import jax.random as jr
import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from pairnet.methods import choices, inputs
from pairnet.metrics import pair_loss
from pairnet.outcomes import AbstractOutcome, Bernoulli, Gaussian
from pairnet.training import Fitted, Plan, Recipe, fit_recipe
from pairnet.training.progress import bar
from pairnet.treatments import Arms, Dose, Treatment, dose_grid
from pairnet.types import Rows, is_whole

DEFAULT_PLAN = Plan()


@dataclass(kw_only=True, eq=False, repr=False)
class NetworkEstimator(BaseEstimator):
    """Hyperparameters that all methods share; `recipe` says the rest.

    plan: how to train. members: how many networks to fit and average. outcome: "gaussian" (a number), "bernoulli"
    (0 or 1), or "auto". treatment: "arms", "dose", or "auto": what the method can take and, if it can take both, a dose
    where the column holds numbers with more than ten different values. seed: the same seed and rows give the same
    numbers. verbose: show a progress bar.
    """

    plan: Plan = DEFAULT_PLAN
    members: int = 1
    outcome: Literal["auto", "gaussian", "bernoulli"] = "auto"
    treatment: Literal["auto", "arms", "dose"] = "auto"
    seed: int = 0
    verbose: bool = False

    pairable: ClassVar[bool] = False  # whether `PairNet` can train its network: the last stage has a factual loss
    takes: ClassVar[tuple[type, ...]] = (Arms,)  # what its treatment may be
    training_fields: ClassVar[tuple[str, ...]] = ("plan", "members", "outcome", "treatment", "seed", "verbose")

    @abc.abstractmethod
    def recipe(self, outcome: AbstractOutcome, treatment: Any, rows: int | float) -> Recipe:
        """Return this method as a sentence of networks, losses and pairings, for a table of so many rows."""

    @classmethod
    def published(cls, **changes: Any) -> NetworkEstimator:
        """Return the method as the paper trains it; `changes` are hyperparameters to set otherwise."""
        return cls(**({"plan": Plan.published()} | changes))

    def check(self) -> None:
        """Raise for a hyperparameter that makes no sense."""
        expect(is_whole(self.members) and self.members >= 1, self, "members", "a whole number, at least 1")
        expect(is_whole(self.seed), self, "seed", "a whole number")
        expect(self.outcome in ("auto", "gaussian", "bernoulli"), self, "outcome", "'auto', 'gaussian' or 'bernoulli'")
        expect(self.treatment in ("auto", "arms", "dose"), self, "treatment", "'auto', 'arms' or 'dose'")
        expect(isinstance(self.plan, Plan), self, "plan", "a pairnet.Plan")

    @property
    def label(self) -> str:
        """What errors call this method."""
        return type(self).__name__

    def announce(self, treatment: Treatment) -> None:
        """Say what the treatment was taken for, where that is a choice that the user may not have meant."""

    def fit(self, X: Any, y: Any, *, treatment: Any, sample_weight: Any = None) -> NetworkEstimator:
        """Learn from a table: covariates X [n d], outcomes y [n], treatments [n]. Returns self."""
        self.check()
        names = inputs.feature_names(X)
        x = inputs.covariates(X)
        outcome = inputs.outcomes(y, len(x))
        given = inputs.treatment_column(treatment, len(x))
        weight = inputs.weights(sample_weight, len(x))
        present = weight > 0
        x, outcome, given, weight = x[present], outcome[present], given[present], weight[present]
        t, kind = inputs.treatments(given, self.treatment, self.takes, self.label)
        self.announce(kind)
        inputs.enough_rows(t, kind, self.plan.validation)
        inputs.varying(outcome)
        order = inputs.canonical_order(x, outcome, t)
        rows = Rows(*(values[order][None] for values in (x, t, outcome, weight)))
        recipe = self.recipe(self._outcome(outcome), kind, len(x))
        with bar(type(self).__name__, self.verbose) as report:
            fitted = fit_recipe(recipe, rows, self.plan, self._keys(1), members=self.members, report=report)
        self.fitted_, self.treatment_, self.n_features_in_ = fitted, kind, x.shape[1]
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = names
        return self

    def fit_replications(
        self, rows: Rows, treatment: Treatment, *, numbers: Sequence[int] | None = None, report=None
    ) -> Fitted:
        """Fit every replication of a study at once; rows are numpy arrays with a leading axis, as in a `Study`.

        Treatments are positions of arms, or places of doses between 0 and 1. numbers: which replications of a larger
        whole these are (left out: 0, 1, ...), so that each gets the random numbers that it would get there.
        """
        self.check()
        inputs.can_take(treatment, self.takes, self.label)
        recipe = self.recipe(self._outcome(np.asarray(rows.y)), treatment, rows.t.shape[-1])
        which = range(len(rows.t)) if numbers is None else numbers
        keys = self._keys(max(which) + 1)[np.asarray(which)]
        with bar(type(self).__name__, self.verbose) as own:
            return fit_recipe(recipe, rows, self.plan, keys, members=self.members, report=report or own)

    def effect(self, X: Any, *, T0: Any = None, T1: Any = None) -> Float[np.ndarray, " n"]:
        """Return each row's effect of T1 against T0: arms by name, or doses; one for all rows or one a row.

        Left out, arm 1 is compared with arm 0, or the largest observed dose with the smallest.
        """
        return self.member_effects(X, T0=T0, T1=T1).mean(axis=0)

    def member_effects(self, X: Any, *, T0: Any = None, T1: Any = None) -> Float[np.ndarray, "m n"]:
        """Return what every member of the ensemble says of each row's effect; `effect` is their mean."""
        x = self._covariates(X)
        first, second = self.treatment_.contrast
        t0 = self._inside(first if T0 is None else T0, "T0", len(x))
        return self.fitted_.effect(x, t0, self._inside(second if T1 is None else T1, "T1", len(x)))[0]

    def predict(self, X: Any) -> Float[np.ndarray, " n"]:
        """Return `effect(X)`, so that a pipeline's predict is useful."""
        return self.effect(X)

    def predict_outcome(self, X: Any, *, treatment: Any) -> Float[np.ndarray, " n"]:
        """Return each row's expected outcome under an arm by name, or a dose; one for all rows or one a row."""
        x = self._covariates(X)
        return self._outcome_under(x, self._inside(treatment, "treatment", len(x)))

    def ate(self, X: Any, *, T0: Any = None, T1: Any = None) -> float:
        """Return the average effect over the rows of X."""
        return float(self.effect(X, T0=T0, T1=T1).mean())

    def dose_response(self, X: Any, grid: Any = None) -> Float[np.ndarray, "n g"]:
        """Return each row's expected outcome under every dose of `grid` (left out: 64 even steps over the range)."""
        return self.member_responses(X, grid).mean(axis=0)

    def average_dose_response(self, X: Any, grid: Any = None) -> Float[np.ndarray, " g"]:
        """Return the expected outcome under every dose of `grid`, averaged over the rows of X."""
        return self.dose_response(X, grid).mean(axis=0)

    def member_responses(self, X: Any, grid: Any = None) -> Float[np.ndarray, "m n g"]:
        """Return what every member says of each row's dose response; `dose_response` is their mean."""
        x, dose = self._covariates(X), self._dose("dose_response")
        places = np.atleast_1d(dose.encode(dose_grid(dose) if grid is None else grid, "grid"))
        if places.ndim != 1 or places.size == 0:
            raise ValueError(f"grid must be a list of one or more doses, got shape {places.shape}.")
        return np.clip(self.fitted_.curve(x, places)[0], *self.fitted_.reading.kind.bounds)

    def marginal_effect(self, T: Any, X: Any) -> Float[np.ndarray, " n"]:
        """Return how fast each row's outcome changes with the dose, per unit of it, at T: one for all or one a row."""
        x, dose = self._covariates(X), self._dose("marginal_effect")
        return self.fitted_.slope(x, self._inside(T, "T", len(x)))[0].mean(axis=0) / (dose.high - dose.low)

    def optimal_treatment(self, X: Any, *, cost: Any = None, bounds: Any = None, goal: str = "max") -> np.ndarray:
        """Return each row's best treatment: the arm, or the dose within `bounds`, with the best outcome after its cost.

        goal: whether a large outcome is good ("max") or a small one ("min"). cost: what a treatment costs, in units of
        the outcome: for doses a number (per unit of dose) or a function of doses, for arms a dictionary by arm.
        bounds: doses to choose from (left out: those observed).
        """
        x = self._covariates(X)
        if goal not in ("max", "min"):
            raise ValueError(f"goal must be 'max' or 'min', got {goal!r}.")
        sign = 1.0 if goal == "max" else -1.0
        outcome = lambda x, t: sign * self.fitted_.curve(x, t)[0].mean(axis=0)
        if isinstance(self.treatment_, Arms):
            return choices.best_arm(x, outcome, self.treatment_, cost, bounds)
        return choices.best_dose(x, outcome, self.treatment_, cost, bounds)

    def score(self, X: Any, y: Any, *, treatment: Any, sample_weight: Any = None) -> float:
        """Return the negative pair loss on these rows, over all pairs of rows treated differently: higher is better."""
        x = self._covariates(X)
        observed, weight = inputs.outcomes(y, len(x)), inputs.weights(sample_weight, len(x))
        t = np.broadcast_to(self._inside(treatment, "treatment", len(x)), len(x))
        if len(np.unique(t[weight > 0])) < 2:
            only = np.asarray(treatment).reshape(-1)[0]
            raise ValueError(
                f"score compares rows that were treated differently: expected at least two treatments, got only {only}."
                " Pass rows of several."
            )
        return -pair_loss(observed, self._outcome_under(x, t), t, weight=weight)

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

    def _inside(self, value: Any, name: str, rows: int) -> np.ndarray:
        """Return a treatment as the networks see it: the position of an arm, or the place of a dose."""
        position = self.treatment_.encode(value, name)
        if position.shape not in ((), (rows,)):
            what = "arm" if isinstance(self.treatment_, Arms) else "dose"
            raise ValueError(
                f"{name} must be one {what}, or one per row: expected shape ({rows},), got {position.shape}."
            )
        return position

    def _outcome_under(self, x: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.clip(self.fitted_.outcome(x, t)[0].mean(axis=0), *self.fitted_.reading.kind.bounds)

    def _dose(self, asked: str) -> Dose:
        if not isinstance(self.treatment_, Dose):
            labels = ", ".join(map(repr, self.treatment_.labels[:5]))
            raise ValueError(f"{asked} needs a model of doses; this one compares arms ({labels}). Use effect(X).")
        return self.treatment_


def expect(good: Any, method: object, name: str, what: str) -> None:
    """Raise if a hyperparameter is not what it must be."""
    if not good:
        raise ValueError(f"{type(method).__name__}.{name} must be {what}, got {getattr(method, name)!r}.")
