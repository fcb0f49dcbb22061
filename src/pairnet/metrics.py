"""How good effects are: against the truth where it is known, against held-out pairs where it is not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float


def pehe(truth: Float[np.ndarray, "*r n"], effect: Float[np.ndarray, "*r n"]) -> Float[np.ndarray, "*r"]:
    """Precision in estimating heterogeneous effects: the root mean square error of effects, row by row."""
    return np.sqrt(np.mean((np.asarray(truth) - np.asarray(effect)) ** 2, axis=-1))


def ate_error(truth: Float[np.ndarray, "*r n"], effect: Float[np.ndarray, "*r n"]) -> Float[np.ndarray, "*r"]:
    """Return the absolute error of the average effect."""
    return np.abs(np.mean(np.asarray(truth) - np.asarray(effect), axis=-1))


def dose_pehe(
    truth: Float[np.ndarray, "*r n g"],
    own: Float[np.ndarray, "*r n"],
    response: Float[np.ndarray, "*r n g"],
    own_response: Float[np.ndarray, "*r n"],
) -> Float[np.ndarray, "*r"]:
    """PEHE for doses: the root mean square error, over rows and doses, of the effect of a dose against the row's own.

    `truth` and `response` are noise-free and estimated outcomes under every dose of a grid, `own` and `own_response`
    those under the dose that the row received.
    """
    return np.sqrt(np.mean(_dose_errors(truth, own, response, own_response) ** 2, axis=(-2, -1)))


def dose_pehe_by_row(
    truth: Float[np.ndarray, "*r n g"],
    y: Float[np.ndarray, "*r n"],
    response: Float[np.ndarray, "*r n g"],
    own_response: Float[np.ndarray, "*r n"],
) -> Float[np.ndarray, "*r"]:
    """PEHE for doses as the authors' code takes it: the mean of every row's root, against the observed outcome `y`.

    The noise of `y` counts as error, so that even the true response does not score 0.
    """
    return np.mean(np.sqrt(np.mean(_dose_errors(truth, y, response, own_response) ** 2, axis=-1)), axis=-1)


def _dose_errors(truth, own, response, own_response) -> np.ndarray:
    return (np.asarray(own)[..., None] - truth) - (np.asarray(own_response)[..., None] - response)


def mise(truth: Float[np.ndarray, "*r n g"], response: Float[np.ndarray, "*r n g"]) -> Float[np.ndarray, "*r"]:
    """Mean integrated squared error of each row's dose response."""
    return np.mean((np.asarray(truth) - np.asarray(response)) ** 2, axis=(-2, -1))


def policy_error(truth: Float[np.ndarray, "*r n g"], response: Float[np.ndarray, "*r n g"]) -> Float[np.ndarray, "*r"]:
    """Dosage policy error: the mean square of what is lost by giving each row the dose that seems best for it."""
    chosen = np.argmax(response, axis=-1)[..., None]
    lost = np.max(truth, axis=-1) - np.take_along_axis(np.asarray(truth), chosen, axis=-1)[..., 0]
    return np.mean(lost**2, axis=-1)


def pair_loss(y: np.ndarray, predicted: np.ndarray, t: np.ndarray, weight: np.ndarray | None = None) -> float:
    """Return the mean of ((y - y') - (mu - mu'))^2 over all pairs of rows of different arms, or different doses.

    Every row counts alike, and all its partners do. It needs no true effects, and a common error of all predictions
    does not change it.
    """
    r = np.asarray(y, np.float64) - np.asarray(predicted, np.float64)
    weight = np.ones(len(r)) if weight is None else np.asarray(weight, np.float64)
    labels, arm = np.unique(np.asarray(t), return_inverse=True)
    if len(labels) < 2:
        raise ValueError(f"The pair loss needs rows of at least two arms or doses, got only {labels.tolist()}.")
    sums = [np.bincount(arm, weight * value, minlength=len(labels)) for value in (np.ones(len(r)), r, r**2)]
    total, first, second = ((value.sum() - value)[arm] for value in sums)
    losses = r**2 + second / total - 2 * r * first / total
    return float(np.sum(weight * losses) / np.sum(weight))


def mmd(a: Float[np.ndarray, "n d"], b: Float[np.ndarray, "m d"], *, bandwidth: float = 1.0) -> float:
    """Maximum mean discrepancy: how far two samples are apart, 0 where their distributions are the same.

    The kernel is exp(-|x - x'|^2 / (2 bandwidth^2)). Block by block, so that nothing of size n x m is held.
    """
    return float(
        np.sqrt(
            max(0.0, _kernel_mean(a, a, bandwidth) + _kernel_mean(b, b, bandwidth) - 2 * _kernel_mean(a, b, bandwidth))
        )
    )


def _kernel_mean(a: np.ndarray, b: np.ndarray, bandwidth: float, block: int = 1024) -> float:
    from scipy.spatial.distance import cdist

    total = sum(
        np.exp(-cdist(a[start : start + block], b, "sqeuclidean") / (2 * bandwidth**2)).sum()
        for start in range(0, len(a), block)
    )
    return float(total) / (len(a) * len(b))


class PairedTest(NamedTuple):
    """The outcome of `paired_test`."""

    difference: float  # mean of rival - reference: above 0, the reference is better
    p_value: float


def paired_test(reference: np.ndarray, rival: np.ndarray) -> PairedTest:
    """One-sided paired t-test that the reference's errors are smaller: a p-value below 0.05 says they are."""
    from scipy import stats

    difference = np.asarray(rival, np.float64) - np.asarray(reference, np.float64)
    if len(difference) < 2:
        raise ValueError(f"A paired test needs at least two replications, got {len(difference)}.")
    if np.ptp(difference) == 0:
        p = 0.5 if difference[0] == 0 else float(difference[0] < 0)
        return PairedTest(float(difference[0]), p)
    result = stats.ttest_1samp(difference, 0.0, alternative="greater")
    return PairedTest(float(difference.mean()), float(result.pvalue))


def welch_test(reference: np.ndarray, rival: np.ndarray) -> float:
    """Return the p-value of a one-sided unpaired test (Welch) that the reference's errors are smaller.

    The paper calls its test paired, its code does this one. Where replications are shared, `paired_test` is sharper.
    """
    from scipy import stats

    a, b = np.asarray(reference, np.float64), np.asarray(rival, np.float64)
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        return 0.5 if a[0] == b[0] else float(a[0] > b[0])
    return float(stats.ttest_ind(a, b, equal_var=False, alternative="less").pvalue)
