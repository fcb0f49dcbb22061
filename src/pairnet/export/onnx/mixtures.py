"""A stack in a graph: the weighted sum of its learners, as `learners/mixture.py` has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from pairnet.export.onnx.forms import AbstractForm, form_of
from pairnet.export.onnx.graph import ROWS, Graph, Value
from pairnet.learners.mixture import Mixture


class Weighed(AbstractForm):
    """Learners by their weights, plus what is the same for all rows."""

    is_stack: ClassVar[bool] = True

    def __init__(self, graph: Graph, treatment: Any, predictor: Mixture):
        super().__init__(graph, treatment)
        self.mixture = predictor
        speaks = (predictor.weights > 0) | (predictor.outcome_weights > 0)
        self.parts = [
            form_of(part, graph, treatment) if is_heard else None
            for part, is_heard in zip(predictor.parts, speaks, strict=True)
        ]

    def effect(self, x, t0, t1):
        answers = self._sum(self.mixture.weights, lambda part: part.effect(x, t0, t1))
        if self.treatment.whole_range:
            return answers
        by_arm = self.mixture.constant + self.mixture.shift
        return self.graph.add(answers, self._between(by_arm, t0, t1))

    def outcome(self, x, t):
        graph, offset = self.graph, self.graph.constant(self.mixture.offset, "float64")
        if self.treatment.whole_range:
            return graph.add(self._sum(self.mixture.weights, lambda p: p.outcome(x, t)), offset)
        shares = self.mixture.arm_shares
        arms = [self.arm(number) for number in range(len(shares))]
        over_arms = lambda answer: graph.add(
            *(
                graph.times(answer(arm), graph.constant(share, "float64"))
                for share, arm in zip(shares, arms, strict=True)
            )
        )
        level = self._sum(
            self.mixture.outcome_weights,
            lambda part: over_arms(lambda arm: part.outcome(x, arm)),
        )
        mean = over_arms(lambda arm: self.effect(x, arms[0], arm))
        own = graph.subtract(self.effect(x, arms[0], t), mean)
        return graph.add(level, own, offset)

    def by_learner(self, x, t0, t1):
        parts, weights = [], []
        for part, weight in zip(self.parts, self.mixture.weights, strict=True):
            if weight > 0:
                assert part is not None
                parts.append(self.as_row(self.mean(part.effect(x, t0, t1))))
                weights.append(float(weight))
        alone = self.mixture.weight_alone
        if alone > 0:
            by_arm = self.mixture.constant.mean(axis=0, keepdims=True) / alone
            parts.append(self._between(by_arm, t0, t1))
            weights.append(alone)
        return self.graph.joined(parts, 0), np.asarray(weights)

    def arm(self, number: int) -> Value:
        """Return an arm as the treatment of all rows."""
        return self.graph.spread(self.graph.constant(number, "float32"), (ROWS,))

    def _sum(self, weights: np.ndarray, answer: Callable[[AbstractForm], Value]) -> Value:
        """Return the weighted sum of the parts' answers, for every member."""
        total = self.graph.constant(np.zeros((len(self.mixture.constant), 1)))
        for part, weight in zip(self.parts, weights, strict=True):
            if weight > 0:
                assert part is not None
                one = self.graph.times(answer(part), self.graph.constant(weight, "float64"))
                total = self.graph.add(total, one)
        return self.graph.spread(total, (total.shape[0], ROWS))

    def _between(self, by_arm: np.ndarray, t0: Value, t1: Value) -> Value:
        """Return how far what belongs to arms lies apart for t1 and t0 [m n]."""
        difference = self.graph.subtract(self.flags(t1), self.flags(t0))
        columns = self.graph.constant(np.ascontiguousarray(np.asarray(by_arm, np.float64).T))
        return self.graph.moved(self.graph.product(difference, columns), (1, 0))


@form_of.register
def _(predictor: Mixture, graph: Graph, treatment: Any) -> AbstractForm:
    return Weighed(graph, treatment, predictor)
