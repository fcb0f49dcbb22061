"""What every export is: a fitted model as files that need no pairnet."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pairnet.core.errors import Argument, BadInput
from pairnet.model.model import Model


@dataclass(frozen=True)
class AbstractExport(abc.ABC):
    """A format in which fitted models leave the house; its fields are its settings."""

    name: ClassVar[str]
    ending: ClassVar[str]  # of the file's name

    @classmethod
    def having(cls, settings: Mapping[str, Any]) -> AbstractExport:
        """Make the format with these settings; None stands for what a setting is by default."""
        given = {name: value for name, value in settings.items() if value is not None}
        if unknown := set(given) - {field.name for field in dataclasses.fields(cls)}:
            first = Argument(sorted(unknown)[0])
            raise BadInput("", ("The format ", cls.ending, " knows nothing of ", first))
        return cls(**given)

    @abc.abstractmethod
    def write(self, model: Model, path: Path) -> list[Path]:
        """Write the files, each of them whole or not at all, and return where they are."""
