"""Boosted trees in a graph: ONNX has an operation for the sum of trees.

It answers in float32, so trees predict what is left when the middle of their answers is taken out;
that is added in float64.
"""

from __future__ import annotations

import abc
from itertools import pairwise
from typing import Any

import numpy as np

from pairnet.export.onnx.forms import AbstractForm, form_of
from pairnet.export.onnx.graph import OF_TREES, ROWS, Graph, Value
from pairnet.learners.boosted import AbstractForest
from pairnet.learners.trees import TINY, Trees
from pairnet.methods.treedrlearner import Regressed
from pairnet.methods.treeslearner import Together
from pairnet.methods.treetlearner import ByArm
from pairnet.methods.treexlearner import Blended

SPLIT, LEAF = "BRANCH_LEQ", "LEAF"


class Forest(AbstractForm):
    """Trees by name, and a way to read outcomes off them; each kind of forest says which."""

    def __init__(self, graph: Graph, treatment: Any, predictor: AbstractForest):
        super().__init__(graph, treatment)
        self.trees, self.yes_no = predictor.trees, predictor.yes_no
        self._nodes = {name: nodes(trees) for name, trees in predictor.trees.items()}

    def sum(self, name: str, x: Value) -> Value:
        """Return the sum of the trees of a name [n]."""
        graph, (options, middle) = self.graph, self._nodes[name]
        if options is None:
            return graph.spread(graph.constant(middle), (ROWS,))
        told = graph.each("Abs", x)
        # A comparison with NaN is false: a missing number counts as 0, too.
        told = graph.each("Greater", told, graph.constant(TINY, "float64"))
        seen = graph.where(told, x, graph.constant(0.0))
        total = graph.node(
            "TreeEnsembleRegressor",
            seen,
            kind="float32",
            shape=(ROWS, 1),
            domain=OF_TREES,
            **options,
        )
        total = graph.reshaped(graph.cast(total, "float64"), (ROWS,))
        return graph.add(total, graph.constant(middle))

    def expected(self, name: str, x: Value) -> Value:
        """Return the outcomes [n] that the trees of a name expect."""
        total = self.sum(name, x)
        return self.graph.each("Sigmoid", total) if self.yes_no else total

    def of_own_arm(self, t: Value, answers: list[Value]) -> Value:
        """Return each row's answer under its arm, given one for every arm [n]."""
        chosen = self.graph.constant(0.0)
        for arm, answer in enumerate(answers):
            is_own = self.graph.each("Equal", t, self.graph.constant(arm, t.kind))
            chosen = self.graph.where(is_own, answer, chosen)
        return self.graph.spread(chosen, (ROWS,))


class WithTreatment(Forest):
    """Trees of all outcomes, whose last columns are the treatment."""

    def outcome(self, x, t):
        graph = self.graph
        if self.treatment.whole_range:
            columns = graph.reshaped(graph.cast(t, "float64"), (*t.shape, 1))
        else:
            others = graph.constant(np.arange(1, self.treatment.strata)[None], t.kind)
            columns = graph.each("Equal", graph.reshaped(t, (*t.shape, 1)), others)
            columns = graph.cast(columns, "float64")
        return self.as_row(self.expected("mu", graph.joined([x, columns], 1)))


class OfArms(Forest):
    """Trees of the outcomes of each arm."""

    def outcome(self, x, t):
        arms = range(self.treatment.strata)
        return self.as_row(self.of_own_arm(t, [self.expected(f"mu{arm}", x) for arm in arms]))


class AgainstFirst(Forest):
    """Effects of every arm against the first, and the outcomes of the first."""

    @abc.abstractmethod
    def against_first(self, x: Value, arm: int) -> Value:
        """Return each row's effect of an arm against the first [n]."""

    def outcome(self, x, t):
        return self.as_row(self.graph.add(self.expected("mu0", x), self._of(x, t)))

    def effect(self, x, t0, t1):
        return self.as_row(self.graph.subtract(self._of(x, t1), self._of(x, t0)))

    def _of(self, x: Value, t: Value) -> Value:
        others = [self.against_first(x, arm) for arm in range(1, self.treatment.strata)]
        return self.of_own_arm(t, [self.graph.constant(0.0), *others])


class OneEach(AgainstFirst):
    """Effects by trees tau1, tau2, ..."""

    def against_first(self, x, arm):
        return self.sum(f"tau{arm}", x)


class OfBothSides(AgainstFirst):
    """Effects by trees of both arms' rows, blended by their chances."""

    def against_first(self, x, arm):
        graph = self.graph
        chance = graph.each("Sigmoid", self.sum(f"pi{arm}", x))
        own = graph.subtract(graph.constant(1.0), chance)
        return graph.add(
            graph.times(chance, self.sum(f"first{arm}", x)),
            graph.times(own, self.sum(f"own{arm}", x)),
        )


for forest, form in (
    (Together, WithTreatment),
    (ByArm, OfArms),
    (Regressed, OneEach),
    (Blended, OfBothSides),
):
    form_of.register(
        forest, lambda predictor, graph, treatment, form=form: form(graph, treatment, predictor)
    )


def nodes(trees: Trees) -> tuple[dict[str, Any] | None, float]:
    """Return trees as the options of ONNX's operation, and the middle that is taken out of them.

    The options are None if the trees have no split.
    """
    listed = _Nodes()
    splits = np.append(0, np.cumsum(trees.sizes))
    leaves = splits + np.arange(len(splits))
    middle = 0.0
    for (start, stop), (low, high) in zip(pairwise(splits), pairwise(leaves), strict=True):
        values = trees.value[low:high]
        own = float((values.min() + values.max()) / 2)
        middle += own
        if stop > start:
            part = (trees.column, trees.threshold, trees.first, trees.past)
            listed.tree([array[start:stop] for array in part], values - own)
    return (listed.options() if listed.values else None), middle


class _Nodes:
    """The nodes of several trees, written from their roots."""

    def __init__(self):
        self.tree_of, self.column, self.modes, self.yes, self.no = [], [], [], [], []
        self.number, self.values = [], []
        self.leaf_tree, self.leaf, self.weight = [], [], []
        self.count = 0

    def tree(self, splits: list[np.ndarray], values: np.ndarray) -> None:
        """Add a tree of its splits (column, threshold, first and past leaf on the left)."""
        self.start, self.count = len(self.values), self.count + 1
        self._part(splits, values, 0, len(values))

    def _part(self, splits: list[np.ndarray], values: np.ndarray, low: int, high: int) -> int:
        """Add the part of a tree that has the leaves from `low` up to `high`; return its node."""
        column, threshold, first, past = splits
        here = self._node()
        if high == low + 1:
            self.modes[here] = LEAF
            self.leaf_tree.append(self.count - 1)
            self.leaf.append(here - self.start)
            self.weight.append(values[low])
            return here - self.start
        mine = np.flatnonzero((first == low) & (past < high))
        split = mine[np.argmax(past[mine])]
        self.column[here], self.values[here] = int(column[split]), float(threshold[split])
        self.yes[here] = self._part(splits, values, low, int(past[split]))
        self.no[here] = self._part(splits, values, int(past[split]), high)
        return here - self.start

    def _node(self) -> int:
        self.tree_of.append(self.count - 1)
        self.number.append(len(self.values) - self.start)
        for listed, empty in (
            (self.column, 0),
            (self.modes, SPLIT),
            (self.yes, 0),
            (self.no, 0),
            (self.values, 0.0),
        ):
            listed.append(empty)
        return len(self.values) - 1

    def options(self) -> dict[str, Any]:
        """Return all nodes by the names that ONNX has for them."""
        return {
            "n_targets": 1,
            "nodes_treeids": self.tree_of,
            "nodes_nodeids": self.number,
            "nodes_featureids": self.column,
            "nodes_modes": self.modes,
            "nodes_truenodeids": self.yes,
            "nodes_falsenodeids": self.no,
            "nodes_values_as_tensor": np.asarray(self.values, np.float64),
            "target_treeids": self.leaf_tree,
            "target_nodeids": self.leaf,
            "target_ids": [0] * len(self.leaf),
            "target_weights_as_tensor": np.asarray(self.weight, np.float64),
        }
