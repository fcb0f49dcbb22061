"""How models of other libraries are fitted and asked: what each library calls things.

A dialect is known by the names of the arguments of `fit`, since no library here can be imported
just to ask. Treatments are passed as the labels that people use.
"""

from __future__ import annotations

import abc
import inspect
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Treatment
from pairnet.core.words import shown


class AbstractDialect(abc.ABC):
    """The words of one library."""

    title: ClassVar[str]  # what people call it
    words: ClassVar[frozenset[str]]  # arguments of `fit` by which its models are known

    def arguments(
        self, model: Any, x: np.ndarray, t: np.ndarray, y: np.ndarray, treatment: Treatment
    ) -> dict[str, Any]:
        """Return the arguments of `fit`, in the library's words; t: labels."""
        raise NotImplementedError

    def check(self, model: Any, treatment: Treatment) -> None:
        """Raise if the model cannot learn such a treatment."""
        if treatment.whole_range:
            raise BadInput("model", f"of {self.title} compares arms, and the treatment is a dose")

    @abc.abstractmethod
    def by_arm(
        self, model: Any, x: Float[np.ndarray, "n d"], treatment: Treatment
    ) -> Float[np.ndarray, "n k"]:
        """Return effects of every arm, by position, against one arm that is the same for all."""

    def between(
        self, model: Any, x: np.ndarray, t0: np.ndarray, t1: np.ndarray, treatment: Treatment
    ) -> Float[np.ndarray, " n"]:
        """Return the effect of t1 against t0, inside numbers, one a row."""
        by_arm = self.by_arm(model, x, treatment)
        own = lambda t: np.take_along_axis(by_arm, t.astype(int)[:, None], axis=1)[:, 0]
        return own(t1) - own(t0)


class EconML(AbstractDialect):
    """`fit(Y, T, X=X)` and `effect(X, T0=, T1=)`."""

    title: ClassVar[str] = "EconML"
    words: ClassVar[frozenset[str]] = frozenset({"Y", "T", "X"})

    def arguments(self, model, x, t, y, treatment):
        return {"Y": y, "T": t, "X": x}

    def check(self, model, treatment):
        takes_arms = getattr(model, "discrete_treatment", not treatment.whole_range)
        if treatment.whole_range and takes_arms:
            problem = "has discrete_treatment=True, and the treatment is a dose"
            raise BadInput("model", problem, "Set discrete_treatment=False.")
        if not treatment.whole_range and not takes_arms:
            problem = f"has discrete_treatment=False, and the treatment has {treatment.strata} arms"
            raise BadInput("model", problem, "Set discrete_treatment=True.")

    def by_arm(self, model, x, treatment):
        labels = treatment.in_order
        columns = {labels[0]: np.zeros(len(x))}
        for label in labels[1:]:
            columns[label] = np.ravel(model.effect(x, T0=labels[0], T1=label))
        return _by_position(columns, treatment)

    def between(self, model, x, t0, t1, treatment):
        if not treatment.whole_range:
            return super().between(model, x, t0, t1, treatment)
        doses = {name: treatment.label_of(t) for name, t in (("T0", t0), ("T1", t1))}
        return np.ravel(model.effect(x, **doses))


class MetaLearners(AbstractDialect):
    """`fit(X, y, w)` with variants 0, 1, ..., and `predict(X, is_oos=True)`."""

    title: ClassVar[str] = "metalearners"
    words: ClassVar[frozenset[str]] = frozenset({"X", "y", "w"})

    def arguments(self, model, x, t, y, treatment):
        yes_no = getattr(model, "is_classification", False)
        return {"X": x, "y": y.astype(int) if yes_no else y, "w": _rank(t, treatment)}

    def by_arm(self, model, x, treatment):
        said = np.asarray(model.predict(x, is_oos=True))
        effects = said.reshape(len(x), treatment.strata - 1, -1)[..., -1]  # of the last class
        return _by_position(_in_order(effects, treatment.in_order), treatment)


class Uplift(AbstractDialect):
    """`fit(X=, treatment=, y=)` and `predict(X)`: CausalML and scikit-uplift.

    Models of CausalML name their control group; those of scikit-uplift know the arms 0 and 1.
    """

    title: ClassVar[str] = "CausalML or scikit-uplift"
    words: ClassVar[frozenset[str]] = frozenset({"X", "y", "treatment"})

    def arguments(self, model, x, t, y, treatment):
        names_control = self._control(model) is not None
        return {"X": x, "y": y, "treatment": t if names_control else _rank(t, treatment)}

    def check(self, model, treatment):
        super().check(model, treatment)
        control, labels = self._control(model), treatment.in_order
        if control is not None and control not in labels:
            raise BadInput(
                "model",
                f"has control_name={control!r}, which is no arm: expected one of "
                f"{', '.join(map(repr, labels[:10]))}",
            )
        if control is None and len(labels) > 2:
            problem = f"compares two arms, and the treatment has {len(labels)}"
            raise BadInput("model", problem)

    def by_arm(self, model, x, treatment):
        control = self._control(model)
        first = treatment.in_order[0] if control is None else control
        labels = (first, *(label for label in treatment.in_order if label != first))
        said = np.asarray(model.predict(x), float).reshape(len(x), -1)
        return _by_position(_in_order(said, labels), treatment)

    @staticmethod
    def _control(model: Any) -> Hashable | None:
        return getattr(model, "control_name", None)


DIALECTS: tuple[AbstractDialect, ...] = (EconML(), MetaLearners(), Uplift())


def dialect_of(model: Any) -> AbstractDialect:
    """Return the dialect of a model; raise if its words are those of none."""
    names = _arguments_of_fit(model)
    for dialect in DIALECTS:
        if dialect.words <= set(names):
            return dialect
    came = f"fit({', '.join(names)})" if names else "no fit"
    raise BadInput(
        "model",
        f"must be a model of EconML, CausalML, metalearners or scikit-uplift, got {shown(model)} "
        f"with {came}",
        "Known are fit(Y, T, X=), fit(X, y, w) and fit(X, treatment, y).",
    )


def takes_weights(model: Any) -> bool:
    """Tell whether a model's fit takes a weight for each row."""
    return "sample_weight" in _arguments_of_fit(model)


def _arguments_of_fit(model: Any) -> list[str]:
    fit = getattr(model, "fit", None)
    if isinstance(model, type) or not callable(fit):
        return []
    return list(inspect.signature(fit).parameters)


def _rank(t: np.ndarray, treatment: Any) -> np.ndarray:
    """Return labels as 0, 1, ... in their order."""
    return np.searchsorted(np.asarray(treatment.in_order), t)


def _in_order(
    effects: Float[np.ndarray, "n k"], labels: Sequence[Hashable]
) -> dict[Hashable, np.ndarray]:
    """Return effects against the first label by label."""
    if effects.shape[1] != len(labels) - 1:
        problem = f"says {effects.shape[1]} effects a row: expected {len(labels) - 1}, one for each"
        raise BadInput("model", f"{problem} arm but the one they are compared with")
    columns = {labels[0]: np.zeros(len(effects))}
    return columns | {label: effects[:, at] for at, label in enumerate(labels[1:])}


def _by_position(columns: dict[Hashable, np.ndarray], treatment: Any) -> np.ndarray:
    return np.stack([columns[label] for label in treatment.labels], axis=1)
