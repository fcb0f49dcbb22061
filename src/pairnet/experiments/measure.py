"""What can be measured on a study: the errors of a fitted method, or something of its own."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from pairnet.data import Study
from pairnet.experiments.evaluate import evaluate
from pairnet.experiments.held_out import held_out_scores
from pairnet.methods import NetworkEstimator
from pairnet.training.progress import Report

Metrics = dict[str, Float[np.ndarray, " r"]]


class AbstractMeasure(abc.ABC):
    """A dataclass whose fields, with the study, decide all its numbers."""

    @abc.abstractmethod
    def __call__(self, study: Study, numbers: Sequence[int], report: Report | None = None) -> Metrics:
        """Return metrics with one value a replication; `numbers` says which replications of the whole they are."""

    @property
    def results(self) -> int:
        """The version of its numbers: that of the method, where one is fitted."""
        method = getattr(self, "method", None)
        return 1 if method is None else method.results


@dataclass(frozen=True)
class Fit(AbstractMeasure):
    """A method, fitted to the training rows; errors of its effects, and scores that need no truth, on test rows."""

    method: NetworkEstimator

    def __call__(self, study, numbers, report=None):
        """Fit all replications together."""
        scores = evaluate(self.method, study, numbers=numbers, report=report)
        rounds = {f"rounds_{stage}": count for stage, count in scores.rounds.items()}
        errors = {"pehe_in": scores.pehe_in, "pehe_out": scores.pehe_out, "ate_error_out": scores.ate_error_out}
        return {**errors, **scores.more, **held_out_scores(study, scores), **rounds}
