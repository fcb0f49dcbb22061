"""How good effects are if the truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.missing import unmasked

Errors = Float[np.ndarray, "*r"] | np.floating  # one a table, or a number for a single table


def pehe(truth: Float[np.ndarray, "*r n"], effect: Float[np.ndarray, "*r n"]) -> Errors:
    """Precision in estimating heterogeneous effects: the root mean square error over rows."""
    return np.sqrt(np.mean((_array(truth) - _array(effect)) ** 2, axis=-1))


def ate_error(truth: Float[np.ndarray, "*r n"], effect: Float[np.ndarray, "*r n"]) -> Errors:
    """Return the absolute error of the average effect."""
    return np.abs(np.mean(_array(truth) - _array(effect), axis=-1))


def dose_pehe(
    truth: Float[np.ndarray, "*r n g"],
    own: Float[np.ndarray, "*r n"],
    response: Float[np.ndarray, "*r n g"],
    own_response: Float[np.ndarray, "*r n"],
) -> Errors:
    """PEHE for doses: the root mean square error of effects of all doses against the row's own.

    `truth` and `response` are noise-free and estimated outcomes under every dose of a grid, `own`
    and `own_response` those under the dose that the row received.
    """
    return np.sqrt(np.mean(_dose_errors(truth, own, response, own_response) ** 2, axis=(-2, -1)))


def dose_pehe_by_row(
    truth: Float[np.ndarray, "*r n g"],
    y: Float[np.ndarray, "*r n"],
    response: Float[np.ndarray, "*r n g"],
    own_response: Float[np.ndarray, "*r n"],
) -> Errors:
    """PEHE for doses as the authors' code computes it: the mean over rows of each row's root.

    It compares with the observed outcome `y`, whose noise counts as error: even the true response
    has an error above 0.
    """
    return np.mean(
        np.sqrt(np.mean(_dose_errors(truth, y, response, own_response) ** 2, axis=-1)), axis=-1
    )


def _dose_errors(truth, own, response, own_response) -> np.ndarray:
    truth, own, response, own_response = map(_array, (truth, own, response, own_response))
    return (own[..., None] - truth) - (own_response[..., None] - response)


def mise(truth: Float[np.ndarray, "*r n g"], response: Float[np.ndarray, "*r n g"]) -> Errors:
    """Mean integrated squared error of each row's dose response."""
    return np.mean((_array(truth) - _array(response)) ** 2, axis=(-2, -1))


def policy_error(
    truth: Float[np.ndarray, "*r n g"], response: Float[np.ndarray, "*r n g"]
) -> Errors:
    """Dosage policy error: the mean square of what each row loses by its seemingly best dose."""
    truth, response = _array(truth), _array(response)
    chosen = np.argmax(response, axis=-1)[..., None]
    lost = np.max(truth, axis=-1) - np.take_along_axis(truth, chosen, axis=-1)[..., 0]
    lost = np.where(np.isnan(response).any(axis=-1), np.nan, lost)
    return np.mean(lost**2, axis=-1)


def _array(values: Any) -> np.ndarray:
    """Return numbers as an array; a masked one is NaN, and so is a metric that it is a part of."""
    return np.asarray(unmasked(values))
