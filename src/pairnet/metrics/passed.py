"""What people pass to a metric: numbers, one a row, or a table of them; all else is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.missing import unmasked
from pairnet.core.words import shown

MOST = 1e100  # larger numbers have no squares


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
    """Return real numbers as an array, or None if values are anything else; masks are NaN."""
    try:
        array = np.asarray(unmasked(values))
        return array.astype(np.float64) if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError, OverflowError, AttributeError):
        return None


def weights(values: Any, rows: int) -> Float[np.ndarray, " n"]:
    """Return the weight of each row, or raise."""
    weight = np.ones(rows) if values is None else numbers("weight", values, rows)
    if (weight < 0).any() or not (weight > 0).any():
        raise BadInput("weight", "must be numbers, none negative and not all zero")
    return weight


def numbers_of(X: Any, name: str = "X") -> tuple[Float[np.ndarray, "n d"], list[str]]:
    """Return a table of numbers, and the names of its columns, or raise."""
    columns = real_array(X)
    if columns is None:
        raise BadInput(
            name,
            "must hold numbers",
            "Make flags of categories first, and leave one level of each out.",
        )
    columns = columns[:, None] if columns.ndim == 1 else columns
    if columns.ndim != 2 or not np.isfinite(columns).all():
        raise BadInput(name, f"must be a table of finite numbers, got shape {columns.shape}")
    own = getattr(X, "columns", None)
    named = range(columns.shape[1]) if own is None else own
    return columns, [str(name) for name in named]
