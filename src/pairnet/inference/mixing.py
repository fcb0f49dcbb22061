"""Shares of several models in a mixture: none below 0, 1 in sum, the best for rows not seen."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import nnls

SUM_TO_ONE = 1e3  # how firmly shares add up to 1, before they are made to
STEPS = 200  # of the search for shares of chances
TINY = 1e-6  # chances are at least so large there, so that no single row decides


def shares_with_least(
    gram: Float[np.ndarray, "c c"], moment: Float[np.ndarray, " c"]
) -> Float[np.ndarray, " c"]:
    """Return the shares w, none below 0 and 1 in sum, with the least w'Gw - 2 m'w."""
    count = len(moment)
    scale = np.trace(gram) / count
    if not scale > 0:  # only the moment is left: the best have equal shares
        best = moment == moment.max()
        return best / best.sum()
    root = np.linalg.cholesky(gram / scale + 1e-9 * np.eye(count))
    target = np.linalg.solve(root, moment / scale)
    rows = np.vstack([root.T, np.full(count, SUM_TO_ONE)])
    shares = nnls(rows, np.append(target, SUM_TO_ONE))[0]
    return shares / shares.sum()


def shares_of_outcomes(
    answers: Float[np.ndarray, "c n"], y: Float[np.ndarray, " n"], weight: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " c"]:
    """Return the shares of models with the least squared error; answers: what each expected."""
    share = weight / weight.sum()
    level = (
        share @ y
    )  # shares add up to 1, so that a common origin is free: this one loses no digits
    off = answers - level
    return shares_with_least((off * share) @ off.T, off @ (share * (y - level)))


def share_of_second(
    first: Float[np.ndarray, "*s n"],
    second: Float[np.ndarray, "*r n"],
    y: Float[np.ndarray, " n"],
    weight: Float[np.ndarray, "*r n"],
) -> Float[np.ndarray, "*s 1"]:
    """Return the share of the second of two models that has the least squared error."""
    apart = second - first
    size = (weight * apart**2).sum(axis=-1, keepdims=True)
    along = (weight * apart * (y - first)).sum(axis=-1, keepdims=True)
    return np.asarray(np.clip(along / np.where(size > 0, size, 1.0), 0.0, 1.0))


def shares_of_chances(
    chances: Float[np.ndarray, "c n k"], t: Int[np.ndarray, " n"], weight: Float[np.ndarray, " n"]
) -> Float[np.ndarray, " c"]:
    """Return the shares of models with the least log loss, by steps that never make it larger."""
    own = np.maximum(chances[:, np.arange(len(t)), t], TINY)
    share, weight = np.full(len(own), 1 / len(own)), weight / weight.sum()
    for _ in range(STEPS):
        share = (share[:, None] * own / (share @ own)) @ weight
    return share / share.sum()
