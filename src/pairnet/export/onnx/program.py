"""A whole model as a graph: columns of a table in, effects, outcomes and intervals out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pairnet.core.treatments import Treatment
from pairnet.core.words import word
from pairnet.export.onnx import lines, mixtures, networks, trees  # noqa: F401  (they register forms)
from pairnet.export.onnx.columns import about, encoded, input_names, known_positions
from pairnet.export.onnx.forms import AbstractForm, form_of
from pairnet.export.onnx.graph import ROWS, Graph, Value
from pairnet.inference import intervals
from pairnet.model.model import Model

EFFECT, LOWER, UPPER, OUTCOME, OUTCOMES = (
    "effect",
    "lower",
    "upper",
    "outcome",
    ("outcome_T0", "outcome_T1"),
)
TREATMENTS = ("T0", "T1")
ONE_OR_ALL = -1  # the size of an axis with one value for all rows, or one a row


@dataclass(frozen=True, eq=False)
class Program:
    """A graph, and in words what it takes and returns (plain JSON).

    encoded: the rows [n d] as the schema makes them numbers, a value within the graph.
    """

    graph: Graph
    about: dict[str, Any]
    encoded: Value


def program_of(
    model: Model,
    T0: Hashable = None,
    T1: Hashable = None,
    alpha: float = 0.05,
    *,
    form: Callable[[Graph, Treatment], AbstractForm] | None = None,
) -> Program:
    """Write a model down as a graph.

    T0, T1: what is compared, for all rows; left out, both are inputs of the graph. alpha: the share
    that intervals may miss, where the model has intervals. form: what stands in for the model's
    own predictor.
    """
    intervals.check_level(alpha)
    own = form or functools.partial(form_of, model.predictor)
    return _Writer(model, T0, T1, float(alpha), own).program()


class _Writer:
    """Writes one graph."""

    def __init__(
        self,
        model: Model,
        T0: Hashable,
        T1: Hashable,
        alpha: float,
        form: Callable[[Graph, Treatment], AbstractForm],
    ):
        self.model, self.alpha = model, alpha
        self.graph = Graph()
        self.is_named = not (T0 is None and T1 is None)
        self.compared = model.treatment.completed(T0, T1) if self.is_named else None
        self.form = form(self.graph, model.treatment)
        self.taken = set(input_names(model.schema).values())

    def program(self) -> Program:
        """Return the graph with all of its outputs."""
        graph = self.graph
        self.x = encoded(graph, self.model.schema)
        (self.t0, self.t1), inputs = self._treatments()
        outputs = self._effects() | self._outcomes()
        for name, (value, _) in outputs.items():
            graph.output(self._own(name), self._only_known(value))
        told = {self._own(name): text for name, (_, text) in outputs.items()}
        return Program(graph, self._about(inputs, told), self.x)

    # What goes in.

    def _treatments(self) -> tuple[list[Value], dict[str, str]]:
        """Return both treatments as inside numbers [n], and what their inputs are called."""
        if self.compared is not None:
            places = [
                np.float32(self.model.treatment.encode(label, name))
                for label, name in zip(self.compared, TREATMENTS, strict=True)
            ]
            return [self._of_all(place) for place in places], {}
        names = {name: self._own(name) for name in TREATMENTS}
        return [self._place(own) for own in names.values()], names

    def _of_all(self, place: Any) -> Value:
        """Return a treatment as that of every row."""
        return self.graph.spread(self.graph.constant(place, "float32"), (ROWS,))

    def _place(self, name: str) -> Value:
        """Add an input of treatments, and return them as inside numbers; -1 is an unknown arm."""
        treatment: Any = self.model.treatment
        graph = self.graph
        if not treatment.whole_range:
            label = graph.input(name, "str", (ONE_OR_ALL,))
            positions = {word(known): at for at, known in enumerate(self._labels)}
            place = known_positions(graph, label, positions, -1)
        else:
            dose = graph.input(name, "float64", (ONE_OR_ALL,))
            low, span = (graph.constant(v, "float64") for v in (treatment.low, treatment.span))
            place = graph.over(graph.subtract(dose, low), span)
        return graph.spread(graph.cast(place, "float32"), (ROWS,))

    @property
    def _labels(self) -> tuple[Hashable, ...]:
        """The labels of the arms, by position."""
        return tuple(self.model.treatment.label_of(np.arange(self.model.treatment.strata)).tolist())

    def _own(self, name: str) -> str:
        """Return a name that no column has."""
        while name in self.taken:
            name += "_"
        return name

    # What comes out.

    def _effects(self) -> dict[str, tuple[Value, str]]:
        model, graph = self.model, self.graph
        members = self._possible(self.form.effect(self.x, self.t0, self.t1))
        effect = self.form.mean(members)
        told = {EFFECT: (effect, "the effect of T1 against T0 [rows]")}
        if not model.has_interval:
            return told
        parts = self.form.by_learner(self.x, self.t0, self.t1)
        by_learner = None if parts is None else (self._possible(parts[0]), parts[1])
        error = self.form.error(self.x, self.t0, self.t1, members, by_learner)
        reach = graph.times(error, graph.constant(self.form.quantile(members, self.alpha)))
        ends = {LOWER: graph.subtract(effect, reach), UPPER: graph.add(effect, reach)}
        share = f"{1 - self.alpha:g}"
        return told | {
            name: (
                self._inside_effect(end),
                f"the {name} end of the interval of the effect, which holds with chance {share}",
            )
            for name, end in ends.items()
        }

    def _outcomes(self) -> dict[str, tuple[Value, str]]:
        treatment: Any = self.model.treatment
        graph = self.graph
        if treatment.whole_range:
            return {
                name: (self._expected(t), f"the expected outcome under {side} [rows]")
                for name, side, t in zip(OUTCOMES, TREATMENTS, (self.t0, self.t1), strict=True)
            }
        columns = [
            graph.reshaped(self._expected(self._of_all(self._labels.index(label))), (ROWS, 1))
            for label in treatment.in_order
        ]
        text = "the expected outcome under each arm [rows, arms], in the order of the arms"
        return {OUTCOME: (graph.joined(columns, 1), text)}

    def _expected(self, t: Value) -> Value:
        low, high = self.model.outcome.bounds
        return self.graph.between(self.form.mean(self.form.outcome(self.x, t)), low, high)

    def _possible(self, effects: Value) -> Value:
        """Return effects that are 0 where a treatment is compared with itself, inside bounds."""
        same = self.graph.each("Equal", self.t0, self.t1)
        zero = self.graph.constant(0.0)
        return self._inside_effect(self.graph.where(same, zero, effects))

    def _inside_effect(self, effects: Value) -> Value:
        low, high = self.model.outcome.bounds
        return self.graph.between(effects, low - high, high - low)

    def _only_known(self, value: Value) -> Value:
        """Return NaN where T0 or T1 is no arm of the fit."""
        graph = self.graph
        value = graph.spread(value, (ROWS, *value.shape[1:]))
        if self.compared is not None or self.model.treatment.whole_range or len(value.shape) > 1:
            return value
        lowest = graph.each("Min", self.t0, self.t1)
        is_known = graph.each("GreaterOrEqual", lowest, graph.constant(0, "float32"))
        return graph.where(is_known, value, graph.constant(np.nan, "float64"))

    # In words.

    def _about(self, inputs: dict[str, str], outputs: dict[str, str]) -> dict[str, Any]:
        model, names = self.model, input_names(self.model.schema)
        treatment: Any = model.treatment
        labels = {} if treatment.whole_range else {"arms": list(map(word, treatment.in_order))}
        named = {} if self.compared is None else dict(zip(TREATMENTS, self.compared, strict=True))
        takes = (
            "float64: doses, one or one a row"
            if treatment.whole_range
            else "text: names of arms, one or one a row; another name gives NaN"
        )
        return {
            "columns": [
                about(column, names[column.name])
                for column in model.schema.columns
                if column.name in names
            ],
            "treatment": treatment.to_json() | labels,
            "compared": named,
            "inputs": {own: {"stands for": name, "takes": takes} for name, own in inputs.items()},
            "outputs": outputs,
            "outcome": {"kind": model.outcome.name, "labels": model.labels},
            "names": model.names,
            "method": model.method,
            "alpha": self.alpha,
        }
