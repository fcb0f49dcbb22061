"""A column that is not used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pairnet.tables.columns.base import AbstractColumn, Name


@dataclass(frozen=True)
class LeftOut(AbstractColumn):
    """A column that is not used, and why."""

    name: Name
    why: str
    kind: Literal["left out"] = "left out"

    @property
    def features(self):
        """Empty: it becomes no numbers."""
        return ()

    def encode(self, values, strangeness):
        raise NotImplementedError("A column that is left out has no numbers.")

    def about(self):
        return self.why
