"""The face of every method: scikit-learn's contract with EconML's names."""

from __future__ import annotations

import abc
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import jax.random as jr
import numpy as np
from jaxtyping import Float
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from pairnet.core.notices import notice
from pairnet.core.outcomes import AbstractOutcome, Bernoulli, Gaussian
from pairnet.core.treatments import Arms, Dose, Treatment, dose_grid
from pairnet.core.types import Rows, is_number, is_whole
from pairnet.evidence import memory as evidence
from pairnet.evidence import overlap as diagnostics
from pairnet.evidence.leaks import announce_leaks
from pairnet.evidence.support import Support, support
from pairnet.inference import intervals, resampling
from pairnet.inference import policy as choices
from pairnet.metrics import pair_loss
from pairnet.model import door as inputs
from pairnet.tables import Schema, opened
from pairnet.training import Fitted, Plan, Recipe, fit_recipe
from pairnet.training.progress import bar

DEFAULT_PLAN = Plan()


@dataclass(kw_only=True, eq=False, repr=False)
class NetworkEstimator(BaseEstimator):
    """Hyperparameters that all methods share; `recipe` says the rest.

    plan: how to train. members: how many networks to fit and average. outcome: "gaussian" (a
    number), "bernoulli" (0 or 1), or "auto". treatment: "arms", "dose", or "auto": what the method
    can take and, if it can take both, a dose where the column holds numbers with more than ten
    different values. seed: the same seed and rows give the same numbers. verbose: show a progress
    bar. bootstrap: whether every member trains on its own draw of the rows, which intervals need
    (at least 2 members). calibration: the share of rows that nobody trains on, which conformal
    intervals need.
    """

    plan: Plan = DEFAULT_PLAN
    members: int = 1
    outcome: Literal["auto", "gaussian", "bernoulli"] = "auto"
    treatment: Literal["auto", "arms", "dose"] = "auto"
    seed: int = 0
    verbose: bool = False
    bootstrap: bool = False
    calibration: float = 0.0

    pairable: ClassVar[bool] = (
        False  # whether `PairNet` can train its network: the last stage has a factual loss
    )
    takes: ClassVar[tuple[type, ...]] = (Arms,)  # what its treatment may be
    training_fields: ClassVar[tuple[str, ...]] = (
        "plan",
        "members",
        "outcome",
        "treatment",
        "seed",
        "verbose",
        "bootstrap",
        "calibration",
    )

    # What scikit-learn's searches and pipelines pass on by themselves, once its metadata routing is
    # switched on.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"treatment": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"treatment": True}

    @abc.abstractmethod
    def recipe(self, outcome: AbstractOutcome, treatment: Any, rows: int | float) -> Recipe:
        """Return this method as a sentence of networks, losses and pairings, for a table of so many
        rows."""

    @classmethod
    def published(cls, **changes: Any) -> NetworkEstimator:
        """Return the method as the paper trains it; `changes` are hyperparameters to set
        otherwise."""
        return cls(**({"plan": Plan.published()} | changes))

    def check(self) -> None:
        """Raise for a hyperparameter that makes no sense."""
        expect(
            is_whole(self.members) and self.members >= 1,
            self,
            "members",
            "a whole number, at least 1",
        )
        expect(is_whole(self.seed), self, "seed", "a whole number")
        expect(
            self.outcome in ("auto", "gaussian", "bernoulli"),
            self,
            "outcome",
            "'auto', 'gaussian' or 'bernoulli'",
        )
        expect(
            self.treatment in ("auto", "arms", "dose"),
            self,
            "treatment",
            "'auto', 'arms' or 'dose'",
        )
        expect(isinstance(self.plan, Plan), self, "plan", "a pairnet.Plan")
        expect(isinstance(self.bootstrap, bool | np.bool_), self, "bootstrap", "True or False")
        expect(
            not self.bootstrap or self.members >= 2,
            self,
            "members",
            "at least 2 where bootstrap is on, better 5",
        )
        good = is_number(self.calibration) and 0 <= self.calibration < 1
        expect(
            good,
            self,
            "calibration",
            "a share from 0 up to, not including, 1 (0.2 keeps 20 % of the rows out)",
        )

    @property
    def label(self) -> str:
        """What errors call this method."""
        return type(self).__name__

    @property
    def results_version(self) -> int:
        """The version of its numbers: one more with every change of code that changes them."""
        return 1

    def announce(self, treatment: Treatment) -> None:
        """Say what the treatment was taken for, where that is a choice that the user may not have
        meant."""

    def fit(
        self, X: Any, y: Any, *, treatment: Any = None, sample_weight: Any = None
    ) -> NetworkEstimator:
        """Learn from a table: covariates X [n d], outcomes y [n], treatments [n]. Returns self.

        X is an array or a data frame of pandas, polars or another library: numbers, booleans,
        categories, text and dates, with missing values. y is a number, a boolean, or one of two
        labels (the second in the order of the alphabet counts as 1). The treatment holds labels,
        numbers or booleans.
        """
        self.check()
        begun = time.perf_counter()
        table = opened(X)
        inputs.has_treatment(treatment, "fit")
        inputs.aligned(X, y=y, treatment=treatment, sample_weight=sample_weight)
        outcome, labels = inputs.outcomes(y, table.rows)
        given = inputs.treatment_column(treatment, table.rows)
        weight = inputs.weights(sample_weight, table.rows)
        present = weight > 0
        if not present.all():
            table, outcome, given, weight = (
                table.take(present),
                outcome[present],
                given[present],
                weight[present],
            )
        schema = Schema.of(table)
        x = schema.encode(table)
        t, kind = inputs.treatments(given, self.treatment, self.takes, self.label)
        self.announce(kind)
        inputs.announce_left_out(schema)
        inputs.announce_labels(labels)
        order = inputs.canonical_order(x, outcome, t)
        x, t, outcome, weight = x[order], t[order], outcome[order], weight[order]
        seen = ~resampling.kept_out(t, kind.strata, self.calibration, self.seed)
        inputs.enough_rows(t[seen], kind, self.plan.validation)
        inputs.varying(outcome[seen])
        announce_leaks(schema.features, x, t, outcome, kind)
        rows = Rows(*(values[None, seen] for values in (x, t, outcome, weight)))
        recipe = self.recipe(self._outcome(outcome), kind, rows.t.shape[-1])
        drawn = self._draws(t[None, seen], kind)
        with bar(type(self).__name__, self.verbose) as report:
            fitted = fit_recipe(
                recipe,
                rows,
                self.plan,
                self._keys(1),
                members=self.members,
                draws=drawn,
                report=report,
            )
        self.fitted_, self.treatment_, self.schema_, self.outcome_labels_ = (
            fitted,
            kind,
            schema,
            labels,
        )
        draws = np.zeros((self.members, len(x)), int)
        draws[:, seen] = 1 if drawn is None else drawn[0]
        said = evidence.summary(rows, kind, recipe.outcome, fitted, time.perf_counter() - begun)
        said["names"] = inputs.names_of(treatment=treatment, outcome=y)
        self.training_ = evidence.Training.of(
            Rows(x, t, outcome, weight), np.flatnonzero(present)[order], draws, said, self.seed
        )
        self.remember_columns()
        return self

    def fit_replications(
        self, rows: Rows, treatment: Treatment, *, numbers: Sequence[int] | None = None, report=None
    ) -> Fitted:
        """Fit every replication of a study at once; rows are numpy arrays with a leading axis, as
        in a `Study`.

        Treatments are positions of arms, or places of doses between 0 and 1. numbers: which
        replications of a larger whole these are (left out: 0, 1, ...), so that each gets the random
        numbers that it would get there.
        """
        self.check()
        inputs.can_take(treatment, self.takes, self.label)
        recipe = self.recipe(self._outcome(np.asarray(rows.y)), treatment, rows.t.shape[-1])
        which = np.arange(len(rows.t)) if numbers is None else np.asarray(numbers)
        keys, drawn = (
            self._keys(int(which.max()) + 1)[which],
            self._draws(np.asarray(rows.t), treatment),
        )
        with bar(type(self).__name__, self.verbose) as own:
            return fit_recipe(
                recipe,
                rows,
                self.plan,
                keys,
                members=self.members,
                draws=drawn,
                report=report or own,
            )

    def effect(self, X: Any, *, T0: Any = None, T1: Any = None) -> Any:
        """Return each row's effect of T1 against T0: arms by name, or doses; one for all rows or
        one a row.

        Left out, one of two arms is compared with the baseline (`treatment_.baseline`), or a dose
        that is high for most rows with a low one (the 90th percentile of the observed doses with
        the 10th, rounded): `treatment_.contrast`. A data frame gives a series with its index, an
        array gives an array.
        """
        table = opened(X)
        return table.series(self.member_effects(table, T0=T0, T1=T1).mean(axis=0), "effect")

    def member_effects(self, X: Any, *, T0: Any = None, T1: Any = None) -> Float[np.ndarray, "m n"]:
        """Return what every member of the ensemble says of each row's effect; `effect` is their
        mean."""
        return self._asked(X, T0, T1).members()

    def predict(self, X: Any) -> Any:
        """Return `effect(X)`, so that a pipeline's predict is useful."""
        return self.effect(X)

    def predict_outcome(self, X: Any, *, treatment: Any) -> Any:
        """Return each row's expected outcome under an arm by name, or a dose; one for all rows or
        one a row."""
        x = self._covariates(X)
        return opened(X).series(
            self._outcome_under(x, self._inside(treatment, "treatment", len(x))), "outcome"
        )

    def ate(self, X: Any, *, T0: Any = None, T1: Any = None, kind: str = "plugin") -> float:
        """Return the average effect over the rows of X: of the model itself, or corrected ("doubly
        robust")."""
        intervals.one_of(kind, ("plugin", "doubly robust"))
        if kind == "plugin":
            return float(self.member_effects(X, T0=T0, T1=T1).mean(axis=0).mean())
        return intervals.doubly_robust(self._asked(X, T0, T1)).value

    def effect_interval(
        self,
        X: Any,
        *,
        T0: Any = None,
        T1: Any = None,
        alpha: float = 0.05,
        kind: str = "bootstrap",
    ) -> tuple[Any, Any]:
        """Return the lower and upper end of each row's interval, of which the share `alpha` may
        miss.

        kind: "bootstrap", for the effect itself, how far it would move if the rows were collected
        anew (fit with bootstrap=True); "conformal", for the difference in outcome between the row
        under T1 and its like under T0, the chance of both outcomes included (fit with
        calibration=0.2). docs/intervals.md says what they cover.
        """
        intervals.check_level(alpha)
        intervals.one_of(kind, ("bootstrap", "conformal"))
        find = intervals.bootstrap if kind == "bootstrap" else intervals.conformal
        lower, upper = find(self._asked(X, T0, T1), alpha)
        return opened(X).series(lower, "lower"), opened(X).series(upper, "upper")

    def ate_interval(
        self,
        X: Any,
        *,
        T0: Any = None,
        T1: Any = None,
        alpha: float = 0.05,
        kind: str = "bootstrap",
    ) -> tuple[float, float]:
        """Return an interval for the average effect among rows like those of X.

        kind: "bootstrap", around the members' average (fit with bootstrap=True), or "doubly
        robust", around `ate(X, kind="doubly robust")`.
        """
        intervals.check_level(alpha)
        intervals.one_of(kind, ("bootstrap", "doubly robust"))
        asked = self._asked(X, T0, T1)
        if kind == "bootstrap":
            return intervals.around(intervals.average(asked), alpha)
        intervals.need_unseen(self.training_)
        return intervals.around(intervals.doubly_robust(asked), alpha)

    def support(
        self, X: Any, *, T0: Any = None, T1: Any = None, k: int = 3, space: str = "covariates"
    ) -> Support:
        """Return the evidence behind each row's effect: its k nearest observed partners under T0
        and under T1.

        space: where they are near, in the standardised "covariates", which no model can bend, or in
        the model's own "representation", which knows what matters but may fold strange rows onto
        known ones.
        """
        if not (is_whole(k) and k >= 1):
            raise ValueError(f"k must be a whole number of partners, at least 1, got {k!r}.")
        asked = self._asked(X, T0, T1)
        return support(
            self.fitted_, self.training_, self.treatment_, *asked[3:], int(k), space, opened(X)
        )

    def overlap(self) -> diagnostics.Overlap:
        """Return how likely each arm was for each row of the fit; doses are cut into three
        groups."""
        self._check_fitted()
        return diagnostics.overlap(self.training_, self.treatment_)

    def covariate_balance(self) -> diagnostics.Balance:
        """Return how alike the arms' covariates are, before and after weighting; doses are cut into
        three groups."""
        self._check_fitted()
        return diagnostics.balance(self.training_, self.treatment_, self.schema_.features)

    def dose_response(self, X: Any, grid: Any = None) -> Float[np.ndarray, "n g"]:
        """Return each row's expected outcome under every dose of `grid` (left out: 64 even steps
        over the range)."""
        return self.member_responses(X, grid).mean(axis=0)

    def average_dose_response(self, X: Any, grid: Any = None) -> Float[np.ndarray, " g"]:
        """Return the expected outcome under every dose of `grid`, averaged over the rows of X."""
        return self.dose_response(X, grid).mean(axis=0)

    def member_responses(self, X: Any, grid: Any = None) -> Float[np.ndarray, "m n g"]:
        """Return what every member says of each row's dose response; `dose_response` is their
        mean."""
        x, dose = self._covariates(X), self._dose("dose_response")
        places = np.atleast_1d(dose.encode(dose_grid(dose) if grid is None else grid, "grid"))
        if places.ndim != 1 or places.size == 0:
            raise ValueError(f"grid must be a list of one or more doses, got shape {places.shape}.")
        return np.clip(self.fitted_.curve(x, places)[0], *self.fitted_.reading.kind.bounds)

    def marginal_effect(self, T: Any, X: Any) -> Any:
        """Return how fast each row's outcome changes with the dose, per unit of it, at T: one for
        all or one a row."""
        x, dose = self._covariates(X), self._dose("marginal_effect")
        slope = self.fitted_.slope(x, self._inside(T, "T", len(x)))[0].mean(axis=0) / (
            dose.high - dose.low
        )
        return opened(X).series(slope, "marginal_effect")

    def optimal_treatment(
        self, X: Any, *, cost: Any = None, bounds: Any = None, goal: str = "max"
    ) -> Any:
        """Return each row's best treatment: the arm, or the dose within `bounds`, with the best
        outcome after its cost.

        goal: whether a large outcome is good ("max") or a small one ("min"). cost: what a treatment
        costs, in units of the outcome: for doses a number (per unit of dose) or a function of
        doses, for arms a dictionary by arm. bounds: doses to choose from (left out: those
        observed).
        """
        x = self._covariates(X)
        if goal not in ("max", "min"):
            raise ValueError(f"goal must be 'max' or 'min', got {goal!r}.")
        sign = 1.0 if goal == "max" else -1.0
        outcome = lambda x, t: sign * self.fitted_.curve(x, t)[0].mean(axis=0)
        if isinstance(self.treatment_, Arms):
            best = choices.best_arm(x, outcome, self.treatment_, cost, bounds)
        else:
            best = choices.best_dose(x, outcome, self.treatment_, cost, bounds)
        return opened(X).series(best, "treatment")

    def score(self, X: Any, y: Any, *, treatment: Any = None, sample_weight: Any = None) -> float:
        """Return the negative pair loss on these rows, over all pairs of rows treated differently:
        higher is better."""
        x = self._covariates(X)
        inputs.aligned(X, y=y, treatment=treatment, sample_weight=sample_weight)
        observed = inputs.outcomes_as_in_fit(y, len(x), self.outcome_labels_)
        weight = inputs.weights(sample_weight, len(x))
        inputs.has_treatment(treatment, "score")
        t = np.broadcast_to(self._inside(treatment, "treatment", len(x)), len(x))
        if len(np.unique(t[weight > 0])) < 2:
            only = np.asarray(treatment).reshape(-1)[0]
            raise ValueError(
                "score compares rows that were treated differently: expected at least two "
                f"treatments, got only {only}."
                " Pass rows of several."
            )
        return -pair_loss(observed, self._outcome_under(x, t), t, weight=weight)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the fitted model into a folder, which `pairnet.load(folder)` reads: weights as
        safetensors, else JSON.

        An older model in the folder is replaced in one step; a folder that holds anything else is
        left alone.
        """
        from pairnet.model.stored import save  # which knows all methods

        self._check_fitted()
        save(self, folder)

    def remember_columns(self) -> None:
        """Keep the number of columns and their names, if they have some, where scikit-learn looks
        for them."""
        self.n_features_in_ = len(self.schema_.columns)
        self.__dict__.pop("feature_names_in_", None)
        if self.schema_.named:
            self.feature_names_in_ = np.asarray(self.schema_.names, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "fitted_")

    def _outcome(self, y: np.ndarray) -> AbstractOutcome:
        binary = bool(np.isin(y, (0.0, 1.0)).all())
        if self.outcome == "bernoulli" and not binary:
            raise ValueError(
                "outcome='bernoulli' needs y to be 0 or 1 (or booleans); other values came."
            )
        return (
            Bernoulli()
            if self.outcome == "bernoulli" or (self.outcome == "auto" and binary)
            else Gaussian()
        )

    def _asked(self, X: Any, T0: Any, T1: Any) -> intervals.Asked:
        x = self._covariates(X)
        if T0 is None or T1 is None:
            first, second = self.treatment_.contrast
            T0, T1 = first if T0 is None else T0, second if T1 is None else T1
        t0, t1 = self._inside(T0, "T0", len(x)), self._inside(T1, "T1", len(x))
        return intervals.Asked(self.fitted_, self.training_, self.treatment_, x, t0, t1)

    def _draws(self, t: np.ndarray, kind: Treatment) -> np.ndarray | None:
        """Return how often each member draws each row, or None where every member sees every row
        once."""
        if not self.bootstrap:
            return None
        least = inputs.fewest_rows(self.plan.validation)
        return resampling.bootstrap(t, kind.strata, self.members, self.seed, least)

    def _keys(self, count: int):
        return jr.split(jr.key(self.seed), count)

    def _check_fitted(self) -> None:
        if not hasattr(self, "fitted_"):
            raise NotFittedError(
                f"This {type(self).__name__} is not fitted yet. Call fit(X, y, treatment=t) first."
            )

    def _covariates(self, X: Any) -> np.ndarray:
        self._check_fitted()
        table = opened(X)
        if not self.schema_.named and table.names is not None:
            notice(
                "X has names of columns, but fit saw an array: columns are taken by their place. "
                "For the last step of "
                "a pipeline transform X first, as in model[-1].effect(model[:-1].transform(X))."
            )
        return self.schema_.encode(table)

    def _inside(self, value: Any, name: str, rows: int) -> np.ndarray:
        """Return a treatment as the networks see it: the position of an arm, or the place of a
        dose."""
        position = self.treatment_.encode(value, name)
        if position.shape not in ((), (rows,)):
            what = "arm" if isinstance(self.treatment_, Arms) else "dose"
            raise ValueError(
                f"{name} must be one {what}, or one per row: expected shape ({rows},), got "
                f"{position.shape}."
            )
        return position

    def _outcome_under(self, x: np.ndarray, t: np.ndarray) -> np.ndarray:
        return np.clip(
            self.fitted_.outcome(x, t)[0].mean(axis=0), *self.fitted_.reading.kind.bounds
        )

    def _dose(self, asked: str) -> Dose:
        if not isinstance(self.treatment_, Dose):
            labels = ", ".join(map(repr, self.treatment_.labels[:5]))
            raise ValueError(
                f"{asked} needs a model of doses; this one compares arms ({labels}). Use effect(X)."
            )
        return self.treatment_


def expect(good: Any, method: object, name: str, what: str) -> None:
    """Raise if a hyperparameter is not what it must be."""
    if not good:
        raise ValueError(
            f"{type(method).__name__}.{name} must be {what}, got {getattr(method, name)!r}."
        )
