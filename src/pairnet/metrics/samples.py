"""How far two samples are apart."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from pairnet.metrics.passed import numbers_of


def mmd(
    a: Float[np.ndarray, "n d"], b: Float[np.ndarray, "m d"], *, bandwidth: float = 1.0
) -> float:
    """Maximum mean discrepancy of two samples; it is 0 if their distributions are the same.

    The kernel is exp(-|x - x'|^2 / (2 bandwidth^2)). It is computed block by block, so that nothing
    of size n x m is held in memory.
    """
    (a, _), (b, _) = numbers_of(a, "a"), numbers_of(b, "b")
    within = _kernel_mean(a, a, bandwidth) + _kernel_mean(b, b, bandwidth)
    return float(np.sqrt(max(0.0, within - 2 * _kernel_mean(a, b, bandwidth))))


def _kernel_mean(a: np.ndarray, b: np.ndarray, bandwidth: float, block: int = 1024) -> float:
    from scipy.spatial.distance import cdist

    total = sum(
        np.exp(-cdist(a[start : start + block], b, "sqeuclidean") / (2 * bandwidth**2)).sum()
        for start in range(0, len(a), block)
    )
    return float(total) / (len(a) * len(b))
