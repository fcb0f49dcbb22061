"""Effects as a compiled program, for any runtime of StableHLO; JAX alone can call it.

Beside the program lies a JSON file, `effects.stablehlo.json`. It says which numbers the program
takes: the encoded covariates in their order with the schema that makes them of columns, and the
treatments.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from pairnet.core.errors import BadInput, InPython, NotInstalled
from pairnet.core.own_jax import in_own_jax
from pairnet.core.writing import whole
from pairnet.export.base import AbstractExport
from pairnet.model.model import Model

PLATFORMS = ("cpu", "cuda")


class StableHLO(AbstractExport):
    """The mean effect of every row as a portable program: `jax.export.deserialize(...).call(...)`.

    It takes covariates [n d] and treatments T0 and T1 [n] as float32, and returns effects [n].
    """

    name: ClassVar[str] = "stablehlo"
    ending: ClassVar[str] = ".stablehlo"

    def write(self, model, path):
        program = model.predictor.program()
        if program is None:
            raise BadInput(
                "",
                f"Only networks can be exported as {self.ending}; this model is a {model.method}",
                InPython("Save it with model.save(folder)."),
            )
        about = path.with_name(f"{path.name}.json")
        with whole(path) as file:
            file.write(_serialised(program, len(model.schema.features)))
        with whole(about) as file:
            file.write(json.dumps(_about(model), indent=1, ensure_ascii=False).encode())
        return [path, about]


@in_own_jax
def _serialised(program: Any, width: int) -> bytes:
    import jax
    import jax.numpy as jnp
    from jax import export

    (rows,) = export.symbolic_shape("rows")
    shape = lambda *sizes: jax.ShapeDtypeStruct(sizes, jnp.float32)
    exported = export.export(jax.jit(program), platforms=PLATFORMS)
    try:
        return bytes(exported(shape(rows, width), shape(rows), shape(rows)).serialize())
    except ImportError as error:
        raise NotInstalled("This export needs", "flatbuffers", "'pairnet[export]'") from error


def _about(model: Model) -> dict[str, Any]:
    """Return what people need to call the program."""
    return {
        "takes": ["covariates [rows, features]", "T0 [rows]", "T1 [rows]"],
        "returns": "effects of T1 against T0 [rows], in units of the outcome",
        "features": list(model.schema.features),
        "schema": model.schema.to_json(),
        "treatment": model.treatment.to_json(),
        "treatments": "arms by their position among the labels, doses from 0 (low) to 1 (high)",
        "outcome": {"kind": model.outcome.name, "labels": model.labels},
        "names": model.names,
    }
