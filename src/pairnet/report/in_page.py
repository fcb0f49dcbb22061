"""A graph as plain JSON, small enough for a page; `templates/calculator.js` computes it there."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from pairnet.export.onnx.graph import Graph, Node

# What calculator.js can compute.
OF_EACH = (
    *("Abs", "Add", "And", "Ceil", "Cos", "Div", "Equal", "Exp", "Floor", "Greater", "IsNaN"),
    *("GreaterOrEqual", "Less", "LessOrEqual", "Log", "Max", "Min", "Mul", "Neg", "Not", "Or"),
    *("Pow", "Round", "Sigmoid", "Sign", "Sin", "Sqrt", "Sub", "Tanh", "Where"),
)
OF_AXES = (
    *("Cast", "Concat", "Expand", "LabelEncoder", "MatMul", "RegexFullMatch", "Reshape", "Shape"),
    *("ReduceMax", "ReduceMean", "ReduceMin", "ReduceSum", "Slice", "Transpose"),
    "TreeEnsembleRegressor",
)
KNOWN = frozenset((*OF_EACH, *OF_AXES))
MOST_LISTED = 8  # numbers: longer arrays are written as bytes


def missing_operations(graph: Graph) -> set[str]:
    """Return the operations of a graph that a page cannot compute."""
    return {node.operation for node in graph.nodes} - KNOWN


def as_json(graph: Graph) -> dict[str, Any]:
    """Return a graph as JSON; values are numbered: inputs, constants, then one for each node."""
    names = [value.name for value in graph.inputs]
    names += [*graph.constants, *(node.output for node in graph.nodes)]
    number = {name: at for at, name in enumerate(names)}
    constants = [
        {"shape": list(array.shape), "data": packed(array)} for array in graph.constants.values()
    ]
    nodes = [
        [node.operation, [number[name] for name in node.inputs], _options(node)]
        for node in graph.nodes
    ]
    return {
        "inputs": [value.name for value in graph.inputs],
        "constants": constants,
        "nodes": nodes,
        "outputs": {name: number[value.name] for name, value in graph.outputs.items()},
    }


def packed(array: Any) -> Any:
    """Return numbers as bytes in base64 behind a letter for their type, or few of them as a list.

    Numbers of float64 that float32 holds as well are written as float32.
    """
    flat = np.asarray(array).ravel()
    if flat.dtype.kind in "OUb" or (len(flat) <= MOST_LISTED and np.isfinite(flat).all()):
        return flat.tolist()
    if flat.dtype == np.float64:
        short = flat.astype(np.float32)
        flat = short if np.array_equal(short.astype(np.float64), flat, equal_nan=True) else flat
    if flat.dtype.kind in "iu":
        small = len(flat) == 0 or (flat.min() >= 0 and flat.max() < 2**16)
        flat = flat.astype(np.uint16 if small else np.float64)
    letter = {"float32": "f", "float64": "d", "uint16": "h"}[flat.dtype.name]
    return letter + base64.b64encode(flat.astype(flat.dtype.newbyteorder("<")).tobytes()).decode()


def _options(node: Node) -> dict[str, Any]:
    if node.operation == "TreeEnsembleRegressor":
        return _trees(node.options)
    # A page takes text of spaces for blank by itself.
    return {name: option for name, option in node.options.items() if name != "pattern"}


def _trees(options: dict[str, Any]) -> dict[str, Any]:
    """Return trees as lists with a place for every node, and where their roots are."""
    tree, number = (np.asarray(options[f"nodes_{name}"], int) for name in ("treeids", "nodeids"))
    roots = np.flatnonzero(number == 0)
    place = lambda name: roots[tree] + np.asarray(options[f"nodes_{name}"], int)
    is_leaf = np.asarray(options["nodes_modes"]) == "LEAF"
    value = np.array(options["nodes_values_as_tensor"], np.float64)
    value[is_leaf] = options["target_weights_as_tensor"]
    column = np.where(is_leaf, 2**16 - 1, np.asarray(options["nodes_featureids"], int))
    parts = {
        "roots": roots,
        "column": column,
        "value": value,
        "yes": place("truenodeids"),
        "no": place("falsenodeids"),
    }
    return {name: packed(part) for name, part in parts.items()}
