"""Our methods with EconML's words, so that EconML's tools work on them.

`EconMLAdapter(PairNet()).fit(Y, T, X=X, W=W)` is asked as every estimator of EconML is, and stands
in its RScorer, DRTester, tree interpreters and policy trees. EconML itself is needed for
`..._inference` and its tools alone, SHAP for `shap_values`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from pairnet.core.errors import BadInput
from pairnet.core.words import shown
from pairnet.integrations import econml_results
from pairnet.integrations.controls import Answers, Controlled
from pairnet.integrations.explained import explained
from pairnet.integrations.joined import joined, table_of
from pairnet.model import door
from pairnet.model.face import Estimator

Ends = tuple[np.ndarray, np.ndarray]


class EconMLAdapter(BaseEstimator):
    """A method of this library as an estimator of EconML.

    model: any method, as `PairNet()` or `Stack()`; a copy of it is fitted. X are the covariates
    that effects may hang on, W further ones that drive treatment or outcome. The model learns from
    both; what is said of X alone is the mean over the W of people like that
    (`pairnet.integrations.controls`). Arrays have the shapes of EconML: for arms one effect of each
    arm but the first, in the order of their labels. Intervals are those of the model: it needs
    `bootstrap=True`, or must be a stack.
    """

    def __init__(self, model: Any):
        self.model = model

    def fit(
        self,
        Y: Any,
        T: Any,
        *,
        X: Any = None,
        W: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        inference: Any = None,
    ) -> EconMLAdapter:
        """Learn from outcomes Y, treatments T, covariates X and controls W. Returns self.

        inference: None or "auto". How sure effects are is said by the model's own members.
        """
        self._check(X, W, inference)
        table, width = (X, None) if W is None else joined(X, W)
        if X is not None:
            door.aligned(X, Y=Y, T=T)
        model = clone(self.model)
        own = {"sample_weight": sample_weight, "groups": groups}
        model.fit(_bare(table), _column(Y), treatment=_column(T), **own)
        self.model_ = model
        self.known_ = Controlled(model.model_, width, int(model.seed))
        self._d_y = np.shape(Y)[1:]  # the name that EconML's policy interpreter asks for
        self.treatment_shape_ = np.shape(T)[1:]
        names = list(getattr(X, "columns", ()))
        self.feature_names_ = names or [f"X{at}" for at in range(len(self.known_.schema.columns))]
        _join_family()
        return self

    def effect(self, X: Any = None, *, T0: Any = 0, T1: Any = 1) -> np.ndarray:
        """Return each row's effect of T1 against T0, one for all rows or one a row."""
        return self._shaped(self._effects(X, T0, T1).value)

    def effect_interval(
        self, X: Any = None, *, T0: Any = 0, T1: Any = 1, alpha: float = 0.05
    ) -> Ends:
        """Return the lower and upper ends of each row's interval."""
        return self._ends(self._effects(X, T0, T1).interval(alpha))

    def effect_inference(self, X: Any = None, *, T0: Any = 0, T1: Any = 1) -> Any:
        """Return EconML's results of inference for each row's effect."""
        return econml_results.of_effect(self._effects(X, T0, T1), self._d_y)

    def ate(self, X: Any = None, *, T0: Any = 0, T1: Any = 1) -> Any:
        """Return the mean effect of the rows."""
        return self.effect(X, T0=T0, T1=T1).mean(axis=0)

    def ate_interval(
        self, X: Any = None, *, T0: Any = 0, T1: Any = 1, alpha: float = 0.05
    ) -> tuple[Any, Any]:
        """Return an interval for the average effect among people of whom X is a sample."""
        ends = self._effects(X, T0, T1).average_interval(alpha)
        low, high = (np.reshape(end, self._d_y)[()] for end in ends)
        return low, high

    def ate_inference(self, X: Any = None, *, T0: Any = 0, T1: Any = 1) -> Any:
        """Return EconML's summary of the effects of these rows."""
        return self.effect_inference(X, T0=T0, T1=T1).population_summary()

    def const_marginal_effect(self, X: Any = None) -> np.ndarray:
        """Return each row's effect of every arm against the first, in the order of labels."""
        return self._by_arm(self._arms(X), lambda answers: answers.value)

    def const_marginal_effect_interval(self, X: Any = None, *, alpha: float = 0.05) -> Ends:
        """Return the lower and upper ends of the intervals of these effects."""
        arms = self._arms(X)
        low, high = (
            self._by_arm(arms, lambda answers, end=end: answers.interval(alpha)[end])
            for end in (0, 1)
        )
        return low, high

    def const_marginal_effect_inference(self, X: Any = None) -> Any:
        """Return EconML's results of inference for these effects."""
        return econml_results.of_arms(self._arms(X), self._d_y)

    def const_marginal_ate(self, X: Any = None) -> np.ndarray:
        """Return the mean of these effects over the rows."""
        return self.const_marginal_effect(X).mean(axis=0)

    def const_marginal_ate_interval(self, X: Any = None, *, alpha: float = 0.05) -> Ends:
        """Return an interval for each average effect among people of whom X is a sample."""
        ends = np.array([answers.average_interval(alpha) for answers in self._arms(X)])
        shape = (*self._d_y, len(ends))
        return ends[:, 0].reshape(shape), ends[:, 1].reshape(shape)

    def const_marginal_ate_inference(self, X: Any = None) -> Any:
        """Return EconML's summary of these effects of these rows."""
        return self.const_marginal_effect_inference(X).population_summary()

    def marginal_effect(self, T: Any, X: Any = None) -> np.ndarray:
        """Return how fast outcomes change with the dose at T; for arms `const_marginal_effect`."""
        if not self._has_doses:
            return self.const_marginal_effect(X)
        return self._sloped(self._slopes(T, X).value)

    def marginal_effect_interval(self, T: Any, X: Any = None, *, alpha: float = 0.05) -> Ends:
        """Return the lower and upper ends of the intervals of marginal effects."""
        if not self._has_doses:
            return self.const_marginal_effect_interval(X, alpha=alpha)
        low, high = map(self._sloped, self._slopes(T, X).interval(alpha))
        return low, high

    def marginal_effect_inference(self, T: Any, X: Any = None) -> Any:
        """Return EconML's results of inference for marginal effects."""
        if not self._has_doses:
            return self.const_marginal_effect_inference(X)
        shapes = self._d_y, self.treatment_shape_
        return econml_results.of_slope(self._slopes(T, X), *shapes)

    def marginal_ate(self, T: Any, X: Any = None) -> np.ndarray:
        """Return the mean of the marginal effects over the rows."""
        return self.marginal_effect(T, X).mean(axis=0)

    def score(self, Y: Any, T: Any, X: Any = None, W: Any = None) -> float:
        """Return the negative pair loss of held-out rows: higher is better."""
        self._check(X, W, None)
        table = X if W is None else joined(X, W)[0]
        return self._fitted.model_.score(_bare(table), _column(Y), treatment=_column(T))

    def shap_values(
        self,
        X: Any,
        *,
        feature_names: Sequence[str] | None = None,
        treatment_names: Sequence[str] | None = None,
        output_names: Sequence[str] | None = None,
        background_samples: int | None = 100,
    ) -> dict[str, dict[str, Any]]:
        """Return what each covariate adds to each row's effect, by outcome and by arm (SHAP)."""
        if self._has_doses:
            effects = lambda x: self.effect(x, T0=self._usual[0], T1=self._usual[1]).reshape(-1, 1)
        else:
            effects = lambda x: self.const_marginal_effect(x).reshape(len(x), -1)
        names = self.cate_feature_names(feature_names)
        found = explained(effects, X, names, background_samples)
        treatments = self.cate_treatment_names(treatment_names)
        output = self.cate_output_names(output_names)[0]
        return {output: dict(zip(treatments, found, strict=True))}

    def cate_feature_names(self, feature_names: Sequence[str] | None = None) -> list[str]:
        """Return the names of the covariates X."""
        return list(feature_names or map(str, self._fitted.feature_names_))

    def cate_treatment_names(self, treatment_names: Sequence[str] | None = None) -> list[str]:
        """Return the names of what is compared with the first arm, or of the dose."""
        name = self._fitted.model_.model_.names.get("treatment", "T0")
        own = [name] if self._has_doses else [f"{name}_{label}" for label in self._labels[1:]]
        return list(treatment_names or own)

    def cate_output_names(self, output_names: Sequence[str] | None = None) -> list[str]:
        """Return the name of the outcome."""
        return list(output_names or [self._fitted.model_.model_.names.get("outcome", "Y0")])

    def _check(self, X: Any, W: Any, inference: Any) -> None:
        if X is None and W is None:
            raise BadInput("X", "must hold covariates (or W controls): X and W are both None")
        if not isinstance(self.model, Estimator):
            problem = f"must be a method of pairnet, as PairNet(), got {shown(self.model)}"
            raise BadInput("model", problem)
        if inference not in (None, "auto"):
            raise BadInput(
                "inference",
                f"must be None or 'auto', got {shown(inference)}: intervals are those of the model",
                "Say so there: EconMLAdapter(PairNet(members=5, bootstrap=True)).",
            )

    @property
    def _fitted(self) -> EconMLAdapter:
        if "model_" not in self.__dict__:
            raise BadInput("", "This EconMLAdapter is not fitted", "Call fit(Y, T, X=X) first.")
        return self

    @property
    def _has_doses(self) -> bool:
        return bool(self._fitted.model_.treatment_.whole_range)

    @property
    def _usual(self) -> tuple[Any, Any]:
        return self._fitted.model_.treatment_.contrast

    @property
    def _labels(self) -> Sequence[Any]:
        """The arms in the order of their labels, as EconML has them."""
        return self._fitted.model_.treatment_.in_order

    def _effects(self, X: Any, T0: Any, T1: Any) -> Answers:
        x, (t0, t1) = self._opened(X, T0=T0, T1=T1)
        return self.known_.effects(x, t0, t1)

    def _slopes(self, T: Any, X: Any) -> Answers:
        x, (t,) = self._opened(X, T=T)
        return self.known_.slopes(x, t)

    def _arms(self, X: Any) -> list[Answers]:
        if self._has_doses:
            raise BadInput(
                "",
                "const_marginal_effect is for arms, or for effects that are a multiple of the "
                "dose; this model has a curve of its own for each row",
                "Ask effect(X, T0=..., T1=...) or marginal_effect(T, X).",
            )
        first, *others = self._labels
        return [self._effects(X, first, label) for label in others]

    def _opened(self, X: Any, **treatments: Any) -> tuple[np.ndarray, list[np.ndarray]]:
        """Return covariates and treatments as the model knows them inside."""
        known = self._fitted.known_
        if (X is None) != (known.width == 0):
            wanted = "None: the fit had controls W alone" if X is not None else "as in fit"
            raise BadInput("X", f"must be {wanted}, got {shown(X)}")
        x = known.encoded(None if X is None else table_of(X))
        columns = {name: _column(values) for name, values in treatments.items()}
        if X is None:
            x = np.repeat(x, max(np.size(column) for column in columns.values()), axis=0)
        return x, [known.model.inside(values, name, len(x)) for name, values in columns.items()]

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        return values.reshape(len(values), *self._d_y)

    def _sloped(self, values: np.ndarray) -> np.ndarray:
        return values.reshape(len(values), *self._d_y, *self.treatment_shape_)

    def _ends(self, ends: Ends) -> Ends:
        return self._shaped(ends[0]), self._shaped(ends[1])

    def _by_arm(self, arms: list[Answers], part: Callable[..., np.ndarray]) -> np.ndarray:
        values = np.stack([part(answers) for answers in arms], axis=-1)
        return values.reshape(len(values), *self._d_y, len(arms))


def _column(values: Any) -> Any:
    """Return a column of its own; EconML takes columns as tables of one column, too."""
    if np.ndim(values) == 2 and np.shape(values)[1] == 1:
        frame_column = getattr(values, "columns", None)
        return np.asarray(values)[:, 0] if frame_column is None else values[frame_column[0]]
    return values


def _bare(X: Any) -> Any:
    return table_of(X).native()


def _join_family() -> None:
    """Let EconML's ensembles, which ask for a kind of estimator of theirs, take adapters."""
    if find_spec("econml") is not None:
        from econml._cate_estimator import BaseCateEstimator

        BaseCateEstimator.register(EconMLAdapter)
