"""What every measure is."""

from __future__ import annotations

import abc
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from pairnet.studies import Study
from pairnet.training.progress import Progress

Metrics = dict[str, Float[np.ndarray, " r"]]


class AbstractMeasure(abc.ABC):
    """A dataclass whose fields, with the study, decide all its numbers."""

    @abc.abstractmethod
    def __call__(
        self, study: Study, numbers: Sequence[int], report: Progress | None = None
    ) -> Metrics:
        """Return metrics with one value a replication; `numbers` says which replications of the
        whole they are."""

    @property
    def results_version(self) -> int:
        """The version of its numbers: that of the method, where one is fitted."""
        method = getattr(self, "method", None)
        return 1 if method is None else method.results_version
