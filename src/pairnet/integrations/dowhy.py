"""Our methods as an estimator of DoWhy: `method_name="backdoor.<this file>.PairNetEstimator"`.

DoWhy imports the class by that name: it takes the first word after "backdoor." for a package of its
own, does not find it, and then imports the whole name. So only DoWhy imports this file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from pairnet.core.errors import BadInput, NotInstalled
from pairnet.core.words import shown
from pairnet.integrations.controls import Answers, Controlled
from pairnet.methods.stack import Stack
from pairnet.model.face import Estimator
from pairnet.model.question import Question

try:
    from dowhy.causal_estimator import CausalEstimate, CausalEstimator
except ImportError:
    raise NotInstalled("This bridge needs", "DoWhy", "'pairnet[dowhy]'") from None

# Whose effect DoWhy asks for, in its words and in ours.
TARGETS = {"ate": "all", "att": "treated", "atc": "untreated"}


class PairNetEstimator(CausalEstimator):
    """The average effect, and effects within groups of modifiers, by any method of this library.

    model: the method, as `method_params={"init_params": {"model": Stack(preset="fast")}}`; left
    out, it is a `Stack`. kind: "doubly robust" or "plugin", as in `ate`; left out, averages of arms
    are doubly robust. Covariates are the adjustment set and the effect modifiers, as they are in
    the table. Intervals are the model's own: for a doubly robust average it needs rows that some
    member has not seen, as a stack or `bootstrap=True` have; without, DoWhy draws its own.
    """

    def __init__(
        self,
        identified_estimand: Any,
        *,
        model: Estimator | None = None,
        kind: str | None = None,
        init_params: dict[str, Any] | None = None,
        **others: Any,
    ):
        super().__init__(identified_estimand, **others)
        own = {"model": model, "kind": kind} | (init_params or {})
        if odd := sorted(set(own) - {"model", "kind"}):
            problem = f"has {odd[:5]}, which nobody knows here: expected 'model' and 'kind'"
            raise BadInput("init_params", problem)
        self.model, self.kind = own["model"] or Stack(), own["kind"]
        if not isinstance(self.model, Estimator):
            problem = f"must be a method of pairnet, as PairNet(), got {shown(self.model)}"
            raise BadInput("model", problem)
        if self.kind not in (None, "doubly robust", "plugin"):
            problem = f"must be 'doubly robust' or 'plugin', got {shown(self.kind)}"
            raise BadInput("kind", problem)

    def fit(
        self,
        data: Any,
        effect_modifier_names: Sequence[str] | None = None,
        *,
        sample_weight: str | None = None,
        groups: str | None = None,
    ) -> PairNetEstimator:
        """Learn from a table. Returns self.

        sample_weight, groups: columns of it, as `method_params={"fit_params": {...}}`.
        """
        self.reset_encoders()
        self._set_effect_modifiers(data, list(effect_modifier_names or ()))
        named = {"sample_weight": sample_weight, "groups": groups}
        self._fit_params = {name: column for name, column in named.items() if column is not None}
        self._covariates = self._columns_of(data)
        estimand = self._target_estimand
        self.symbolic_estimator = self.construct_symbolic_estimator(estimand)
        outcome, treatment = _only(estimand.outcome_variable, "outcome"), self._treatment
        columns = {name: data[column] for name, column in self._fit_params.items()}
        self.model_ = clone(self.model).fit(
            data[self._covariates], data[outcome], treatment=data[treatment], **columns
        )
        width = len(self._effect_modifier_names)
        self._by_modifiers = Controlled(self.model_.model_, width, int(self.model_.seed))
        return self

    def estimate_effect(
        self,
        data: Any,
        treatment_value: Any = 1,
        control_value: Any = 0,
        target_units: Any = None,
        **_: Any,
    ) -> Any:
        """Return the average effect of one treatment against another.

        target_units: "ate", "att" or "atc"; a function that says which rows of the table; or a
        table of other rows, with all covariates or with the effect modifiers alone.
        """
        self.update_input(treatment_value, control_value, target_units)
        self._asked = self._question(data, target_units)
        conditional = None
        if self.need_conditional_estimates and self._effect_modifier_names:
            conditional = self._by_modifiers_of(data)
        found = CausalEstimate(
            data=data,
            treatment_name=self._target_estimand.treatment_variable,
            outcome_name=self._target_estimand.outcome_variable,
            estimate=self._average(),
            control_value=control_value,
            treatment_value=treatment_value,
            conditional_estimates=conditional,
            target_estimand=self._target_estimand,
            realized_estimand_expr=self.symbolic_estimator,
            cate_estimates=self._effects(),
        )
        found.add_estimator(self)
        return found

    def effect(self, table: Any) -> np.ndarray:
        """Return each row's effect; a table may have the effect modifiers alone."""
        asked = self._of_table(table)
        return np.asarray(asked.value if isinstance(asked, Answers) else asked.effect)

    def construct_symbolic_estimator(self, estimand: Any) -> str:
        """Write what is estimated."""
        modifiers = ", ".join(self._effect_modifier_names)
        return (
            f"b: {'+'.join(estimand.outcome_variable)}~{'+'.join(estimand.treatment_variable)}"
            f"+{'+'.join(self._covariates)}" + (f" | {modifiers}" if modifiers else "")
        )

    @property
    def _treatment(self) -> str:
        return _only(self._target_estimand.treatment_variable, "treatment")

    def _columns_of(self, data: Any) -> list[str]:
        """Return the covariates: effect modifiers first, then the rest of the adjustment set.

        DoWhy has that set in an order of chance; here it is that of the table.
        """
        modifiers = list(self._effect_modifier_names)
        others = [c for c in self._target_estimand.get_adjustment_set() if c not in modifiers]
        others.sort(key=list(data.columns).index if set(others) <= set(data.columns) else str)
        if missing := [name for name in (*modifiers, *others) if name not in data.columns]:
            raise BadInput("data", f"lacks columns of the graph: {missing[:5]}")
        if not modifiers + others:
            raise BadInput(
                "",
                "There is nothing to adjust for and no effect modifier, so there are no covariates",
                "Name effect modifiers, or use DoWhy's own estimators.",
            )
        return modifiers + others

    def _question(self, data: Any, units: Any) -> Question | Answers:
        """Ask about the rows that DoWhy means by its target units."""
        if units is None or isinstance(units, str):
            if units not in (None, *TARGETS):
                problem = f"must be one of {', '.join(TARGETS)}, got {shown(units)}"
                raise BadInput("target_units", problem)
            return self._of_table(data, TARGETS[units or "ate"])
        return self._of_table(data[np.asarray(units(data))] if callable(units) else units)

    def _of_table(self, table: Any, target: str = "all") -> Question | Answers:
        both = {"T0": self._control_value, "T1": self._treatment_value}
        missing = [name for name in self._covariates if name not in table.columns]
        if not missing:
            return self.model_.ask(table[self._covariates], **both, target=target)
        if set(missing) & set(self._effect_modifier_names):
            raise BadInput("target_units", f"lacks effect modifiers: {missing[:5]}")
        known = self._by_modifiers
        x = known.encoded(table[list(self._effect_modifier_names)])
        t0, t1 = (known.model.inside(T, name, len(x)) for name, T in both.items())
        return known.effects(x, t0, t1)

    @property
    def _kind(self) -> str:
        is_dose = self.model_.treatment_.whole_range
        return self.kind or ("plugin" if is_dose else "doubly robust")

    def _effects(self) -> np.ndarray:
        asked = self._asked
        return np.asarray(asked.value if isinstance(asked, Answers) else asked.effect)

    def _average(self) -> float:
        asked = self._asked
        if isinstance(asked, Answers):
            return float(asked.value.mean())
        return float(asked.mean if self._kind == "plugin" else asked.doubly_robust.value)

    def _by_modifiers_of(self, data: Any) -> Any:
        """Return the mean effects of groups of rows, which DoWhy makes of the effect modifiers.

        Rows are asked once, all together: pandas leaves the columns by which it groups out.
        """
        table = data.reset_index(drop=True)
        effects = self.effect(table)
        mean = lambda group: float(effects[group.index].mean())
        names = list(self._effect_modifier_names)
        return self._estimate_conditional_effects(table, mean, effect_modifier_names=names)

    def _estimate_effect_fn(self, data_df: Any) -> float:
        """Return the mean effect of some rows."""
        return float(self.effect(data_df).mean())

    def _estimate_confidence_intervals(
        self, confidence_level: float | None = None, method: Any = None, **_: Any
    ) -> tuple[float, float]:
        alpha = 1 - (self.confidence_level if confidence_level is None else confidence_level)
        asked = self._asked
        try:
            if isinstance(asked, Answers):
                return asked.average_interval(alpha)
            kind = "bootstrap" if self._kind == "plugin" else self._kind
            return asked.average_interval(alpha, kind)
        except BadInput as error:  # DoWhy draws rows anew then
            raise NotImplementedError(str(error)) from error

    def _estimate_std_error(self, method: Any = None, **_: Any) -> float:
        asked = self._asked
        try:
            if isinstance(asked, Answers):
                return float(asked.average.error)
            if self._kind == "plugin":
                return float(asked.average.error)
            asked.memory.need_unseen()
            return float(asked.doubly_robust.error)
        except BadInput as error:
            raise NotImplementedError(str(error)) from error


def _only(names: Sequence[str], role: str) -> str:
    """Return the only name of a list."""
    if len(names) != 1:
        problem = f"must be one column, got {len(names)}: {', '.join(map(str, names[:5]))}"
        raise BadInput(role, problem)
    return names[0]
