"""The pair loss: how well a model predicts held-out pairs, where the truth is not known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import BadInput
from pairnet.core.missing import as_floats, is_missing, unmasked

RowValues = Float[np.ndarray, " n"]
ArmNumbers = Int[np.ndarray, " n"]  # of each row's arm, or of its dose


def pair_loss(
    y: np.ndarray, predicted: np.ndarray, t: np.ndarray, weight: np.ndarray | None = None
) -> float:
    """Return the mean of ((y - y') - (mu - mu'))^2 over all pairs of rows treated differently.

    Every row has the same weight, and so have all its partners. The loss needs no true effects, and
    an error that all predictions share does not change it.
    """
    residual = as_floats(y) - as_floats(predicted)
    weight = np.ones(len(residual)) if weight is None else as_floats(weight)
    losses = _row_losses(residual, _arms(t), weight)
    return float(np.sum(weight * losses) / np.sum(weight))


class PairScore(NamedTuple):
    """A pair loss with its standard error over rows; smaller is better."""

    loss: float
    error: float
    # how much each row changes the loss: this gives differences of two models an error, too
    influence: np.ndarray


def pair_loss_score(
    y: Any,
    *,
    treatment: Any,
    outcomes: Any = None,
    effects: Any = None,
    X: Any = None,
    sample_weight: Any = None,
) -> PairScore:
    """Score any model without true effects, on rows that it was not trained on.

    outcomes: each row's predicted outcome under the treatment that it received. The loss is then
    that of all pairs of rows treated differently, ((y - y') - (mu - mu'))^2, for arms or doses.
    effects, for models that predict nothing else: each row's predicted effect of the second of two
    arms against the first. Then every row is compared with the row of the other arm that is nearest
    in X, (y1 - y0 - (tau + tau') / 2)^2, and all other differences of the two rows count as noise.
    Scores of one kind can be compared with one another, on the same rows.
    """
    observed = as_floats(y)
    if (outcomes is None) == (effects is None):
        raise BadInput(
            "",
            "pair_loss_score needs outcomes (under each row's own treatment) or effects, one of "
            "the two.",
        )
    arm = _arms(treatment)
    weight = np.ones(len(observed)) if sample_weight is None else as_floats(sample_weight)
    name, predictions = ("outcomes", outcomes) if effects is None else ("effects", effects)
    for what, values in {name: predictions, "treatment": arm, "sample_weight": weight}.items():
        if np.shape(values) != observed.shape:
            raise BadInput(
                what, f"must hold one value per row: {observed.shape}, got {np.shape(values)}"
            )
    predicted = as_floats(predictions)
    for what, values in {"y": observed, name: predicted, "sample_weight": weight}.items():
        if not np.isfinite(values).all():
            raise BadInput(what, "must be finite numbers, got some that are not")
    if effects is None:
        loss, influence = _all_pairs(observed - predicted, arm, weight)
    else:
        loss, influence = _nearest_pairs(observed, predicted, arm, X, weight)
    error = float(np.sqrt(np.sum((weight * influence) ** 2)) / weight.sum())
    return PairScore(loss, error, influence)


def _arms(treatment: Any) -> ArmNumbers:
    """Return the number of each row's arm or dose; there must be two or more."""
    received = np.asarray(unmasked(treatment))
    if any(map(is_missing, received.reshape(-1).tolist())):
        raise BadInput("treatment", "has missing values", "Leave those rows out.")
    labels, arm = np.unique(received, return_inverse=True)
    if len(labels) < 2:
        raise BadInput(
            "",
            f"The pair loss needs rows of at least two arms or doses, got only {labels.tolist()}.",
        )
    return arm


def _sum_of_others(arm: ArmNumbers, weight: RowValues) -> Callable[[RowValues], RowValues]:
    """Return a function that gives each row the weighted sum of values over rows of other arms."""

    def sum_of_others(values: RowValues) -> RowValues:
        of_arm = np.bincount(arm, weight * values, minlength=arm.max() + 1)
        return (of_arm.sum() - of_arm)[arm]

    return sum_of_others


def _row_losses(residual: RowValues, arm: ArmNumbers, weight: RowValues) -> RowValues:
    """Return every row's mean loss over its partners: r^2 + E[r'^2] - 2 r E[r']."""
    of_others = _sum_of_others(arm, weight)
    total = of_others(np.ones(len(residual)))
    first, second = of_others(residual), of_others(residual**2)
    return residual**2 + second / total - 2 * residual * first / total


def _all_pairs(residual: RowValues, arm: ArmNumbers, weight: RowValues) -> tuple[float, RowValues]:
    """Return the mean loss of all pairs, and every row's influence on it.

    A row influences the loss by its own pairs, and as a partner of others.
    """
    of_others = _sum_of_others(arm, weight)
    total = of_others(np.ones(len(residual)))
    own = _row_losses(residual, arm, weight)
    loss = float(np.average(own, weights=weight))
    as_partner = (
        residual**2 * of_others(1 / total)
        - 2 * residual * of_others(residual / total)
        + of_others((residual**2 - own) / total)
    )
    return loss, own - loss + as_partner


def _nearest_pairs(
    y: RowValues, tau: RowValues, arm: ArmNumbers, X: Any, weight: RowValues
) -> tuple[float, RowValues]:
    """Return the mean loss of every row and its nearest of the other arm, and each row's part."""
    if arm.max() != 1 or X is None:
        raise BadInput(
            "",
            "Effects are scored for two arms, with the covariates X of the rows.",
            "Else pass outcomes.",
        )
    x = as_floats(X)
    if x.ndim != 2 or len(x) != len(y):
        raise BadInput(
            "X",
            f"must hold a row of covariates for each outcome: expected ({len(y)}, d), got "
            f"{x.shape}",
        )
    if not np.isfinite(x).all():
        raise BadInput("X", "must be finite numbers, got some that are not")
    partner = _nearest_of_other_arm(x, arm)
    sign = 2 * arm - 1
    # the mean over all rows that tie with the partner: by its place, one of a low outcome would win
    mean = _mean_where_tied(x, arm)
    theirs = sign * y - tau / 2  # of a partner, who has the other sign
    spread = mean((theirs - mean(theirs)) ** 2)
    middle = sign * (y - mean(y)[partner]) - (tau + mean(tau)[partner]) / 2
    losses = middle**2 + spread[partner]
    loss = float(np.average(losses, weights=weight))
    return loss, losses - loss


def _mean_where_tied(
    x: Float[np.ndarray, "n d"], arm: ArmNumbers
) -> Callable[[RowValues], RowValues]:
    """Return a function that gives each row the mean of rows with its covariates and its arm."""
    keys = np.column_stack([x, arm])
    place = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
    count = np.bincount(place)
    return lambda values: (np.bincount(place, values) / count)[place]


def _nearest_of_other_arm(x: Float[np.ndarray, "n d"], arm: ArmNumbers) -> Int[np.ndarray, " n"]:
    """Return each row's nearest row of the other arm, by covariates in units of their spread."""
    from scipy.spatial import cKDTree

    z = (x - x.mean(axis=0)) / np.where(np.ptp(x, axis=0) > 0, x.std(axis=0), 1.0)
    partner = np.empty(len(x), int)
    for mine in (0, 1):
        theirs = np.flatnonzero(arm == 1 - mine)
        partner[arm == mine] = theirs[cKDTree(z[theirs]).query(z[arm == mine])[1]]
    return partner
