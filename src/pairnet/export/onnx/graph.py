"""A computation as a list of nodes with ONNX's operations; no package but numpy is needed.

What is known while the graph is made (weights, for example) is a constant; equal nodes and equal
constants are kept once. So outcomes under several treatments share all that does not hang on the
treatment, though each is written down by itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

ROWS = None  # the size of an axis that is only known when rows come
Shape = tuple[int | None, ...]
TYPES = {
    "float32": np.float32,
    "float64": np.float64,
    "int64": np.int64,
    "bool": np.bool_,
    "str": np.object_,
}
COMPARISONS = ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual")
OF_TREES = "ai.onnx.ml"  # the domain of operations on trees and labels


@dataclass(frozen=True, eq=False)
class Value:
    """An array: a constant, an input, or what a node makes of others."""

    name: str
    kind: str  # one of TYPES
    shape: Shape
    known: np.ndarray | None = None


@dataclass(frozen=True)
class Node:
    """An operation on values, by their names, with one result."""

    operation: str
    inputs: tuple[str, ...]
    output: str
    options: dict[str, Any]
    domain: str = ""


@dataclass
class Graph:
    """Nodes in the order in which they can be computed, and the constants that they need."""

    nodes: list[Node] = field(default_factory=list)
    inputs: list[Value] = field(default_factory=list)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    outputs: dict[str, Value] = field(default_factory=dict)
    _made: dict[Any, Value] = field(default_factory=dict)

    def input(self, name: str, kind: str, shape: Shape) -> Value:
        """Add an input."""
        self.inputs.append(Value(name, kind, shape))
        return self.inputs[-1]

    def output(self, name: str, value: Value) -> None:
        """Give a value a name that people ask for."""
        self.outputs[name] = value

    def constant(self, array: Any, kind: str | None = None) -> Value:
        """Return a constant."""
        array = np.asarray(array) if kind is None else np.asarray(array, TYPES[kind])
        if array.dtype.kind in "iu":
            array = array.astype(np.int64)
        kind = "str" if array.dtype.kind in "OU" else array.dtype.name
        content = repr(array.tolist()).encode() if kind == "str" else array.tobytes()
        mark = hashlib.sha256(repr((kind, array.shape)).encode() + content).hexdigest()[:24]
        return Value(f"constant/{mark}", kind, array.shape, array)

    def node(
        self,
        operation: str,
        *inputs: Value,
        kind: str,
        shape: Shape,
        domain: str = "",
        **options: Any,
    ) -> Value:
        """Add a node, or return the value of an equal one."""
        names = tuple(value.name for value in inputs)
        mark = (operation, names, _mark(options))
        if mark not in self._made:
            for value in inputs:
                if value.known is not None:
                    self.constants[value.name] = value.known
            made = Value(f"{operation}/{len(self.nodes)}", kind, shape)
            self.nodes.append(Node(operation, names, made.name, options, domain))
            self._made[mark] = made
        return self._made[mark]

    # Elementwise operations: shapes are made alike as in numpy.

    def each(self, operation: str, *values: Value, kind: str | None = None) -> Value:
        """Apply an operation to each element."""
        kind = kind or ("bool" if operation in COMPARISONS else values[0].kind)
        shape = together(value.shape for value in values)
        return self.node(operation, *values, kind=kind, shape=shape)

    def add(self, *values: Value) -> Value:
        """Return the sum of several values."""
        total = values[0]
        for value in values[1:]:
            total = self.each("Add", total, value)
        return total

    def subtract(self, left: Value, right: Value) -> Value:
        """Return left - right."""
        return self.each("Sub", left, right)

    def times(self, left: Value, right: Value) -> Value:
        """Return left * right."""
        return self.each("Mul", left, right)

    def over(self, left: Value, right: Value) -> Value:
        """Return left / right."""
        return self.each("Div", left, right)

    def where(self, condition: Value, yes: Value, no: Value) -> Value:
        """Return `yes` where a condition holds, and `no` elsewhere."""
        return self.each("Where", condition, yes, no, kind=yes.kind)

    def between(self, value: Value, low: float, high: float) -> Value:
        """Return values kept inside bounds; infinite ones are none."""
        if np.isfinite(low):
            value = self.each("Max", value, self.constant(low, value.kind))
        if np.isfinite(high):
            value = self.each("Min", value, self.constant(high, value.kind))
        return value

    def cast(self, value: Value, kind: str) -> Value:
        """Return values as another type."""
        if value.kind == kind:
            return value
        if value.known is not None:
            return self.constant(value.known.astype(TYPES[kind]))
        return self.node("Cast", value, kind=kind, shape=value.shape, to=kind)

    # Operations on axes.

    def reshaped(self, value: Value, shape: Shape) -> Value:
        """Return the same elements in another shape, with one axis of rows at most."""
        if value.shape == shape:
            return value
        sizes = [-1 if size is ROWS else size for size in shape]
        if value.known is not None and ROWS not in shape:
            return self.constant(value.known.reshape(sizes))
        wanted = self.constant(sizes, "int64")
        return self.node("Reshape", value, wanted, kind=value.kind, shape=shape)

    def moved(self, value: Value, order: Sequence[int]) -> Value:
        """Return a value with its axes in another order."""
        order = list(order)
        if order == list(range(len(value.shape))):
            return value
        if value.known is not None:
            return self.constant(np.ascontiguousarray(value.known.transpose(order)))
        shape = tuple(value.shape[axis] for axis in order)
        return self.node("Transpose", value, kind=value.kind, shape=shape, perm=order)

    def spread(self, value: Value, shape: Shape) -> Value:
        """Return a value repeated along axes that had the size 1."""
        if value.shape == shape:
            return value
        if value.known is not None and ROWS not in shape:
            full = np.broadcast_to(value.known, shape)  # type: ignore[arg-type]
            return self.constant(np.ascontiguousarray(full))
        return self.node("Expand", value, self._sizes(shape), kind=value.kind, shape=shape)

    def joined(self, values: Sequence[Value], axis: int) -> Value:
        """Return values one behind the other along an axis; the others are made alike."""
        if len(values) == 1:
            return values[0]
        others = together(
            tuple(1 if at == axis else size for at, size in enumerate(value.shape))
            for value in values
        )
        whole = lambda own: tuple(own if at == axis else size for at, size in enumerate(others))
        parts = [self.spread(value, whole(value.shape[axis])) for value in values]
        total = sum(value.shape[axis] or 0 for value in values)
        return self.node("Concat", *parts, kind=parts[0].kind, shape=whole(total), axis=axis)

    def reduced(
        self, operation: str, value: Value, axes: Sequence[int], keep: bool = False
    ) -> Value:
        """Return the sum, mean, largest or smallest value along axes: `ReduceSum`, for example."""
        sizes = [1 if at in axes else size for at, size in enumerate(value.shape)]
        shape = tuple(size for at, size in enumerate(sizes) if keep or at not in axes)
        listed = self.constant(axes, "int64")
        return self.node(operation, value, listed, kind=value.kind, shape=shape, keepdims=int(keep))

    def product(self, left: Value, right: Value) -> Value:
        """Return the product of matrices, the last two axes; those before are made alike."""
        before = together((left.shape[:-2], right.shape[:-2]))
        shape = (*before, left.shape[-2], right.shape[-1])
        return self.node("MatMul", left, right, kind=left.kind, shape=shape)

    def one_hot(self, position: Value, count: int) -> Value:
        """Return for each of [n] positions a line of `count` numbers: 1 at the position, else 0."""
        numbers = self.constant(np.arange(count)[None], position.kind)
        flags = self.each("Equal", self.reshaped(position, (*position.shape, 1)), numbers)
        return self.cast(flags, "float64")

    def _sizes(self, shape: Shape) -> Value:
        """Return a shape as a value, with the number of rows that came."""
        if ROWS not in shape:
            return self.constant(shape, "int64")
        at = shape.index(ROWS)
        parts = [
            self.constant(shape[:at], "int64"),
            self.rows,
            self.constant(shape[at + 1 :], "int64"),
        ]
        return self.joined([part for part in parts if part.shape != (0,)], 0)

    @property
    def rows(self) -> Value:
        """The number of rows that came, as an array of one number."""
        first = next(value for value in self.inputs if value.shape == (ROWS,))
        return self.node("Shape", first, kind="int64", shape=(1,))


def together(shapes: Iterable[Shape]) -> Shape:
    """Return the shape that arrays of several shapes have together, as in numpy."""
    shapes = list(shapes)
    longest = max(map(len, shapes))
    sizes = [(1,) * (longest - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(_common(set(at)) for at in zip(*sizes, strict=True))


def _common(sizes: set[int | None]) -> int | None:
    sizes = sizes - {1} or {1}
    if len(sizes) > 1:
        raise ValueError(f"sizes of an axis differ: {sizes}")
    return next(iter(sizes))


def _mark(options: dict[str, Any]) -> Any:
    """Return what tells options apart."""

    def mark(option: Any) -> Any:
        return option.tobytes() if isinstance(option, np.ndarray) else repr(option)

    return tuple((name, mark(option)) for name, option in sorted(options.items()))
