"""The engine that needs nothing else: this process does one task after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pairnet.core.errors import BadInput
from pairnet.engines.base import AbstractEngine, results_of


@dataclass(frozen=True)
class Here(AbstractEngine):
    """Do tasks in this process, one after another."""

    name: ClassVar[str] = "here"

    def __post_init__(self):
        if self.workers != 1:
            problem = f"must be 1 in this process, got {self.workers}"
            raise BadInput("workers", problem, "Use the engine 'processes' for more.")

    def run(self, tasks):
        for task in tasks:
            yield from results_of(task)
