"""Lines with a penalty that cross-validation chooses: ridge regression, for numbers and yes / no.

A model has three kinds of columns. *Free* ones have no penalty: they hold the level of every arm.
The slopes of *shared* columns have the penalty, and those of a treatment's *own* columns have a
multiple of it; both are chosen. For numbers everything is worked out of the products of columns
in each fold: one decomposition a fold and multiple serves all penalties, and no row is looked at
twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.special import expit

PENALTIES = np.geomspace(1e-4, 100, 13)  # for each row and standardised column
MULTIPLES = (1.0, 10.0, 100.0, 1000.0)  # of the penalty, for own columns
STEPS, CLOSE = 50, 1e-10  # of Newton's method, and the change of coefficients at which it stops
LEAST = 1e-6  # the least penalty where outcomes are yes / no, so that levels stay finite


class Columns(NamedTuple):
    """The columns of a linear model: without a penalty, with it, and with a multiple of it."""

    free: Float[np.ndarray, "n f"]
    shared: Float[np.ndarray, "n d"]
    own: Float[np.ndarray, "n e"]

    @property
    def together(self) -> Float[np.ndarray, "n p"]:
        """All columns side by side."""
        return np.hstack(self)

    def penalties(self, multiple: float) -> Float[np.ndarray, " p"]:
        """Return the penalty of every column, where that of shared ones is 1."""
        widths = [part.shape[1] for part in self]
        return np.repeat([0.0, 1.0, multiple], widths)


class Strength(NamedTuple):
    """How strong a penalty is: that of shared columns, and the multiple of it for own ones."""

    penalty: float
    multiple: float


class Products(NamedTuple):
    """What folds add to a ridge regression: products of columns, and the weight of the rows."""

    table: Float[np.ndarray, "k q q"]  # of free, shared and own columns, and y as the last
    rows: Float[np.ndarray, " k"]

    @classmethod
    def of(
        cls, columns: Columns, y: np.ndarray, weight: np.ndarray, fold: Int[np.ndarray, " n"]
    ) -> Products:
        """Work out the products of the rows of every fold."""
        table = np.hstack([columns.together, y[:, None]])
        folds = [np.flatnonzero(fold == number) for number in range(int(fold.max()) + 1)]
        products = [(table[own] * weight[own, None]).T @ table[own] for own in folds]
        return cls(np.stack(products), np.array([weight[own].sum() for own in folds]))


def ridge(
    columns: Columns,
    y: Float[np.ndarray, " n"],
    weight: Float[np.ndarray, " n"],
    fold: Int[np.ndarray, " n"],
) -> Float[np.ndarray, " p"]:
    """Return the coefficients of the ridge regression that is best for rows not seen."""
    products = Products.of(columns, y, weight, fold)
    best = _best(columns, products)
    whole, rows = products.table.sum(axis=0), float(products.rows.sum())
    path = _path(whole, rows, columns, best.multiple)
    return path[np.flatnonzero(best.penalty == PENALTIES)[0]]


def logistic_ridge(
    columns: Columns,
    y: Float[np.ndarray, " n"],
    weight: Float[np.ndarray, " n"],
    fold: Int[np.ndarray, " n"],
) -> Float[np.ndarray, " p"]:
    """Return the coefficients of the log odds of y, which is 0 or 1.

    The penalty is the best for the parabola that touches the likelihood where all slopes are 0, so
    that choosing it is a ridge regression.
    """
    free = columns.free
    level = free @ _newton(free, np.zeros(free.shape[1]), y, weight)
    curvature = _curvature(level)
    working = level + (y - expit(level)) / curvature
    best = _best(columns, Products.of(columns, working, weight * curvature, fold))
    penalties = columns.penalties(best.multiple) * best.penalty
    # A row weighs as much there as the likelihood is curved at it.
    share = np.average(curvature, weights=weight)
    return _newton(columns.together, share * penalties, y, weight)


def _best(columns: Columns, products: Products) -> Strength:
    """Return the strength with the least loss on rows not seen; of equal ones the strongest."""
    multiples = MULTIPLES if columns.own.shape[1] else MULTIPLES[:1]
    losses = np.stack([_losses(columns, products, multiple) for multiple in reversed(multiples)])
    place, penalty = np.unravel_index(np.argmin(losses[:, ::-1]), losses.shape)
    return Strength(PENALTIES[::-1][penalty], multiples[::-1][place])


def _losses(columns: Columns, products: Products, multiple: float) -> Float[np.ndarray, " k"]:
    """Return the loss that each of PENALTIES has on rows not seen."""
    whole, rows = products.table.sum(axis=0), products.rows.sum()
    losses = np.zeros(len(PENALTIES))
    if len(products.rows) == 1:
        return losses
    for table, count in zip(products.table, products.rows, strict=True):
        path = _path(whole - table, rows - count, columns, multiple)
        left = np.hstack([-path, np.ones((len(path), 1))])  # y less what is predicted
        losses += np.sum(left @ table * left, axis=1)
    return losses


def _path(
    table: Float[np.ndarray, "q q"], rows: float, columns: Columns, multiple: float
) -> Float[np.ndarray, "k p"]:
    """Return the coefficients under each of PENALTIES, by one decomposition for all of them."""
    free = columns.free.shape[1]
    on_free = np.linalg.pinv(table[:free, :free], hermitian=True) @ table[:free, free:]
    left = table[free:, free:] - table[free:, :free] @ on_free  # what free columns leave
    unit = 1 / np.sqrt(columns.penalties(multiple)[free:])
    size, axes = np.linalg.eigh(left[:-1, :-1] * unit * unit[:, None])
    along = axes.T @ (left[:-1, -1] * unit)
    slopes = along / (np.maximum(size, 0) + rows * PENALTIES[:, None]) @ axes.T * unit
    return np.hstack([on_free[:, -1] - slopes @ on_free[:, :-1].T, slopes])


def _newton(
    x: Float[np.ndarray, "n p"],
    penalties: Float[np.ndarray, " p"],
    y: Float[np.ndarray, " n"],
    weight: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " p"]:
    """Return the coefficients of a logistic regression with a penalty for each column."""
    rows, coefficients = weight.sum(), np.zeros(x.shape[1])
    penalties = np.maximum(penalties, LEAST)
    for _ in range(STEPS):
        score = x @ coefficients
        slope = x.T @ (weight * (y - expit(score))) - rows * penalties * coefficients
        bend = (x * (weight * _curvature(score))[:, None]).T @ x + rows * np.diag(penalties)
        step = np.linalg.solve(bend, slope)
        # Far steps overshoot where odds are nearly certain.
        coefficients = coefficients + step * min(1.0, 4 / max(np.abs(x @ step).max(), 1e-12))
        if np.abs(step).max() < CLOSE:
            break
    return coefficients


def _curvature(score: np.ndarray) -> np.ndarray:
    chance = expit(score)
    return np.maximum(chance * (1 - chance), 1e-6)
