"""What a measure asks of a method: to learn from all replications of a study, and to answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from pairnet.core.treatments import Treatment
from pairnet.core.types import Rows


@runtime_checkable
class Replications(Protocol):
    """What was learned. Answers have the axes [replications, members, rows], curves one more."""

    @property
    def rounds(self) -> Mapping[str, Any]:
        """How long each stage was trained, [replications, members]."""

    def effect(self, x: Any, t0: Any, t1: Any) -> np.ndarray:
        """Return what t1 instead of t0 changes."""

    def outcome(self, x: Any, t: Any) -> np.ndarray:
        """Return the outcomes that are expected under treatments."""

    def curve(self, x: Any, grid: Any) -> np.ndarray:
        """Return the outcomes that are expected under every treatment of the grid."""


@runtime_checkable
class Method(Protocol):
    """An estimator; its hyperparameters are dataclass fields."""

    @property
    def label(self) -> str:
        """Its name for people."""

    @property
    def results_version(self) -> int:
        """Another number makes other jobs: the code now gives other results."""

    def fit_replications(
        self,
        rows: Rows,
        treatment: Treatment,
        *,
        numbers: Sequence[int] | None = None,
        report: Any = None,
    ) -> Replications:
        """Learn from every replication; `numbers` says which ones of a larger whole they are."""
