"""Many fits of one method, as an experiment needs them: answers with an axis of replications."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.model.predictor import AbstractPredictor


class AbstractReplications(abc.ABC):
    """Fits of one method to replications of a table; answers are as a predictor's, for each.

    Covariates are [n d], the same for all, or [r n d]; treatments are one for all rows, [n] or
    [r n].
    """

    @property
    @abc.abstractmethod
    def rounds(self) -> dict[str, Any]:
        """How long every member trained, by stage: [r m]; nothing where there are no rounds."""

    @abc.abstractmethod
    def outcome(self, x: np.ndarray, t: np.ndarray) -> Float[np.ndarray, "r m n"]:
        """Return every member's expected outcome under t."""

    @abc.abstractmethod
    def effect(self, x: np.ndarray, t0: np.ndarray, t1: np.ndarray) -> Float[np.ndarray, "r m n"]:
        """Return every member's effect of t1 against t0."""

    @abc.abstractmethod
    def curve(self, x: np.ndarray, t: np.ndarray) -> Float[np.ndarray, "r m n g"]:
        """Return every member's expected outcomes under several treatments [g]."""


@dataclass(frozen=True, eq=False)
class OneByOne(AbstractReplications):
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
