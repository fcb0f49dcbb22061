"""The best linear projection of the effect: which columns go along with larger effects?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.words import shown
from pairnet.metrics.least_squares import Coefficients, least_squares

CONSTANT = "constant"
MOST = 1e100  # larger numbers have no squares


def best_linear_projection(
    scores: Any,
    X: Any = None,
    *,
    weight: Any = None,
    clusters: Any = None,
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
) -> Coefficients:
    """Return the linear function of some columns that is nearest to the effect.

    It is the regression of doubly robust scores on a constant and the columns, with errors that are
    robust to unequal noise (HC3) or to clusters (CR3). The effect need not be linear: the
    coefficients are those of the best line through it. With a constant alone, the value is the
    doubly robust average. Semenova and Chernozhukov (2021), "Debiased machine learning of
    conditional average treatment effects".

    scores: one a row, as `model.ask(X).scores.score`. X: numbers, [n, d]; a data frame names the
    terms, and so does `names`. clusters: a label a row; rows that share one belong together.
    """
    score = numbers("scores", scores)
    columns, found = (np.zeros((len(score), 0)), []) if X is None else numbers_of(X)
    if len(columns) != len(score):
        raise BadInput("X", f"must have a row a score ({len(score)}), got {len(columns)}")
    terms = found if names is None else list(map(str, names))
    if len(terms) != columns.shape[1]:
        raise BadInput("names", f"must be one a column ({columns.shape[1]}), got {len(terms)}")
    design = np.column_stack([np.ones(len(score)), columns])
    own = weights(weight, len(score))
    return least_squares(score, design, [CONSTANT, *terms], own, clusters, alpha)


def numbers(name: str, values: Any, rows: int | None = None) -> Float[np.ndarray, " n"]:
    """Return one finite number a row, or raise."""
    array = real_array(values)
    if array is None:
        raise BadInput(name, f"must hold one number a row, got {shown(values)}")
    if array.ndim != 1 or (rows is not None and len(array) != rows):
        wanted = "(n,)" if rows is None else f"({rows},)"
        raise BadInput(name, f"must hold one number a row: expected {wanted}, got {array.shape}")
    if not np.isfinite(array).all():
        raise BadInput(name, "must be finite numbers, got some that are not")
    if array.size and np.abs(array).max() > MOST:
        problem = f"must be numbers up to {MOST:g}, got {np.abs(array).max():g}"
        raise BadInput(name, problem, "Use a larger unit.")
    return array


def real_array(values: Any) -> Float[np.ndarray, "*s"] | None:
    """Return real numbers as an array, or None if values are anything else."""
    try:
        array = np.asarray(values)
        return array.astype(np.float64) if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError, AttributeError):
        return None


def weights(values: Any, rows: int) -> Float[np.ndarray, " n"]:
    """Return the weight of each row, or raise."""
    weight = np.ones(rows) if values is None else numbers("weight", values, rows)
    if (weight < 0).any() or not (weight > 0).any():
        raise BadInput("weight", "must be numbers, none negative and not all zero")
    return weight


def numbers_of(X: Any) -> tuple[Float[np.ndarray, "n d"], list[str]]:
    """Return a table of numbers, and the names of its columns, or raise."""
    try:
        columns = np.asarray(X, np.float64)
    except (TypeError, ValueError):
        raise BadInput(
            "X",
            "must hold numbers",
            "Make flags of categories first, and leave one level of each out.",
        ) from None
    columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.ndim != 2 or not np.isfinite(columns).all():
        raise BadInput("X", f"must be a table of finite numbers, got shape {columns.shape}")
    own = getattr(X, "columns", None)
    named = range(columns.shape[1]) if own is None else own
    return columns, [str(name) for name in named]
