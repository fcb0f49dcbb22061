"""What people ask of a fitted model, with the names of EconML: the same for every method."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Treatment
from pairnet.core.treatments.arms import IN_FOLDS
from pairnet.evidence.balance import Balance, balance
from pairnet.evidence.leaks import Leak, leaks
from pairnet.evidence.memory import Memory
from pairnet.evidence.overlap import Overlap, overlap
from pairnet.evidence.refutation import Refutation
from pairnet.evidence.support import Support
from pairnet.inference import intervals
from pairnet.metrics import CalibrationTest, Coefficients, pair_loss
from pairnet.model import blocks, door, heterogeneity, refuting
from pairnet.model.explaining import WALKS, Explanation, explain, rows_to_explain
from pairnet.model.heterogeneity import GroupEffects
from pairnet.model.learner import Learner
from pairnet.model.named import named_apart
from pairnet.model.negative_controls import controls_of
from pairnet.model.policies import AskedOfPolicies
from pairnet.model.question import Question, ask, ask_memory
from pairnet.model.refuting import REPEATS
from pairnet.tables import Schema, opened
from pairnet.tables.source import Scan


class Asked(AskedOfPolicies):
    """A fitted model's answers; `model_` is the fitted model as one frozen value."""

    def ask(
        self,
        X: Any,
        *,
        T0: Any = None,
        T1: Any = None,
        target: str = "all",
        sample_weight: Any = None,
    ) -> Question:
        """Ask what T1 would change against T0 for the rows of X; the answers are remembered.

        target, sample_weight: whose average is asked for, as in `ate`.
        """
        return ask(self._model, X, T0, T1, target, sample_weight)

    def effect(self, X: Any, *, T0: Any = None, T1: Any = None) -> Any:
        """Return each row's effect of T1 against T0.

        Both are names of arms, or doses: one for all rows, or one a row. If they are left out, one
        of two arms is compared with the baseline (`treatment_.baseline`), or a dose that is high
        for most rows with a low one (the 90th percentile of the observed doses with the 10th,
        rounded): see `treatment_.contrast`. A data frame gives a series with its index, an array
        gives an array, a `pairnet.scan` a series of polars, block by block.
        """
        if isinstance(X, Scan):
            return blocks.effect(self._model, X, T0, T1)
        question = self.ask(X, T0=T0, T1=T1)
        return question.series(question.effect, "effect")

    def member_effects(self, X: Any, *, T0: Any = None, T1: Any = None) -> Float[np.ndarray, "m n"]:
        """Return each row's effect by every member; `effect` is their mean."""
        return self.ask(X, T0=T0, T1=T1).members

    def predict(self, X: Any) -> Any:
        """Return `effect(X)`, so that a pipeline's predict is useful."""
        return self.effect(X)

    def predict_outcome(self, X: Any, *, treatment: Any) -> Any:
        """Return each row's expected outcome under an arm or a dose, one for all or one a row."""
        model, table = self._model, opened(X)
        x = model.encoded(table)
        t = model.inside(treatment, "treatment", len(x))
        return table.series(model.expected(x, t), "outcome")

    def ate(
        self,
        X: Any,
        *,
        T0: Any = None,
        T1: Any = None,
        kind: str = "plugin",
        target: str = "all",
        sample_weight: Any = None,
    ) -> float:
        """Return the average effect over the rows of X.

        kind: "plugin" is the mean of the model's own effects; "doubly robust" is corrected by
        outcomes. target: whose average: that of "all" rows, of the "treated" (who received T1), of
        the "untreated" (who received T0), or of the "overlap" (who might have received either). If
        X are the rows of the fit, it is known who was treated; other rows count by their chances.
        sample_weight: how much each row of X counts, left out all alike.
        """
        intervals.check_kind(kind, ("plugin", "doubly robust"))
        question = self.ask(X, T0=T0, T1=T1, target=target, sample_weight=sample_weight)
        return float(question.mean if kind == "plugin" else question.doubly_robust.value)

    def effect_interval(
        self,
        X: Any,
        *,
        T0: Any = None,
        T1: Any = None,
        alpha: float = 0.05,
        kind: str = "bootstrap",
    ) -> tuple[Any, Any]:
        """Return the lower and upper ends of each row's interval; the share `alpha` may miss.

        kind: "bootstrap" is for the effect itself: how far it would move if the rows were collected
        anew (fit with bootstrap=True). "conformal" is for the difference in outcome between the row
        under T1 and a row like it under T0, with the chance in both outcomes (fit with
        calibration=0.2). docs/intervals.md says what the intervals cover.
        """
        intervals.check_level(alpha)
        intervals.check_kind(kind, ("bootstrap", "conformal"))
        question = self.ask(X, T0=T0, T1=T1)
        lower, upper = question.interval(alpha, kind)
        return question.series(lower, "lower"), question.series(upper, "upper")

    def ate_interval(
        self,
        X: Any,
        *,
        T0: Any = None,
        T1: Any = None,
        alpha: float = 0.05,
        kind: str = "bootstrap",
        target: str = "all",
        sample_weight: Any = None,
    ) -> tuple[float, float]:
        """Return an interval for the average effect among rows like those of X.

        kind: "bootstrap" is around the members' average (fit with bootstrap=True), "doubly robust"
        around `ate(X, kind="doubly robust")`. target, sample_weight: as in `ate`.
        """
        intervals.check_level(alpha)
        intervals.check_kind(kind, ("bootstrap", "doubly robust"))
        question = self.ask(X, T0=T0, T1=T1, target=target, sample_weight=sample_weight)
        return question.average_interval(alpha, kind)

    def support(
        self, X: Any, *, T0: Any = None, T1: Any = None, k: int = 3, space: str = "covariates"
    ) -> Support:
        """Return the evidence: each row's k nearest observed partners under T0 and under T1.

        space: where distances are measured. The standardised "covariates" cannot be bent by a
        model; the model's own "representation" knows which covariates matter, but may fold strange
        rows onto known ones.
        """
        return self.ask(X, T0=T0, T1=T1).support(k, space)

    def overlap(self) -> Overlap:
        """Return how likely each arm was for each row of the fit; doses are cut in three groups."""
        return overlap(self._model.memory)

    def covariate_balance(self) -> Balance:
        """Return how alike arms' covariates are before and after weighting; doses are cut in 3."""
        return balance(self._model.memory, self._model.schema.features)

    def leaks(self) -> list[Leak]:
        """Return the columns that give the outcome or the treatment away, alone or two together.

        They predict it almost perfectly on rows not seen, so they may have been measured after the
        treatment: `str(leak)` says it in a sentence, `leak.columns` names the columns. `fit` warns
        of them, too.
        """
        memory = self._model.memory
        return leaks(self._model.schema, memory.x, memory.t, memory.y, memory.treatment)

    def group_effects(
        self, X: Any = None, *, by: Any, T0: Any = None, T1: Any = None, alpha: float = 0.05
    ) -> GroupEffects:
        """Return the effect in groups of rows, with intervals that hold for all groups at once.

        by: names of covariates (levels of categories; numbers are cut at the quartiles of the fit);
        a column, or a table of flags, with a value for each row of the fit (groups may overlap); or
        "effect" or a number of groups: rows in the order of their effects. X: left out, effects are
        those of the rows of the fit, by their doubly robust scores. Of other rows they are the
        means of their own effects, corrected in each group by these scores. docs/groups.md says how
        groups of the effect are found on other rows than those that judge them.
        """
        return heterogeneity.group_effects(self._asked(X, T0, T1), by, alpha)

    def best_linear_projection(
        self, columns: Any = None, *, T0: Any = None, T1: Any = None, alpha: float = 0.05
    ) -> Coefficients:
        """Return which covariates go along with larger effects: the best line, judged by outcomes.

        columns: names of covariates (left out: all), or a table of numbers with a line for each row
        of the fit. A category becomes flags that are compared with its most common level. See
        `pairnet.metrics.best_linear_projection`.
        """
        return heterogeneity.projection(self._asked(None, T0, T1), columns, alpha)

    def calibration_test(self, *, T0: Any = None, T1: Any = None) -> CalibrationTest:
        """Return whether the differences between effects show in outcomes.

        Each row of the fit is judged by members that have not seen it; see
        `pairnet.metrics.calibration_test`.
        """
        return heterogeneity.calibration(self._asked(None, T0, T1))

    def refute(
        self,
        X: Any = None,
        *,
        T0: Any = None,
        T1: Any = None,
        negative_controls: Any = None,
        repeats: int = REPEATS,
        quick: bool = False,
        seed: int = 0,
    ) -> Refutation:
        """Try to refute the average effect, and return what was found, with a grade.

        Placebo treatments, shuffled outcomes, a planted effect, a random cause and halves of the
        rows are estimated by a light method, `repeats` times each; how strong a hidden cause would
        have to be is worked out. The method itself is fitted twice again: to a placebo, and to a
        planted difference; quick=True leaves that out. negative_controls: names of outcomes that
        the treatment cannot have changed, among the covariates or in X, the table of the fit; or a
        dictionary of columns. The model remembers the result for its reports. docs/refutation.md
        explains it all, and says how often effects of each grade hold.
        """
        question = ask_memory(self._model, T0, T1)
        asked = question if X is None else self._asked(X, T0, T1)
        controls = controls_of(asked, negative_controls)
        found = refuting.refute(cast(Learner, self), question, controls, repeats, quick, seed)
        self.model_ = self._model.remembering(refutation=found.to_json())
        return found

    @property
    def refutation_(self) -> Refutation | None:
        """What `refute` found last, or None."""
        known = self._model.memory.summary.get("refutation")
        return None if known is None else Refutation.from_json(known)

    def explain(
        self,
        X: Any = None,
        *,
        T0: Any = None,
        T1: Any = None,
        background: Any = None,
        walks: int = WALKS,
        seed: int = 0,
    ) -> Explanation:
        """Return why effects differ: how much each column adds to each row's effect.

        The parts are Shapley values of the effect, by the columns of the table: with the average
        effect of the background they add up to the row's effect. X: left out, up to 1,000 rows of
        the fit. background: the rows that others are compared with (left out: those of the fit).
        walks: how many random ways from the background to a row are taken; four times as many
        halve the errors.
        """
        question = self._asked(X, T0, T1)
        return explain(
            rows_to_explain(question) if X is None else question, background, walks, seed
        )

    def score(self, X: Any, y: Any, *, treatment: Any = None, sample_weight: Any = None) -> float:
        """Return the negative pair loss over all pairs of rows treated differently.

        Higher is better.
        """
        model = self._model
        x = model.encoded(opened(X))
        if isinstance(y, str):
            names = {"treatment": treatment, "sample_weight": sample_weight}
            _, passed = named_apart(X, y=y, **names)
            y, treatment, sample_weight = passed.values()
        door.aligned(X, y=y, treatment=treatment, sample_weight=sample_weight)
        observed = door.outcomes_as_in_fit(y, len(x), model.labels)
        weight = door.weights(sample_weight, len(x))
        door.has_treatment(treatment, "score")
        t = np.broadcast_to(model.inside(treatment, "treatment", len(x)), len(x))
        if len(np.unique(t[weight > 0])) < 2:
            only = np.asarray(treatment).reshape(-1)[0]
            raise BadInput(
                "",
                "score compares rows that were treated differently: expected at least two "
                f"treatments, got only {only}",
                ("Pass rows of several. ", IN_FOLDS),
            )
        return -pair_loss(observed, model.expected(x, t), t, weight=weight)

    def _asked(self, X: Any, T0: Any, T1: Any) -> Question:
        """Ask about rows or, if there are none, about those that the model remembers."""
        return ask_memory(self._model, T0, T1) if X is None else self.ask(X, T0=T0, T1=T1)

    @property
    def treatment_(self) -> Treatment:
        """What the treatment column is: the arms, or the range of the doses."""
        return self._model.treatment

    @property
    def schema_(self) -> Schema:
        """What each column of the table is, and how it is used."""
        return self._model.schema

    @property
    def outcome_labels_(self) -> tuple[str, str] | None:
        """The two labels of the outcome, or None if it has none; the second counts as 1."""
        return self._model.labels

    @property
    def training_(self) -> Memory:
        """The rows that the model remembers of its fit."""
        return self._model.memory
