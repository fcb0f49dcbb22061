"""Does the table give the answer away? Covariates that repeat the treatment or the outcome."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import Argument, InPython
from pairnet.core.notices import notice
from pairnet.core.treatments import Treatment

CHECKED = 20_000  # the most rows that are looked at
EXACT = 1e-9
LEAVE_OUT = ("Leave it out", InPython("", " with --ignore"), ", or effects say nothing.")


def announce_leaks(
    features: Sequence[str],
    x: Float[np.ndarray, "n d"],
    t: Float[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    treatment: Treatment,
) -> None:
    """Warn if the outcome only repeats the treatment, or a covariate repeats one of the two."""
    some = np.linspace(0, len(t) - 1, min(len(t), CHECKED)).astype(int)
    x, t, y = x[some], t[some], y[some]
    if _follows(t, y):
        notice(
            Argument("y"),
            " follows from the treatment exactly: it looks like the treatment under another name, "
            "and effects of it say nothing. Is it the right column?",
        )
    for name, what in repeats(features, x, t, y, treatment):
        notice(f"The covariate {name!r} repeats the {what} exactly. ", *LEAVE_OUT)


def repeats(
    features: Sequence[str],
    x: Float[np.ndarray, "n d"],
    t: Float[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    treatment: Treatment,
) -> list[tuple[str, str]]:
    """Return the covariates that are the treatment or the outcome in other units.

    Each comes with the word for what it repeats.
    """
    targets = {"outcome": y[:, None], "treatment": treatment.columns(t)}
    repeated = []
    for what, columns in targets.items():
        same = (np.abs(_standard(x).T @ _standard(columns)) / len(x) > 1 - EXACT).any(axis=1)
        repeated += [(name, what) for name, hit in zip(features, same, strict=True) if hit]
    return repeated


def _standard(columns: np.ndarray) -> np.ndarray:
    """Return columns with mean 0 and spread 1; constant ones become 0."""
    columns = np.asarray(columns, np.float64)
    spread = columns.std(axis=0)
    varies = np.ptp(columns, axis=0) > 0
    return np.where(varies, (columns - columns.mean(axis=0)) / np.where(varies, spread, 1.0), 0.0)


def _follows(t: np.ndarray, y: np.ndarray) -> bool:
    """Tell whether all rows with the same treatment have the same outcome."""
    levels, position = np.unique(t, return_inverse=True)
    if len(levels) > len(t) / 2:  # most levels are one row, whose outcome is trivially the same
        return bool(np.abs(_standard(t) @ _standard(y)) / len(t) > 1 - EXACT)
    low, high = np.full(len(levels), np.inf), np.full(len(levels), -np.inf)
    np.minimum.at(low, position, y)
    np.maximum.at(high, position, y)
    return bool(np.all(low == high))
