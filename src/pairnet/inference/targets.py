"""Whose average effect: that of all rows, of the treated, of the untreated, or of the overlap.

A row counts by how much it belongs to the target: h = 1, e1, e0, or e0 e1 / (e0 + e1), where
e1 = P(T1 | x) and e0 = P(T0 | x) (Li, Morgan & Zaslavsky, 2018). The overlap are rows that might
have had either treatment: there the data say most.

If it is known who was treated, rows count by g, whose mean given x is h: 1, m1, m0, or
(m0 + m1) (m1 - p)^2 with p = e1 / (e0 + e1), where m1 = 1 for a row under T1, and m0 = 1 for a row
under T0. With this g an error in the chances hardly moves the average of the overlap.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float

from pairnet.core.errors import BadInput, listed
from pairnet.core.types import is_one_of
from pairnet.core.words import shown

# The targets, and how a sentence names them.
TARGETS = {
    "all": "over all rows",
    "treated": "among the treated",
    "untreated": "among the untreated",
    "overlap": "among those who might have had either",
}
LEAST = 1e-12  # so that nothing is divided by 0


def check_target(target: object) -> None:
    """Raise if `target` is none of the targets."""
    if not is_one_of(target, TARGETS):
        known = listed(list(map(repr, TARGETS)), "or")
        raise BadInput("target", f"must be {known}, got {shown(target)}")


def belonging(target: str, chances: Float[np.ndarray, "*s 2 n"]) -> Float[np.ndarray, "*s n"]:
    """Return how much rows belong to a target, by their chances of T0 and T1."""
    e0, e1 = chances[..., 0, :], chances[..., 1, :]
    match target:
        case "treated":
            return e1
        case "untreated":
            return e0
        case "overlap":
            return e0 * e1 / np.maximum(e0 + e1, LEAST)
        case _:
            return np.ones_like(e1)


def counts(
    target: str, mine: Bool[np.ndarray, "2 n"], chances: Float[np.ndarray, "*s 2 n"]
) -> Float[np.ndarray, "*s n"]:
    """Return how much rows count for a target, by how they were treated; mine: under T0, T1."""
    if target != "overlap":
        return belonging(target, np.broadcast_to(mine.astype(float), chances.shape))
    either = np.maximum(chances.sum(axis=-2), LEAST)
    return (mine[0] | mine[1]) * (mine[1] - chances[..., 1, :] / either) ** 2


def divisors(
    target: str, chances: Float[np.ndarray, "*s 2 n"], bounded: Float[np.ndarray, "*s 2 n"]
) -> Float[np.ndarray, "*s 2 n"]:
    """Return what residuals under T0 and under T1 are divided by: e / h.

    bounded: the chances kept away from 0, for where one divides by a chance alone.
    """
    e0, e1 = (np.maximum(chances[..., side, :], LEAST) for side in (0, 1))
    match target:
        case "treated":
            sides = bounded[..., 0, :] / e1, np.ones_like(e1)
        case "untreated":
            sides = np.ones_like(e0), bounded[..., 1, :] / e0
        case "overlap":
            sides = (e0 + e1) / e1, (e0 + e1) / e0
        case _:
            return bounded
    return np.stack(sides, axis=-2)
