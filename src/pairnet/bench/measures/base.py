"""What every measure has: a call that returns metrics, a label, and a version."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from pairnet.methods import Estimator
from pairnet.studies import Study
from pairnet.training.progress import Progress

Metrics = dict[str, Float[np.ndarray, " r"]]


class AbstractMeasure(abc.ABC):
    """A dataclass whose fields, together with the study, decide all its numbers."""

    @abc.abstractmethod
    def __call__(
        self, study: Study, numbers: Sequence[int], report: Progress | None = None
    ) -> Metrics:
        """Return metrics with one value a replication.

        numbers: the numbers of these replications in a larger whole.
        """

    @property
    def label(self) -> str:
        """What is measured, for people."""
        return type(self).__name__

    @property
    def lacking(self) -> str | None:
        """The package that it needs and that is not installed, if any."""
        return None

    @property
    def results_version(self) -> int:
        """The version of its numbers: another version gives jobs other names."""
        return 1


@dataclass(frozen=True)
class AbstractMeasureOfMethod(AbstractMeasure):
    """A measure that fits a method; its numbers change if those of the method do."""

    method: Estimator

    @property
    def label(self):
        """The name of the method."""
        return self.method.label

    @property
    def results_version(self):
        """The version of the method's numbers."""
        return self.method.results_version
