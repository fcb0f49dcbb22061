"""A graph as a file of ONNX: the one place that needs the package `onnx`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from pairnet.core.errors import BadInput, NotInstalled
from pairnet.export.onnx.graph import OF_TREES, ROWS, Graph, Node, Value
from pairnet.export.onnx.program import ONE_OR_ALL, Program

# The oldest versions that have all operations, for the sake of older runtimes.
OPERATIONS, OPERATIONS_OF_TREES, FORMAT = 20, 3, 9
PRODUCER, MOST_BYTES = "pairnet", 2**31 - 1
SIZES = {ROWS: "rows", ONE_OR_ALL: "one_or_rows"}


def serialised(program: Program) -> bytes:
    """Return a program as the bytes of a file, checked by ONNX's own rules."""
    onnx = _onnx()
    proto = _model(onnx, program)
    if proto.ByteSize() > MOST_BYTES:
        size = proto.ByteSize() / 1e9
        problem = f"The model has {size:.1f} GB; a file of ONNX holds 2 GB at most"
        raise BadInput("", problem, "Fit fewer members, or smaller networks.")
    onnx.checker.check_model(proto, full_check=True)
    return bytes(proto.SerializeToString())


def _onnx() -> Any:
    try:
        import onnx
        import onnx.checker
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise NotInstalled("This export needs", "onnx", "'pairnet[onnx]'") from error
    return onnx


def _model(onnx: Any, program: Program) -> Any:
    from pairnet import __version__

    graph, helper = program.graph, onnx.helper
    outputs = {value.name: name for name, value in graph.outputs.items()}
    nodes = [_node(onnx, node) for node in graph.nodes]
    nodes += [helper.make_node("Identity", [made], [name]) for made, name in outputs.items()]
    about = json.dumps(program.about, ensure_ascii=False)
    body = helper.make_graph(
        nodes,
        "effects",
        [_described(onnx, value.name, value) for value in graph.inputs],
        [_described(onnx, name, value) for name, value in graph.outputs.items()],
        [_constant(onnx, name, array) for name, array in graph.constants.items()],
    )
    made = helper.make_model(
        body,
        producer_name=PRODUCER,
        producer_version=__version__,
        ir_version=FORMAT,
        opset_imports=[
            helper.make_opsetid("", OPERATIONS),
            helper.make_opsetid(OF_TREES, OPERATIONS_OF_TREES),
        ],
        doc_string="Effects of a treatment for rows of a table; the metadata 'pairnet' says more.",
    )
    helper.set_model_props(made, {PRODUCER: about})
    return made


def _types(onnx: Any) -> dict[str, int]:
    of = onnx.TensorProto
    return {
        "float32": of.FLOAT,
        "float64": of.DOUBLE,
        "int64": of.INT64,
        "bool": of.BOOL,
        "str": of.STRING,
    }


def _described(onnx: Any, name: str, value: Value) -> Any:
    sizes = [SIZES.get(size, size) for size in value.shape]
    return onnx.helper.make_tensor_value_info(name, _types(onnx)[value.kind], sizes)


def _constant(onnx: Any, name: str, array: np.ndarray) -> Any:
    return onnx.numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)


def _node(onnx: Any, node: Node) -> Any:
    def option(name: str, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return onnx.numpy_helper.from_array(value)
        return _types(onnx)[value] if name == "to" else value

    options = {name: option(name, value) for name, value in node.options.items()}
    return onnx.helper.make_node(
        node.operation, list(node.inputs), [node.output], domain=node.domain, **options
    )


def inputs_of(graph: Graph) -> tuple[str, ...]:
    """Return the names of what a graph takes."""
    return tuple(value.name for value in graph.inputs)
