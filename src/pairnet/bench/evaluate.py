"""One method on one study: errors of effects in every realisation, against the truth."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from pairnet.core.treatments import Arms
from pairnet.methods import NetworkEstimator
from pairnet.metrics import ate_error, dose_pehe, dose_pehe_by_row, mise, pehe, policy_error
from pairnet.studies import Study
from pairnet.training import Fitted
from pairnet.training.progress import Progress


@dataclass(frozen=True, kw_only=True)
class Scores:
    """Errors on training ("in") and test rows ("out"), one a realisation, and how long the fits
    took together.

    For doses `more` has the other metrics, `ate_error_out` is the error of the average effect of a
    dose against the rows' own (root mean square over doses), and `effect_out` the effect of the
    last dose of the grid against the first. `outcome_out` and `response_out` are the outcomes
    expected of test rows under their own and under every treatment.
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
    method: NetworkEstimator,
    study: Study,
    *,
    numbers: Sequence[int] | None = None,
    report: Progress | None = None,
) -> Scores:
    """Fit the method to the training rows of every realisation and compare its effects with the
    truth.

    numbers: which realisations of a larger whole these are, so that each gets the random numbers it
    would get there.
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


def _of_arms(fitted: Fitted, study: Study) -> dict:
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


def _of_doses(fitted: Fitted, study: Study) -> dict:
    found: dict = {"more": {}}
    for name, index in (("in", study.train), ("out", study.test)):
        rows, truth, own = study.part(index), study.truth(index), study.own(index)
        response = fitted.curve(rows.x, study.grid).mean(axis=1)
        own_response = fitted.outcome(rows.x, rows.t).mean(axis=1)
        found[f"pehe_{name}"] = dose_pehe(truth, own, response, own_response)
        found["more"] |= {
            f"pehe_by_row_{name}": dose_pehe_by_row(
                truth, np.asarray(rows.y), response, own_response
            ),
            f"mise_{name}": mise(truth, response),
            f"policy_error_{name}": policy_error(truth, response),
        }
    average = np.mean((own[..., None] - truth) - (own_response[..., None] - response), axis=1)
    found["ate_error_out"] = np.sqrt(np.mean(average**2, axis=-1))
    found["effect_out"] = response[..., -1] - response[..., 0]
    found |= {"outcome_out": own_response, "response_out": response}
    return found
