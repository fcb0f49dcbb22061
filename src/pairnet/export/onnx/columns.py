"""The columns of a table as inputs of a graph, and the numbers that the schema makes of them.

A number, a flag or a date (days since 1970) is a float64, NaN where it is missing. A category is
text, empty where it is missing. Both are arrays of one axis.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from pairnet.export.onnx.graph import OF_TREES, ROWS, Graph, Value
from pairnet.tables import Schema
from pairnet.tables.columns import AbstractColumn, Category, LeftOut, Quantity

# All that Python's `strip` takes for space: text of these alone is missing.
SPACES = "".join(char for char in map(chr, range(0x3001)) if char.isspace())
BLANK = "[" + "".join(f"\\x{{{ord(char):x}}}" for char in SPACES) + "]*"


def input_names(schema: Schema) -> dict[str | int, str]:
    """Return the name of the input of every column that is used."""
    used = [column.name for column in schema.columns if not isinstance(column, LeftOut)]
    return {name: str(name) or "unnamed" for name in used}


def encoded(graph: Graph, schema: Schema) -> Value:
    """Add the inputs, and return the encoded rows [n d] in float64."""
    names = input_names(schema)
    inputs = {
        column.name: graph.input(names[column.name], kind_of(column), (ROWS,))
        for column in schema.columns
        if column.name in names
    }
    blocks = [
        encode(column, graph, inputs[column.name])
        for column in schema.columns
        if column.name in inputs
    ]
    return graph.joined(blocks, 1)


def kind_of(column: AbstractColumn) -> str:
    """Return the type of the input of a column."""
    return "str" if isinstance(column, Category) else "float64"


def known_positions(graph: Graph, words: Value, place: dict[str, int], default: int) -> Value:
    """Return the positions of words, `default` for words that are not known."""
    return graph.node(
        "LabelEncoder",
        words,
        kind="int64",
        shape=words.shape,
        domain=OF_TREES,
        keys_strings=list(place),
        values_int64s=list(place.values()),
        default_int64=default,
    )


@singledispatch
def encode(column: Any, graph: Graph, values: Value) -> Value:
    """Return the numbers [n c] of a column."""
    raise NotImplementedError(f"{type(column).__name__} has no form in ONNX")


@encode.register
def _(column: Quantity, graph: Graph, values: Value) -> Value:
    missing = graph.each("IsNaN", values, kind="bool")
    filled = graph.where(missing, graph.constant(column.fill, "float64"), values)
    parts = [filled, graph.cast(missing, "float64")] if column.missing else [filled]
    return graph.joined([graph.reshaped(part, (ROWS, 1)) for part in parts], 1)


@encode.register
def _(column: Category, graph: Graph, values: Value) -> Value:
    other = len(column.levels) if column.rare else -1
    place = {text: at for at, text in enumerate(column.levels)} | dict.fromkeys(column.rare, other)
    position = known_positions(graph, values, place, other)
    missing = len(column.features) - 1 if column.missing else -1
    blank = graph.node("RegexFullMatch", values, kind="bool", shape=values.shape, pattern=BLANK)
    position = graph.where(blank, graph.constant(missing), position)
    return graph.one_hot(position, len(column.features))


def about(column: AbstractColumn, name: str) -> dict[str, Any]:
    """Write what an input takes, for people who fill it."""
    takes = {
        "number": "float64, NaN where it is missing",
        "flag": "float64: 1 for yes, 0 for no, NaN where it is missing",
        "date": "float64: days since 1970-01-01, NaN where it is missing",
        "category": "text, empty where it is missing",
    }
    return {"input": name, "column": column.name, "kind": column.kind, "takes": takes[column.kind]}


def example(schema: Schema, count: int) -> dict[str, np.ndarray]:
    """Return values that the inputs take, all of them missing."""
    names = input_names(schema)
    empty = {"str": np.full(count, "", object), "float64": np.full(count, np.nan)}
    return {
        names[column.name]: empty[kind_of(column)]
        for column in schema.columns
        if column.name in names
    }
