"""How good effects are: against the truth where it is known, against held-out pairs where it is
not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float


def pehe(
    truth: Float[np.ndarray, "*r n"], effect: Float[np.ndarray, "*r n"]
) -> Float[np.ndarray, "*r"]:
    """Precision in estimating heterogeneous effects: the root mean square error of effects, row by
    row."""
    return np.sqrt(np.mean((np.asarray(truth) - np.asarray(effect)) ** 2, axis=-1))


def ate_error(
    truth: Float[np.ndarray, "*r n"], effect: Float[np.ndarray, "*r n"]
) -> Float[np.ndarray, "*r"]:
    """Return the absolute error of the average effect."""
    return np.abs(np.mean(np.asarray(truth) - np.asarray(effect), axis=-1))


def dose_pehe(
    truth: Float[np.ndarray, "*r n g"],
    own: Float[np.ndarray, "*r n"],
    response: Float[np.ndarray, "*r n g"],
    own_response: Float[np.ndarray, "*r n"],
) -> Float[np.ndarray, "*r"]:
    """PEHE for doses: the root mean square error, over rows and doses, of the effect of a dose
    against the row's own.

    `truth` and `response` are noise-free and estimated outcomes under every dose of a grid, `own`
    and `own_response` those under the dose that the row received.
    """
    return np.sqrt(np.mean(_dose_errors(truth, own, response, own_response) ** 2, axis=(-2, -1)))


def dose_pehe_by_row(
    truth: Float[np.ndarray, "*r n g"],
    y: Float[np.ndarray, "*r n"],
    response: Float[np.ndarray, "*r n g"],
    own_response: Float[np.ndarray, "*r n"],
) -> Float[np.ndarray, "*r"]:
    """PEHE for doses as the authors' code takes it: the mean of every row's root, against the
    observed outcome `y`.

    The noise of `y` counts as error, so that even the true response does not score 0.
    """
    return np.mean(
        np.sqrt(np.mean(_dose_errors(truth, y, response, own_response) ** 2, axis=-1)), axis=-1
    )


def _dose_errors(truth, own, response, own_response) -> np.ndarray:
    return (np.asarray(own)[..., None] - truth) - (np.asarray(own_response)[..., None] - response)


def mise(
    truth: Float[np.ndarray, "*r n g"], response: Float[np.ndarray, "*r n g"]
) -> Float[np.ndarray, "*r"]:
    """Mean integrated squared error of each row's dose response."""
    return np.mean((np.asarray(truth) - np.asarray(response)) ** 2, axis=(-2, -1))


def policy_error(
    truth: Float[np.ndarray, "*r n g"], response: Float[np.ndarray, "*r n g"]
) -> Float[np.ndarray, "*r"]:
    """Dosage policy error: the mean square of what is lost by giving each row the dose that seems
    best for it."""
    chosen = np.argmax(response, axis=-1)[..., None]
    lost = np.max(truth, axis=-1) - np.take_along_axis(np.asarray(truth), chosen, axis=-1)[..., 0]
    return np.mean(lost**2, axis=-1)


def pair_loss(
    y: np.ndarray, predicted: np.ndarray, t: np.ndarray, weight: np.ndarray | None = None
) -> float:
    """Return the mean of ((y - y') - (mu - mu'))^2 over all pairs of rows of different arms, or
    different doses.

    Every row counts alike, and all its partners do. It needs no true effects, and a common error of
    all predictions does not change it.
    """
    r = np.asarray(y, np.float64) - np.asarray(predicted, np.float64)
    weight = np.ones(len(r)) if weight is None else np.asarray(weight, np.float64)
    labels, arm = np.unique(np.asarray(t), return_inverse=True)
    if len(labels) < 2:
        raise ValueError(
            f"The pair loss needs rows of at least two arms or doses, got only {labels.tolist()}."
        )
    sums = [
        np.bincount(arm, weight * value, minlength=len(labels))
        for value in (np.ones(len(r)), r, r**2)
    ]
    total, first, second = ((value.sum() - value)[arm] for value in sums)
    losses = r**2 + second / total - 2 * r * first / total
    return float(np.sum(weight * losses) / np.sum(weight))


class PairScore(NamedTuple):
    """A pair loss with its standard error over rows; smaller is better."""

    loss: float
    error: float
    influence: (
        np.ndarray
    )  # how much each row moves the loss: differences of two models' have a standard error, too


def pair_loss_score(
    y: Any,
    *,
    treatment: Any,
    outcomes: Any = None,
    effects: Any = None,
    X: Any = None,
    sample_weight: Any = None,
) -> PairScore:
    """Score any model without true effects, on rows that it was not trained on: how well it
    predicts pairs.

    outcomes: each row's predicted outcome under the treatment it received; then the loss is that of
    all pairs of rows treated differently, ((y - y') - (mu - mu'))^2, for arms or doses. Or effects:
    each row's predicted effect of the second of two arms against the first, for models that predict
    nothing else; then every row is compared with its nearest in X of the other arm, (y1 - y0 - (tau
    + tau') / 2)^2, and what the two differ in beside the treatment counts as noise. Scores of one
    kind can be compared with one another, on the same rows.
    """
    observed = np.asarray(y, np.float64)
    labels, arm = np.unique(np.asarray(treatment), return_inverse=True)
    weight = (
        np.ones(len(observed)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    )
    if (outcomes is None) == (effects is None):
        raise ValueError(
            "pair_loss_score needs outcomes (under each row's own treatment) or effects, one of "
            "the two."
        )
    if len(labels) < 2:
        raise ValueError(
            f"The pair loss needs rows of at least two arms or doses, got only {labels.tolist()}."
        )
    name, given = ("outcomes", outcomes) if effects is None else ("effects", effects)
    for what, values in {name: given, "treatment": arm, "sample_weight": weight}.items():
        if np.shape(values) != observed.shape:
            raise ValueError(
                f"{what} must hold one value per row: {observed.shape}, got {np.shape(values)}."
            )
    predicted = np.asarray(given, np.float64)
    if effects is None:
        loss, influence = _all_pairs(observed - predicted, arm, weight)
    else:
        loss, influence = _matched(observed, predicted, arm, len(labels), X, weight)
    return PairScore(
        loss, float(np.sqrt(np.sum((weight * influence) ** 2)) / weight.sum()), influence
    )


def _all_pairs(r: np.ndarray, arm: np.ndarray, weight: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the mean loss of all pairs, and every row's influence on it: as itself, and as a
    partner of others."""
    of_arm = lambda value: np.bincount(arm, weight * value, minlength=arm.max() + 1)
    others = lambda value: (of_arm(value).sum() - of_arm(value))[arm]
    total = others(np.ones(len(r)))
    own = r**2 + others(r**2) / total - 2 * r * others(r) / total
    loss = float(np.average(own, weights=weight))
    as_partner = r**2 * others(1 / total) - 2 * r * others(r / total) + others((r**2 - own) / total)
    return loss, own - loss + as_partner


def _matched(
    y: np.ndarray, tau: np.ndarray, arm: np.ndarray, arms: int, X: Any, weight: np.ndarray
) -> tuple[float, np.ndarray]:
    """Return the mean loss of every row and its nearest of the other arm, and every row's part in
    it."""
    from scipy.spatial import cKDTree

    if arms != 2 or X is None:
        raise ValueError(
            "Effects are scored for two arms, with the covariates X of the rows. Else pass "
            "outcomes."
        )
    x = np.asarray(X, np.float64)
    if x.ndim != 2 or len(x) != len(y):
        raise ValueError(
            f"X must hold a row of covariates for each outcome: expected ({len(y)}, d), got "
            f"{x.shape}."
        )
    z = (x - x.mean(axis=0)) / np.where(np.ptp(x, axis=0) > 0, x.std(axis=0), 1.0)
    partner = np.empty(len(y), int)
    for mine in (0, 1):
        theirs = np.flatnonzero(arm == 1 - mine)
        partner[arm == mine] = theirs[cKDTree(z[theirs]).query(z[arm == mine])[1]]
    losses = ((2 * arm - 1) * (y - y[partner]) - (tau + tau[partner]) / 2) ** 2
    loss = float(np.average(losses, weights=weight))
    return loss, losses - loss


def mmd(
    a: Float[np.ndarray, "n d"], b: Float[np.ndarray, "m d"], *, bandwidth: float = 1.0
) -> float:
    """Maximum mean discrepancy: how far two samples are apart, 0 where their distributions are the
    same.

    The kernel is exp(-|x - x'|^2 / (2 bandwidth^2)). Block by block, so that nothing of size n x m
    is held.
    """
    return float(
        np.sqrt(
            max(
                0.0,
                _kernel_mean(a, a, bandwidth)
                + _kernel_mean(b, b, bandwidth)
                - 2 * _kernel_mean(a, b, bandwidth),
            )
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
    """One-sided paired t-test that the reference's errors are smaller: a p-value below 0.05 says
    they are."""
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
    """Return the p-value of a one-sided unpaired test (Welch) that the reference's errors are
    smaller.

    The paper calls its test paired, its code does this one. Where replications are shared,
    `paired_test` is sharper.
    """
    from scipy import stats

    a, b = np.asarray(reference, np.float64), np.asarray(rival, np.float64)
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        return 0.5 if a[0] == b[0] else float(a[0] > b[0])
    return float(stats.ttest_ind(a, b, equal_var=False, alternative="less").pvalue)
