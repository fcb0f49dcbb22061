"""Models in ONNX: raw columns in, effects, outcomes and intervals out, in any runtime of ONNX.

A model becomes a `Graph` (`program_of`), and the graph a file (`file.py`). Columns are made numbers
by `columns.py`; predictors have forms (`forms.py`): networks are traced, trees, lines and stacks
are written down.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from pairnet.core.writing import whole
from pairnet.export.base import AbstractExport
from pairnet.export.onnx.file import serialised
from pairnet.export.onnx.forms import AbstractForm as AbstractForm
from pairnet.export.onnx.forms import form_of as form_of
from pairnet.export.onnx.program import program_of


@dataclass(frozen=True)
class ONNX(AbstractExport):
    """Effects, outcomes and intervals of rows of a table, for onnxruntime and others.

    T0, T1: what is compared, for all rows; left out, both are inputs of the file. alpha: the share
    that intervals may miss. The metadata entry "pairnet" says in JSON what goes in and comes out.
    """

    T0: Hashable = None
    T1: Hashable = None
    alpha: float = 0.05

    name: ClassVar[str] = "onnx"
    ending: ClassVar[str] = ".onnx"

    def write(self, model, path):
        content = serialised(program_of(model, self.T0, self.T1, self.alpha))
        with whole(path) as file:
            file.write(content)
        return [path]
