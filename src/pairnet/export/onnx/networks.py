"""Networks in a graph: what reads outcomes and effects off them is traced, once for all members."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from pairnet.export.onnx.forms import AbstractForm, form_of
from pairnet.export.onnx.graph import ROWS, Graph, Value
from pairnet.export.onnx.traced import applied, row_shape, trace
from pairnet.learners.networked import NetworkPredictor


class Networks(AbstractForm):
    """Fitted networks; each member's weights become constants."""

    def __init__(self, graph: Graph, treatment: Any, predictor: NetworkPredictor):
        super().__init__(graph, treatment)
        self.fitted = predictor.fitted
        self._traced: dict[str, Any] = {}

    def outcome(self, x, t):
        unit, location = (
            float(np.ravel(v)[0]) for v in (self._scaling.unit, self._scaling.location)
        )
        offset = np.asarray(self.fitted.offset, np.float64)[0][:, None]
        level = self.graph.add(self._read("outcome", x, t), self.graph.constant(offset))
        scaled = self.graph.times(level, self.graph.constant(unit, "float64"))
        return self.graph.add(scaled, self.graph.constant(location, "float64"))

    def effect(self, x, t0, t1):
        unit = self.graph.constant(float(np.ravel(self._scaling.unit)[0]), "float64")
        return self.graph.times(self._read("effect", x, t0, t1), unit)

    @property
    def _scaling(self) -> Any:
        return self.fitted.scaling

    def _read(self, what: str, x: Value, *treatments: Value) -> Value:
        """Return what a reading says of every member, in units of training."""
        graph = self.graph
        centre, spread = (
            graph.constant(np.atleast_2d(np.asarray(values, np.float64))[:1])
            for values in (self._scaling.centre, self._scaling.spread)
        )
        standard = graph.cast(graph.over(graph.subtract(x, centre), spread), "float32")
        treatments = tuple(graph.spread(t, (ROWS,)) for t in treatments)
        members = []
        for member in range(np.shape(self.fitted.offset)[1]):
            own = jax.tree.map(lambda leaf, m=member: np.asarray(leaf[0, m]), self.fitted.networks)
            traced = self._trace(what, own, int(x.shape[1] or 0), len(treatments))
            weights = [graph.constant(leaf) for leaf in jax.tree.leaves(own)]
            (answer,) = applied(graph, traced, [*weights, standard, *treatments])
            answer = graph.spread(answer, (ROWS,))
            members.append(self.as_row(graph.cast(answer, "float64")))
        return graph.joined(members, 0)

    def _trace(self, what: str, networks: Any, width: int, count: int) -> Any:
        """Trace a reading of one member for rows; members differ in their weights alone."""
        if what not in self._traced:
            read = getattr(self.fitted.reading, what)
            by_row = jax.vmap(read, in_axes=(None, 0, *(0 for _ in range(count))))
            shapes = row_shape(width), *(row_shape() for _ in range(count))
            self._traced[what] = trace(by_row, networks, *shapes)
        return self._traced[what]


@form_of.register
def _(predictor: NetworkPredictor, graph: Graph, treatment: Any) -> AbstractForm:
    return Networks(graph, treatment, predictor)
