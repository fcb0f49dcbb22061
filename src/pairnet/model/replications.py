"""Many fits of one method, as an experiment needs them: answers with an axis of replications."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from pairnet.core.types import Rows
from pairnet.model.predictor import AbstractPredictor


@runtime_checkable
class Replications(Protocol):
    """Fits of one method to replications of a table; answers are as a predictor's, for each.

    Covariates are [n d], the same for all, or [r n d]; treatments are one for all rows, [n] or
    [r n]. Answers have the axes [replications, members, rows], curves one more.
    """

    @property
    def rounds(self) -> Mapping[str, Any]:
        """How many rounds every stage was trained, [r m]; empty for methods without rounds."""

    def outcome(self, x: Any, t: Any) -> np.ndarray:
        """Return every member's expected outcomes under t."""

    def effect(self, x: Any, t0: Any, t1: Any) -> np.ndarray:
        """Return every member's effects of t1 against t0."""

    def curve(self, x: Any, t: Any) -> np.ndarray:
        """Return every member's expected outcomes under several treatments [g]."""


@dataclass(frozen=True, eq=False)
class OneByOne:
    """Predictors that were learned one after another."""

    predictors: tuple[AbstractPredictor, ...]

    @property
    def rounds(self):
        return {}

    def outcome(self, x, t):
        return np.stack([p.outcome(*self._own(k, x, t)) for k, p in enumerate(self.predictors)])

    def effect(self, x, t0, t1):
        return np.stack([p.effect(*self._own(k, x, t0, t1)) for k, p in enumerate(self.predictors)])

    def curve(self, x, t):
        return np.stack([p.curve(self._own(k, x)[0], t) for k, p in enumerate(self.predictors)])

    def _own(self, k: int, x: np.ndarray, *treatments: np.ndarray) -> list[np.ndarray]:
        """Return the covariates and treatments of replication k."""
        own = [x if np.ndim(x) == 2 else x[k]]
        return own + [t if np.ndim(t) < 2 else t[k] for t in treatments]


def replication(rows: Rows, number: int) -> Rows:
    """Return the rows of one replication; replications may share covariates."""
    x = rows.x if rows.x.ndim == 2 else rows.x[number]
    return Rows(x, rows.t[number], rows.y[number], rows.weight[number])
