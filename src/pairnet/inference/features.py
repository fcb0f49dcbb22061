"""Covariates as light models see them: standardised, cut far out, and bent."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

KNOTS = (-1.0, 0.0, 1.0)  # standard deviations at which covariates bend
FAR = 3.0  # standard deviations at which covariates are cut, so that nothing hangs on an outlier


def standardised(
    x: Float[np.ndarray, "n d"], like: Float[np.ndarray, "m d"] | None = None
) -> Float[np.ndarray, "n d"]:
    """Return covariates in standard deviations of `like` (or of themselves), cut far out."""
    like = x if like is None else like
    spread = np.where(np.ptp(like, axis=0) > 0, like.std(axis=0), 1.0)
    return np.clip((x - like.mean(axis=0)) / spread, -FAR, FAR)


def bent(z: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n e"]:
    """Return covariates and what of them lies above each knot, so that lines may bend there."""
    return np.hstack([z, *(np.maximum(z - knot, 0) for knot in KNOTS)])


def bent_and_multiplied(z: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n e"]:
    """Return bent covariates, and the products of every two: for a few columns."""
    first, second = np.triu_indices(z.shape[1], 1)
    return np.hstack([bent(z), z[:, first] * z[:, second]])
