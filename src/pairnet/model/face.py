"""The face of every method: what scikit-learn asks of an estimator, with the names of EconML."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import RegressorTags

from pairnet.core.notices import notice
from pairnet.core.outcomes import outcome_of
from pairnet.core.treatments import Treatment, can_take
from pairnet.core.types import Rows
from pairnet.engines import AbstractEngine, engine_of
from pairnet.evidence.leaks import announce_leaks
from pairnet.evidence.memory import Memory
from pairnet.inference import intervals, resampling
from pairnet.model import door, streamed
from pairnet.model.asked import Asked
from pairnet.model.learner import Learner
from pairnet.model.model import Model
from pairnet.model.named import check_places
from pairnet.model.replications import OneByOne, Replications
from pairnet.model.searches import stop_where_folds_lack_an_arm
from pairnet.model.summary import summary
from pairnet.tables.source import Scan
from pairnet.training.progress import for_whom_it_may_concern, is_watched, silent

Self = TypeVar("Self", bound="Estimator")

stop_where_folds_lack_an_arm()


@dataclass(kw_only=True, eq=False, repr=False)
class Estimator(Learner, Asked, BaseEstimator):
    """A learner that people fit and ask; only `learn` and `restore` are left to subclasses."""

    # What scikit-learn's searches and pipelines pass on, once metadata routing is switched on.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {
        "treatment": True,
        "sample_weight": True,
        "groups": True,
        "propensity": True,
    }
    __metadata_request__score: ClassVar[dict[str, bool]] = {
        "treatment": True,
        "sample_weight": True,
    }

    def fit(
        self: Self,
        X: Any,
        y: Any,
        *others: Any,
        treatment: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        propensity: Any = None,
        engine: AbstractEngine | str | None = None,
    ) -> Self:
        """Learn from a table: covariates X [n d], outcomes y [n], treatments [n]. Returns self.

        X is an array or a data frame of pandas, polars or another library: numbers, booleans,
        categories, text and dates, with missing values; or `pairnet.scan("big/")`, a table that
        need not fit in memory, whose columns y, treatment and the others name. y is a number, a
        boolean, or one of two labels (the second in the order of the alphabet counts as 1). The
        treatment holds labels, numbers or booleans. Columns of a data frame may be named, as in
        `fit(df, "re78", treatment="treat")`; they are no covariates then. groups: which rows belong
        together, as the people of a village: they share folds, are drawn together, and count as one
        in errors. propensity: the chances of the arms in an experiment: a number (of the treated
        arm of two), a dictionary by arm, or one a row, for several arms a column an arm. engine:
        where the learners of a stack learn, and members that learn one by one: "ray", or a value as
        `pairnet.engines.Processes(4)`; networks train all members in one program.
        """
        check_places("fit", others)
        where = None if engine is None else engine_of(engine)
        self.check()
        begun = time.perf_counter()
        enter = streamed.enter if isinstance(X, Scan) else door.enter
        fit_table = enter(
            X,
            y,
            treatment,
            sample_weight,
            groups=groups,
            propensity=propensity,
            kind=self.treatment,
            takes=self.takes,
            method=self.label,
        )
        return self.fit_entered(fit_table, where, begun)

    def fit_entered(
        self: Self,
        fit_table: door.FitTable,
        engine: AbstractEngine | None = None,
        begun: float | None = None,
    ) -> Self:
        """Learn from a table that has passed the door; begun: when it came there."""
        begun = time.perf_counter() if begun is None else begun
        if message := self.announcement(fit_table.treatment):
            notice(*message)
        if self.has_intervals:
            intervals.announce_few(self.members)
        elif is_watched():
            intervals.announce_none(self.label)
        door.announce(fit_table)
        self.model_ = self._learned(fit_table, begun, engine)
        self.remember_columns()
        return self

    def _learned(
        self, fit_table: door.FitTable, begun: float, engine: AbstractEngine | None
    ) -> Model:
        """Return the model of a table; rows for calibration are kept out of the training."""
        rows, treatment = fit_table.rows, fit_table.treatment
        x, t, y = np.asarray(rows.x), np.asarray(rows.t), np.asarray(rows.y)
        clusters, strata = fit_table.clusters, treatment.strata
        taken = ~resampling.kept_out(t, strata, self.calibration, self.seed, clusters)
        some = rows if taken.all() else rows.take(np.flatnonzero(taken))  # no copy of a large one
        treatment.check_rows(t[taken], self.rows_needed, self.rows_purpose)
        door.check_varies(y[taken])
        announce_leaks(fit_table.schema, x, t, y, treatment)
        of_taken = None if clusters is None else clusters[taken]
        drawn = self._draws(t[taken][None], treatment, of_taken)
        outcome = outcome_of(self.outcome, y)
        own_draws = None if drawn is None else drawn[0]
        with for_whom_it_may_concern(type(self).__name__, self.verbose) as report:
            predictor = self.learn(
                some, treatment, outcome, draws=own_draws, report=report, engine=engine
            )
        draws = np.zeros((self.members, len(t)), int)
        draws[:, taken] = 1 if own_draws is None else own_draws
        seconds = time.perf_counter() - begun
        about_fit = summary(some, treatment, outcome, predictor, seconds, fit_table.names)
        known = {"clusters": clusters, "design": fit_table.design}
        memory = Memory.of(rows, fit_table.place, draws, treatment, about_fit, self.seed, **known)
        return Model(
            predictor, treatment, outcome, fit_table.labels, fit_table.schema, memory, self.label
        )

    def fit_replications(
        self,
        rows: Rows,
        treatment: Treatment,
        *,
        numbers: Sequence[int] | None = None,
        report=None,
    ) -> Replications:
        """Fit every replication of a study; rows are arrays with a leading axis, as in a `Study`.

        Treatments are positions of arms, or places of doses between 0 and 1. numbers: the numbers
        of these replications in a larger whole (left out: 0, 1, ...), so that each replication gets
        the random numbers that it would get there.
        """
        self.check()
        can_take(treatment, self.takes, self.label)
        outcome = outcome_of(self.outcome, rows.y)
        drawn = self._draws(np.asarray(rows.t), treatment)
        numbers = range(len(rows.t)) if numbers is None else numbers
        return OneByOne(
            tuple(
                self.learn_replications(
                    rows, treatment, outcome, numbers=numbers, draws=drawn, report=report or silent
                )
            )
        )

    def report(self, path: str | os.PathLike[str] | None = None, *rows: Any, **asked: Any) -> Any:
        """Return the page on the model, which a notebook shows; `path`: where it is written, too.

        rows: X, y and treatment of rows to judge the model by; left out, it is judged by those that
        it remembers. asked: what is compared and for whom, as in `pairnet.model_report`.
        """
        import pairnet  # the page is made above the models

        page = pairnet.model_report(self, *rows, **asked)
        if path is not None:
            page.write(path)
        return page

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the fitted model into a folder: weights as safetensors, all else as JSON.

        `pairnet.load(folder)` reads it. An older model in the folder is replaced in one step; a
        folder that holds anything else is left alone.
        """
        from pairnet.model.stored import save  # which knows this class

        _ = self._model
        save(self, folder)

    def export_onnx(
        self,
        path: str | os.PathLike[str],
        *,
        T0: Any = None,
        T1: Any = None,
        alpha: float = 0.05,
    ) -> None:
        """Write the fitted model as a file of ONNX, which needs no pairnet to be asked.

        Columns of a table go in as they are; effects, expected outcomes and, if the model has them,
        intervals come out. T0, T1: what is compared, for all rows; left out, both are inputs of the
        file. alpha: the share that intervals may miss. docs/serving.md shows how to ask the file.
        """
        import pairnet  # files are written above the models

        settings = {"T0": T0, "T1": T1, "alpha": alpha}
        pairnet.export.export(self._model, path, kind="onnx", **settings)

    def call_columns(self: Self, **names: str) -> Self:
        """Set what the treatment and the outcome are called: `call_columns(treatment="dose")`.

        Reports use these names. `fit` takes them from the names of series.
        """
        self.model_ = self._model.named(**names)
        return self

    def remember_columns(self) -> None:
        """Keep the number of columns and their names, if any, as scikit-learn's attributes."""
        schema = self._model.schema
        self.n_features_in_ = len(schema.columns)
        self.__dict__.pop("feature_names_in_", None)
        if schema.named:
            self.feature_names_in_ = np.asarray(schema.names, dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.target_tags.required = True
        # A number a row, so that partial_dependence takes it; it is the effect, not the outcome.
        tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags(poor_score=True)
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _draws(
        self, t: np.ndarray, treatment: Treatment, clusters: np.ndarray | None = None
    ) -> np.ndarray | None:
        """Return how often each member draws each row; None: every member sees each row once."""
        if not self.bootstrap:
            return None
        own = self.members, self.seed, self.rows_needed
        return resampling.bootstrap(np.asarray(t), treatment.strata, *own, clusters)
