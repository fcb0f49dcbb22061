"""Lines in a graph, and several predictors of one member each."""

from __future__ import annotations

from typing import Any

import numpy as np

from pairnet.export.onnx.forms import AbstractForm, form_of
from pairnet.export.onnx.graph import Graph, Value
from pairnet.learners.by_member import Ensemble
from pairnet.learners.linear import KNOTS, Lines


class Linear(AbstractForm):
    """A line in the covariates for each function of the treatment."""

    def __init__(self, graph: Graph, treatment: Any, predictor: Lines):
        super().__init__(graph, treatment)
        self.lines, self.yes_no = np.asarray(predictor.lines, np.float64), predictor.yes_no

    def outcome(self, x, t):
        graph = self.graph
        slopes, levels = graph.constant(self.lines[:, 1:].T), graph.constant(self.lines[None, :, 0])
        heights = graph.add(graph.product(x, slopes), levels)
        score = graph.reduced("ReduceSum", graph.times(heights, self._functions(t)), [1])
        return self.as_row(graph.each("Sigmoid", score) if self.yes_no else score)

    def _functions(self, t: Value) -> Value:
        """Return the values [n k] of the functions of the treatment: see `functions_of`."""
        if not self.treatment.whole_range:
            return self.flags(t)
        graph = self.graph
        dose, one = graph.cast(t, "float64"), graph.constant(1.0)
        square = lambda value: graph.times(value, value)
        past = lambda knot: graph.between(graph.subtract(dose, graph.constant(knot)), 0.0, np.inf)
        functions = [
            graph.add(graph.times(dose, graph.constant(0.0)), one),
            dose,
            square(dose),
            *(square(past(knot)) for knot in KNOTS),
        ]
        return graph.joined([graph.reshaped(f, (*f.shape, 1)) for f in functions], 1)


class Several(AbstractForm):
    """Several forms of one member each."""

    def __init__(self, graph: Graph, treatment: Any, predictor: Ensemble):
        super().__init__(graph, treatment)
        self.members = [form_of(member, graph, treatment) for member in predictor.members]

    def outcome(self, x, t):
        return self.graph.joined([member.outcome(x, t) for member in self.members], 0)

    def effect(self, x, t0, t1):
        return self.graph.joined([member.effect(x, t0, t1) for member in self.members], 0)


@form_of.register
def _(predictor: Lines, graph: Graph, treatment: Any) -> AbstractForm:
    return Linear(graph, treatment, predictor)


@form_of.register
def _(predictor: Ensemble, graph: Graph, treatment: Any) -> AbstractForm:
    return Several(graph, treatment, predictor)
