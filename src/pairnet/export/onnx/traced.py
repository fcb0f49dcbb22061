"""Functions of JAX in a graph: a function is traced, and each of its operations becomes nodes.

So one file knows all networks. Operations on weights alone are done at once, by JAX itself; only
those on rows become nodes. The number of rows is a symbol of JAX's, as in its own exports.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.export import symbolic_shape

from pairnet.core.errors import BadInput
from pairnet.core.own_jax import in_own_jax
from pairnet.export.onnx.graph import ROWS, Graph, Shape, Value

SAME_NAME = {  # operations on each element that ONNX has, too
    "abs": "Abs",
    "add": "Add",
    "add_any": "Add",
    "and": "And",
    "ceil": "Ceil",
    "cos": "Cos",
    "div": "Div",
    "eq": "Equal",
    "erf": "Erf",
    "exp": "Exp",
    "floor": "Floor",
    "ge": "GreaterOrEqual",
    "gt": "Greater",
    "le": "LessOrEqual",
    "log": "Log",
    "logistic": "Sigmoid",
    "lt": "Less",
    "max": "Max",
    "min": "Min",
    "mul": "Mul",
    "neg": "Neg",
    "not": "Not",
    "or": "Or",
    "pow": "Pow",
    "round": "Round",
    "sign": "Sign",
    "sin": "Sin",
    "sqrt": "Sqrt",
    "sub": "Sub",
    "tanh": "Tanh",
}
REDUCTIONS = {"reduce_sum": "ReduceSum", "reduce_max": "ReduceMax", "reduce_min": "ReduceMin"}
AS_THEY_ARE = ("stop_gradient", "copy", "copy_p", "optimization_barrier")
INSIDE = ("jaxpr", "call_jaxpr", "fun_jaxpr")  # what a function inside a function is called


@in_own_jax
def trace(function: Callable[..., Any], *shapes: Any) -> Any:
    """Trace a function of arrays; `shapes` are trees of `row_shape` and of arrays."""
    return jax.make_jaxpr(function)(*shapes)


def row_shape(*others: int) -> jax.ShapeDtypeStruct:
    """Return the shape of an array of rows in float32."""
    return jax.ShapeDtypeStruct((_symbol(), *others), np.float32)


@functools.cache
def _symbol() -> Any:
    """Return the number of rows to come; two symbols, though of one name, would differ."""
    return symbolic_shape("rows")[0]


@in_own_jax
def applied(graph: Graph, traced: Any, arguments: Sequence[Value]) -> list[Value]:
    """Add a traced function to a graph, and return its results; arguments are its leaves."""
    constants = [graph.constant(np.asarray(value)) for value in traced.consts]
    return _Reader(graph).read(traced.jaxpr, [*constants, *arguments])


class _Reader:
    """Adds operation after operation.

    A value may have the size 1 along an axis where JAX's has another: it is the same all along.
    """

    def __init__(self, graph: Graph):
        self.graph = graph

    def read(self, jaxpr: Any, arguments: Sequence[Value]) -> list[Value]:
        """Return the results of a traced function."""
        values = dict(zip((*jaxpr.constvars, *jaxpr.invars), arguments, strict=True))
        constant = lambda atom: self.graph.constant(np.asarray(atom.val, atom.aval.dtype))
        value_of = lambda atom: constant(atom) if hasattr(atom, "val") else values[atom]
        for equation in jaxpr.eqns:
            results = self._results(equation, [value_of(atom) for atom in equation.invars])
            values.update(zip(equation.outvars, results, strict=True))
        return [value_of(atom) for atom in jaxpr.outvars]

    def _results(self, equation: Any, values: list[Value]) -> list[Value]:
        for name in INSIDE:
            if name in equation.params:
                return self._inside(equation.params[name], values)
        if (known := _worked_out(equation, values)) is not None:
            return [self.graph.constant(array) for array in known]
        name = equation.primitive.name
        if name in AS_THEY_ARE:
            return values
        if name in SAME_NAME:
            return [self.graph.each(SAME_NAME[name], *values)]
        if name in REDUCTIONS:
            full = self._full(values[0], equation.invars[0])
            axes = [int(axis) for axis in equation.params["axes"]]
            return [self.graph.reduced(REDUCTIONS[name], full, axes)]
        own: Callable[..., Value] | None = getattr(self, f"_{name}", None)
        if own is None:
            raise BadInput(
                "",
                f"The network computes {name!r}, which has no form in ONNX yet",
                "Add it to pairnet/export/onnx/traced.py, or save the model with "
                "model.save(folder).",
            )
        return [own(equation, *values)]

    def _inside(self, inner: Any, values: list[Value]) -> list[Value]:
        if not hasattr(inner, "consts"):
            return self.read(inner, values)
        constants = [self.graph.constant(np.asarray(value)) for value in inner.consts]
        return self.read(inner.jaxpr, [*constants, *values])

    def _full(self, value: Value, atom: Any) -> Value:
        """Return a value in the shape that it has for JAX."""
        return self.graph.spread(value, _shape(atom))

    # One method an operation of JAX, by its name.

    def _broadcast_in_dim(self, equation: Any, value: Value) -> Value:
        places = [int(axis) for axis in equation.params["broadcast_dimensions"]]
        shape: list[int | None] = [1] * len(equation.outvars[0].aval.shape)
        for place, size in zip(places, value.shape, strict=True):
            shape[place] = size
        return self.graph.reshaped(value, tuple(shape))

    def _reshape(self, equation: Any, value: Value) -> Value:
        full = self._full(value, equation.invars[0])
        return self.graph.reshaped(full, _shape(equation.outvars[0]))

    def _squeeze(self, equation: Any, value: Value) -> Value:
        gone = [int(axis) % len(value.shape) for axis in equation.params["dimensions"]]
        shape = tuple(size for axis, size in enumerate(value.shape) if axis not in gone)
        return self.graph.reshaped(value, shape)

    def _expand_dims(self, equation: Any, value: Value) -> Value:
        return self._reshape(equation, value)

    def _transpose(self, equation: Any, value: Value) -> Value:
        return self.graph.moved(value, [int(axis) for axis in equation.params["permutation"]])

    def _convert_element_type(self, equation: Any, value: Value) -> Value:
        kind = np.dtype(equation.params["new_dtype"])
        return self.graph.cast(value, "int64" if kind.kind in "iu" else kind.name)

    def _select_n(self, equation: Any, which: Value, *cases: Value) -> Value:
        if which.kind == "bool":
            return self.graph.where(which, cases[1], cases[0])
        chosen = cases[-1]
        for number in reversed(range(len(cases) - 1)):
            is_this = self.graph.each("Equal", which, self.graph.constant(number, which.kind))
            chosen = self.graph.where(is_this, cases[number], chosen)
        return chosen

    def _clamp(self, equation: Any, low: Value, value: Value, high: Value) -> Value:
        return self.graph.each("Min", self.graph.each("Max", value, low), high)

    def _integer_pow(self, equation: Any, value: Value) -> Value:
        power = int(equation.params["y"])
        if power == 2:
            return self.graph.times(value, value)
        return self.graph.each("Pow", value, self.graph.constant(power, value.kind))

    def _square(self, equation: Any, value: Value) -> Value:
        return self.graph.times(value, value)

    def _expm1(self, equation: Any, value: Value) -> Value:
        one = self.graph.constant(1, value.kind)
        return self.graph.subtract(self.graph.each("Exp", value), one)

    def _log1p(self, equation: Any, value: Value) -> Value:
        return self.graph.each("Log", self.graph.add(value, self.graph.constant(1, value.kind)))

    def _rsqrt(self, equation: Any, value: Value) -> Value:
        root = self.graph.each("Sqrt", value)
        return self.graph.over(self.graph.constant(1, value.kind), root)

    def _ne(self, equation: Any, left: Value, right: Value) -> Value:
        return self.graph.each("Not", self.graph.each("Equal", left, right))

    def _concatenate(self, equation: Any, *values: Value) -> Value:
        axis = int(equation.params["dimension"])
        parts = []
        for value, atom in zip(values, equation.invars, strict=True):
            own = _shape(atom)[axis]
            shape = tuple(own if at == axis else size for at, size in enumerate(value.shape))
            parts.append(self.graph.spread(value, shape))
        return self.graph.joined(parts, axis)

    def _stack(self, equation: Any, *values: Value) -> Value:
        axis = int(equation.params["axis"]) if "axis" in equation.params else 0
        axis %= len(equation.outvars[0].aval.shape)
        longer = lambda value: (*value.shape[:axis], 1, *value.shape[axis:])
        return self.graph.joined([self.graph.reshaped(v, longer(v)) for v in values], axis)

    def _slice(self, equation: Any, value: Value) -> Value:
        begin, end = equation.params["start_indices"], equation.params["limit_indices"]
        steps = equation.params["strides"] or (1,) * len(begin)
        inner, outer = _shape(equation.invars[0]), _shape(equation.outvars[0])
        cut = [
            axis
            for axis, size in enumerate(value.shape)
            if size not in (1, ROWS) and inner[axis] != outer[axis]
        ]
        if any(size is ROWS and inner[at] != outer[at] for at, size in enumerate(value.shape)):
            raise BadInput(
                "", "The network tells rows apart by their place, which cannot be exported"
            )
        if not cut:
            return value
        lists = [[int(of[axis]) for axis in cut] for of in (begin, end)]
        lists += [cut, [int(steps[axis]) for axis in cut]]
        listed = [self.graph.constant(numbers, "int64") for numbers in lists]
        shape = tuple(outer[at] if at in cut else size for at, size in enumerate(value.shape))
        return self.graph.node("Slice", value, *listed, kind=value.kind, shape=shape)

    def _dot_general(self, equation: Any, left: Value, right: Value) -> Value:
        (along_left, along_right), (both_left, both_right) = equation.params["dimension_numbers"]
        a = self._matrix(left, equation.invars[0], both_left, along_left, is_left=True)
        b = self._matrix(right, equation.invars[1], both_right, along_right, is_left=False)
        shape = _shape(equation.outvars[0])
        product = self.graph.product(a, b)
        known = len(both_left)
        # Where an axis before the matrices has the size 1 in both, it is the same all along.
        return self.graph.reshaped(product, (*product.shape[:known], *shape[known:]))

    def _matrix(self, value: Value, atom: Any, both: Any, along: Any, *, is_left: bool) -> Value:
        """Return matrices behind the axes of both sides; one of their two axes is summed over."""
        full, both, along = _shape(atom), list(map(int, both)), list(map(int, along))
        own = [axis for axis in range(len(full)) if axis not in (*both, *along)]
        order = [*both, *own, *along] if is_left else [*both, *along, *own]
        kept = tuple(size if at in both else full[at] for at, size in enumerate(value.shape))
        moved = self.graph.moved(self.graph.spread(value, kept), order)
        before = moved.shape[: len(both)]
        sizes = [_product([full[axis] for axis in axes]) for axes in (own, along)]
        return self.graph.reshaped(moved, (*before, *(sizes if is_left else reversed(sizes))))


def _worked_out(equation: Any, values: list[Value]) -> list[np.ndarray] | None:
    """Return the results of an operation on constants; None if it needs rows that are to come."""
    atoms = (*equation.invars, *equation.outvars)
    if any(ROWS in _shape(atom) for atom in atoms):
        return None
    if any(value.known is None for value in values):
        return None
    arrays = [
        np.broadcast_to(np.asarray(value.known), _shape(atom)).astype(atom.aval.dtype)  # type: ignore[arg-type]
        for value, atom in zip(values, equation.invars, strict=True)
    ]
    results = equation.primitive.bind(*arrays, **equation.params)
    listed = results if equation.primitive.multiple_results else [results]
    return [np.asarray(array) for array in listed]


def _shape(atom: Any) -> Shape:
    """Return a shape of JAX's, with the axis of rows marked."""
    return tuple(size if isinstance(size, int) else _rows(size) for size in atom.aval.shape)


def _rows(size: Any) -> int | None:
    return int(size) if isinstance(size, np.integer) else ROWS


def _product(sizes: Sequence[int | None]) -> int | None:
    """Return how many elements axes have together."""
    return ROWS if ROWS in sizes else int(np.prod(sizes))  # type: ignore[arg-type]
