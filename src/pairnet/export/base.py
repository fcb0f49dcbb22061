"""What every export is: a fitted model as files that need no pairnet."""

from __future__ import annotations

import abc
from pathlib import Path
from typing import ClassVar

from pairnet.model.model import Model


class AbstractExport(abc.ABC):
    """A format in which fitted models leave the house."""

    name: ClassVar[str]
    ending: ClassVar[str]  # of the file's name

    @abc.abstractmethod
    def write(self, model: Model, path: Path) -> list[Path]:
        """Write the files, each of them whole or not at all, and return where they are."""
