"""Fitted models for those who serve them without this package, a format a file.

To add one: write the file and import it here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pairnet.core.errors import BadInput
from pairnet.core.registry import Registry, is_final
from pairnet.core.writing import can_write
from pairnet.export.base import AbstractExport as AbstractExport
from pairnet.export.onnx import ONNX as ONNX
from pairnet.export.stablehlo import StableHLO as StableHLO
from pairnet.model.model import Model

exports: Registry[type[AbstractExport]] = Registry.of("export", globals(), is_final(AbstractExport))


def export(
    model: Model, path: str | os.PathLike[str], *, kind: str | None = None, **settings: Any
) -> list[Path]:
    """Write a fitted model (`method.model_`) in a format; the file's ending must be that of it.

    kind: the name of the format; left out, the ending says it. settings: of the format, as T0, T1
    and alpha of ONNX. Returns the files that were written.
    """
    target = Path(path)
    format_of = export_of(target) if kind is None else exports[kind]
    if target.suffix.lower() != format_of.ending:
        raise BadInput("path", f"must end in {format_of.ending}, got {str(target)!r}")
    made = format_of.having(settings)
    can_write(target, "the export")
    return made.write(model, target)


def export_of(path: Path) -> type[AbstractExport]:
    """Return the format that the ending of a name says."""
    ending = path.suffix.lower()
    for kind in exports.values():
        if ending == kind.ending:
            return kind
    known = ", ".join(kind.ending for kind in exports.values())
    raise BadInput("", f"{path} must end in {known}: the ending says the format")
