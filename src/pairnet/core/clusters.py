"""Sums by cluster: rows that belong together, as the people of one village, count as one."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int


def by_cluster(
    values: Float[np.ndarray, "*s n"], clusters: Int[np.ndarray, " n"] | None
) -> Float[np.ndarray, "*s c"]:
    """Return the rows' values summed by cluster, or the values themselves without clusters."""
    if clusters is None:
        return values
    order = np.argsort(clusters, kind="stable")
    first = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    return np.asarray(np.add.reduceat(values[..., order], first, axis=-1))
