"""What a predictor's graph is made by: a form. Which one a predictor has, `form_of` says.

A method of one's own that is no network needs a form to be exported: a subclass of `AbstractForm`
that writes down `outcome` with the operations of a `Graph`, registered by `@form_of.register`.
"""

from __future__ import annotations

import abc
from functools import singledispatch
from typing import ClassVar

import numpy as np
from jaxtyping import Float
from scipy import stats

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Treatment
from pairnet.export.onnx.graph import Graph, Value
from pairnet.inference import intervals
from pairnet.model.predictor import AbstractPredictor


class AbstractForm(abc.ABC):
    """A predictor in a graph; answers are float64 [m n], members first, as those of predictors.

    Covariates x are encoded rows [n d] in float64, treatments t inside numbers [n] in float32.
    """

    is_stack: ClassVar[bool] = False  # whether `by_learner` has an answer

    def __init__(self, graph: Graph, treatment: Treatment):
        self.graph, self.treatment = graph, treatment

    @abc.abstractmethod
    def outcome(self, x: Value, t: Value) -> Value:
        """Return every member's expected outcome under t."""

    def effect(self, x: Value, t0: Value, t1: Value) -> Value:
        """Return every member's effect of t1 against t0."""
        return self.graph.subtract(self.outcome(x, t1), self.outcome(x, t0))

    def by_learner(
        self, x: Value, t0: Value, t1: Value
    ) -> tuple[Value, Float[np.ndarray, " p"]] | None:
        """Return the effects [p n] by each learner of a stack, with weights; None for others."""
        return None

    def error(
        self,
        x: Value,
        t0: Value,
        t1: Value,
        members: Value,
        by_learner: tuple[Value, Float[np.ndarray, " p"]] | None,
    ) -> Value:
        """Return how sure effects are [n], in the unit that `quantile` multiplies.

        members, by_learner: the effects as they are shown. See `inference/intervals.py`.
        """
        graph = self.graph
        off = graph.subtract(members, self.as_row(self.mean(members)))
        variance = self.mean(graph.times(off, off))
        if by_learner is None:
            return graph.each("Sqrt", variance)
        answers, weights = by_learner[0], graph.constant(by_learner[1][:, None])
        mean = lambda values: graph.reduced("ReduceSum", graph.times(values, weights), [0])
        apart = graph.subtract(answers, self.as_row(mean(answers)))
        of_folds = graph.times(variance, graph.constant(intervals.FOLDS_FACTOR))
        of_learners = graph.times(
            mean(graph.times(apart, apart)), graph.constant(intervals.LEARNERS_FACTOR)
        )
        return graph.each("Sqrt", graph.add(of_folds, of_learners))

    def quantile(self, members: Value, alpha: float) -> float:
        """Return how many errors an interval reaches."""
        if self.is_stack:
            return float(stats.norm.ppf(1 - alpha / 2))
        count = members.shape[0] or 0
        few = np.sqrt(count / (count - 1)) * np.sqrt(1 + 1 / count)
        return float(stats.t.ppf(1 - alpha / 2, count - 1) * few)

    # What several forms need.

    def mean(self, members: Value) -> Value:
        """Return the mean of the members [n]."""
        return self.graph.reduced("ReduceMean", members, [0])

    def as_row(self, values: Value) -> Value:
        """Return [n] as the answer [1 n] of one member."""
        return self.graph.reshaped(values, (1, *values.shape))

    def flags(self, t: Value) -> Value:
        """Return [n k]: 1 in the column of each row's arm."""
        return self.graph.one_hot(t, self.treatment.strata)


@singledispatch
def form_of(predictor: AbstractPredictor, graph: Graph, treatment: Treatment) -> AbstractForm:
    """Return the form of a predictor; register that of a predictor of your own."""
    kind = type(predictor)
    raise BadInput(
        "",
        f"{kind.__module__}.{kind.__qualname__} has no form in ONNX: it is no network, and nothing "
        "says how its outcomes are computed",
        "Write a subclass of pairnet.export.onnx.AbstractForm with `outcome`, and register it with "
        f"@form_of.register({kind.__name__}) (docs/serving.md has an example), or save the model "
        "with model.save(folder).",
    )
