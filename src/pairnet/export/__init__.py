"""Fitted models for those who serve them without this package, a format a file.

To add one: write the file and import it here.
"""

from __future__ import annotations

import os
from pathlib import Path

from pairnet.core.errors import BadInput
from pairnet.core.registry import Registry, is_final
from pairnet.core.writing import can_write
from pairnet.export.base import AbstractExport as AbstractExport
from pairnet.export.onnx import ONNX as ONNX
from pairnet.export.stablehlo import StableHLO as StableHLO
from pairnet.model.model import Model

exports: Registry[type[AbstractExport]] = Registry.of("export", globals(), is_final(AbstractExport))


def export(model: Model, path: str | os.PathLike[str]) -> list[Path]:
    """Write a fitted model (`method.model_`) in the format that the ending says.

    Returns the files that were written.
    """
    target = Path(path)
    kind = export_of(target)
    can_write(target, "the export")
    return kind().write(model, target)


def export_of(path: Path) -> type[AbstractExport]:
    """Return the format that the ending of a name says."""
    ending = path.suffix.lower()
    for kind in exports.values():
        if ending == kind.ending:
            return kind
    known = ", ".join(kind.ending for kind in exports.values())
    raise BadInput("", f"{path} must end in {known}: the ending says the format")
