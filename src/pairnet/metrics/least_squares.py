"""Least squares with errors that hold whatever the noise: each row, or cluster, is left out once.

Coefficients without unit g are b_g = b - (A - A_g)^-1 X_g' W r_g, with A = X' W X and the residuals
r. Their spread is the covariance, sum_g (b_g - b)(b_g - b)'. Where every row is a unit of its own
this is HC3 (MacKinnon and White, 1985), with clusters it is CR3 (Bell and McCaffrey, 2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import BadInput
from pairnet.core.listing import Listing
from pairnet.core.missing import is_missing, unmasked

ALONE = 1e-8  # of a coefficient: what is left of it without a unit, if the unit decides it alone


class Coefficient(NamedTuple):
    """One coefficient: its standard error, its interval, and the p-value of its being 0."""

    value: float
    error: float
    lower: float
    upper: float
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class Coefficients(Listing):
    """Coefficients of a regression with robust errors, one a term.

    freedom: the degrees of freedom of the errors. alpha: the share of intervals that may miss.
    """

    terms: tuple[str, ...]
    value: Float[np.ndarray, " k"]
    covariance: Float[np.ndarray, "k k"]
    freedom: int
    alpha: float = 0.05

    def __getitem__(self, term: str) -> Coefficient:
        from scipy import stats

        k = self.terms.index(term)
        value, error = float(self.value[k]), float(np.sqrt(self.covariance[k, k]))
        reach = float(stats.t.ppf(1 - self.alpha / 2, self.freedom)) * error
        size = abs(value) / error if error > 0 else np.inf * abs(value)
        p = 2 * float(stats.t.sf(size, self.freedom)) if value != 0 else 1.0
        return Coefficient(value, error, value - reach, value + reach, p)

    def columns(self) -> dict[str, np.ndarray]:
        """Return a line a term."""
        lines = [self[term] for term in self.terms]
        names = ("coefficient", "error", "lower", "upper", "p")
        numbers = np.asarray(lines, float).reshape(len(lines), len(names)).T
        return {"term": np.asarray(self.terms, object), **dict(zip(names, numbers, strict=True))}


def least_squares(
    y: Float[np.ndarray, " n"],
    X: Float[np.ndarray, "n k"],
    terms: Sequence[str],
    weight: Float[np.ndarray, " n"] | None = None,
    clusters: Any = None,
    alpha: float = 0.05,
) -> Coefficients:
    """Return the coefficients of y on the columns of X, which the terms name.

    Rows of weight 0 are left out.
    """
    weight = np.ones(len(y)) if weight is None else weight
    units = None if clusters is None else units_of(clusters, len(y))[weight > 0]
    root = np.sqrt(weight[weight > 0])
    rows, target = X[weight > 0] * root[:, None], y[weight > 0] * root
    _check_rank(rows, terms)
    z, upper = np.linalg.qr(rows)  # the same columns, orthogonal and of length 1
    along = z.T @ target
    steps = _steps(z, target - z @ along, units, rows, terms)
    back = np.linalg.inv(upper)
    moved = steps @ back.T
    count = len(steps)
    freedom = count - (len(terms) if units is None else 1)
    return Coefficients(tuple(terms), back @ along, moved.T @ moved, freedom, alpha)


def units_of(clusters: Any, rows: int) -> Int[np.ndarray, " n"]:
    """Return the number of each row's cluster, from 0 on; clusters have labels of any kind."""
    try:
        labels = np.asarray(unmasked(clusters))
    except ValueError:
        labels = np.zeros(0)
    if labels.shape != (rows,):
        problem = f"must hold one label a row: expected shape ({rows},), got {labels.shape}"
        raise BadInput("clusters", problem)
    if any(map(is_missing, labels.tolist())):
        raise BadInput("clusters", "has missing values", "Leave those rows out.")
    found = np.unique(labels.astype(str) if labels.dtype == object else labels, return_inverse=True)
    return np.asarray(found[1])


def _steps(
    z: Float[np.ndarray, "n k"],
    residual: Float[np.ndarray, " n"],
    units: Int[np.ndarray, " n"] | None,
    rows: Float[np.ndarray, "n k"],
    terms: Sequence[str],
) -> Float[np.ndarray, "g k"]:
    """Return how far the coefficients move, along z, when each unit is left out."""
    if units is None:
        left = 1 - np.sum(z**2, axis=1)
        if (left < ALONE).any():
            raise _decided_alone(rows[[int(left.argmin())]], rows, terms, "row")
        return z * (residual / left)[:, None]
    order = np.argsort(units, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(units[order])) + 1)
    if len(parts) < 2:
        raise BadInput("clusters", "must be two or more for errors, got one for all rows")
    steps = []
    for part in parts:
        own = z[part]
        left, axes = np.linalg.eigh(np.eye(z.shape[1]) - own.T @ own)
        if left.min() < ALONE:
            raise _decided_alone(rows[part], rows, terms, "cluster")
        steps.append(axes @ ((axes.T @ (own.T @ residual[part])) / left))
    return np.asarray(steps)


def _check_rank(rows: Float[np.ndarray, "n k"], terms: Sequence[str]) -> None:
    """Raise if some term is a sum of others, and name it."""
    scaled = rows / np.maximum(np.linalg.norm(rows, axis=0), np.finfo(float).tiny)
    for k in range(len(terms)):
        if np.linalg.matrix_rank(scaled[:, : k + 1]) <= k:
            raise BadInput(
                "",
                f"The column {terms[k]!r} says nothing that the columns before it do not say: it "
                "is the same in all rows, or a sum of others",
                "Leave it out.",
            )
    if len(rows) <= len(terms):
        raise BadInput("", f"{len(terms)} terms need more rows than that, got {len(rows)}")


def _decided_alone(own: np.ndarray, rows: np.ndarray, terms: Sequence[str], unit: str) -> BadInput:
    share = (own**2).sum(axis=0) / (rows**2).sum(axis=0)
    return BadInput(
        "",
        f"The column {terms[int(share.argmax())]!r} differs from the others in one {unit} alone, "
        "so that nothing tells how sure its coefficient is",
        "Leave it out, or join it with another.",
    )
