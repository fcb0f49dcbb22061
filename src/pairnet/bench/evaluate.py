"""One method on one study: the errors of its effects in every realisation."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from pairnet.core.treatments import Arms
from pairnet.methods import Estimator
from pairnet.metrics import ate_error, dose_pehe, dose_pehe_by_row, mise, pehe, policy_error
from pairnet.metrics.truth import Errors
from pairnet.model.replications import Replications
from pairnet.studies import Study
from pairnet.training.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Errors on training ("in") and test rows ("out"), one a realisation, and the time of the fits.

    For doses `more` has the other metrics, `ate_error_out` is the error of the average effect of a
    dose against the rows' own (root mean square over doses), and `effect_out` is the effect of the
    last dose of the grid against the first. `outcome_out` and `response_out` are the expected
    outcomes of test rows under their own and under every treatment.
    """

    method: str
    effect_out: Float[np.ndarray, "r n"]
    outcome_out: Float[np.ndarray, "r n"]
    pehe_in: Float[np.ndarray, " r"]
    pehe_out: Float[np.ndarray, " r"]
    ate_error_out: Float[np.ndarray, " r"]
    rounds: dict[str, Float[np.ndarray, " r"]]
    seconds: float
    more: dict[str, Float[np.ndarray, " r"]] = field(default_factory=dict)
    response_out: Float[np.ndarray, "r n g"] | None = None


def evaluate(
    method: Estimator,
    study: Study,
    *,
    numbers: Sequence[int] | None = None,
    report: Progress | None = None,
) -> Scores:
    """Fit the method in every realisation, and compare its effects with the truth.

    numbers: the numbers of these realisations in a larger whole, so that each realisation gets the
    random numbers that it would get there.
    """
    begun = time.perf_counter()
    fitted = method.fit_replications(
        study.part(study.train), study.treatment, numbers=numbers, report=report
    )
    seconds = time.perf_counter() - begun
    errors = _of_arms if isinstance(study.treatment, Arms) else _of_doses
    return Scores(
        method=type(method).__name__,
        rounds={
            stage: np.asarray(count, float).mean(axis=1) for stage, count in fitted.rounds.items()
        },
        seconds=seconds,
        **errors(fitted, study),
    )


def _of_arms(fitted: Replications, study: Study) -> dict:
    zero, one = np.zeros(()), np.ones(())
    inside, outside = (
        fitted.effect(study.part(rows).x, zero, one).mean(axis=1)
        for rows in (study.train, study.test)
    )
    test = study.part(study.test)
    return {
        "effect_out": outside,
        "outcome_out": fitted.outcome(test.x, test.t).mean(axis=1),
        "pehe_in": pehe(study.effect(study.train), inside),
        "pehe_out": pehe(study.effect(study.test), outside),
        "ate_error_out": ate_error(study.effect(study.test), outside),
    }


def _of_doses(fitted: Replications, study: Study) -> dict:
    inside = _DoseErrors.on(study.train, fitted, study)
    outside = _DoseErrors.on(study.test, fitted, study)
    response = outside.response
    return {
        "effect_out": response[..., -1] - response[..., 0],
        "outcome_out": outside.own_response,
        "response_out": response,
        "pehe_in": inside.pehe,
        "pehe_out": outside.pehe,
        "ate_error_out": outside.ate_error,
        "more": {
            f"{name}_{part}": value
            for part, errors in (("in", inside), ("out", outside))
            for name, value in errors.others.items()
        },
    }


@dataclass(frozen=True)
class _DoseErrors:
    """Estimated and true outcomes of some rows, under all doses and under their own."""

    outcomes: np.ndarray
    truth: np.ndarray
    own_truth: np.ndarray
    response: np.ndarray
    own_response: np.ndarray

    @classmethod
    def on(cls, index: np.ndarray, fitted: Replications, study: Study) -> _DoseErrors:
        """Ask the fitted method for the rows at these positions."""
        rows = study.part(index)
        return cls(
            np.asarray(rows.y),
            study.truth(index),
            study.own(index),
            fitted.curve(rows.x, study.grid).mean(axis=1),
            fitted.outcome(rows.x, rows.t).mean(axis=1),
        )

    @property
    def pehe(self) -> Errors:
        """The error of each row's effects."""
        return dose_pehe(self.truth, self.own_truth, self.response, self.own_response)

    @property
    def ate_error(self) -> np.ndarray:
        """The error of the average effect of a dose against the rows' own."""
        truth = self.own_truth[..., None] - self.truth
        estimate = self.own_response[..., None] - self.response
        average = np.mean(truth - estimate, axis=1)
        return np.sqrt(np.mean(average**2, axis=-1))

    @property
    def others(self) -> dict[str, Errors]:
        """The other errors of doses."""
        return {
            "pehe_by_row": dose_pehe_by_row(
                self.truth, self.outcomes, self.response, self.own_response
            ),
            "mise": mise(self.truth, self.response),
            "policy_error": policy_error(self.truth, self.response),
        }
