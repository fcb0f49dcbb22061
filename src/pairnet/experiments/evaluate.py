"""One method on one study: errors of effects in every realisation, against the truth."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from pairnet.data import Study
from pairnet.methods import NetworkEstimator
from pairnet.metrics import ate_error, pehe
from pairnet.training.progress import Report


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Errors on training ("in") and test rows ("out"), one a realisation, and how long the fits took together."""

    method: str
    effect_out: Float[np.ndarray, "r n"]
    pehe_in: Float[np.ndarray, " r"]
    pehe_out: Float[np.ndarray, " r"]
    ate_error_out: Float[np.ndarray, " r"]
    rounds: dict[str, Float[np.ndarray, " r"]]
    seconds: float


def evaluate(method: NetworkEstimator, study: Study, *, report: Report | None = None) -> Scores:
    """Fit the method to the training rows of every realisation and compare its effects with the truth."""
    begun = time.perf_counter()
    fitted = method.fit_replications(study.part(study.train), study.treatment, report=report)
    seconds = time.perf_counter() - begun
    zero, one = np.zeros(()), np.ones(())
    inside, outside = (fitted.effect(study.part(rows).x, zero, one).mean(axis=1) for rows in (study.train, study.test))
    return Scores(
        method=type(method).__name__,
        effect_out=outside,
        pehe_in=pehe(study.effect(study.train), inside),
        pehe_out=pehe(study.effect(study.test), outside),
        ate_error_out=ate_error(study.effect(study.test), outside),
        rounds={stage: np.asarray(count, float).mean(axis=1) for stage, count in fitted.rounds.items()},
        seconds=seconds,
    )
