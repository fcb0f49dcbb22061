"""Which columns cause a warning: where the rows that it is about are unlike the others."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.errors import listed
from pairnet.report.model.subject import Subject

MOST = 3  # columns that are named
UNLIKE = 0.5  # standard deviations: a smaller difference causes nothing
MANY = 0.9  # with more of the rows flagged, there are too few others to compare with


def unlike(subject: Subject, rows: Int[np.ndarray, " k"], flagged: Bool[np.ndarray, " k"]) -> str:
    """Say in which covariates some rows are most unlike the others.

    rows: which rows are looked at. Where nearly all are flagged, who had which treatment is
    compared instead.
    """
    if 0 < flagged.mean() <= MANY:
        names = _names(subject, differences(subject.x[rows], flagged))
        return f"They differ from the others most in {names}." if names else ""
    if subject.t is None or subject.treatment.whole_range:
        return ""
    second = subject.t == subject.inside(subject.labels[1])
    names = _names(subject, differences(subject.x, second))
    return f"Those with {subject.arm(subject.labels[1])} differ most in {names}." if names else ""


def differences(
    x: Float[np.ndarray, "n d"], flagged: Bool[np.ndarray, " n"]
) -> Float[np.ndarray, " d"]:
    """Return how far flagged rows lie from the others, in standard deviations, by covariate."""
    if flagged.all() or not flagged.any():
        return np.zeros(x.shape[1])
    spread = x.std(axis=0)
    apart = np.abs(x[flagged].mean(axis=0) - x[~flagged].mean(axis=0))
    return np.asarray(apart / np.where(spread > 0, spread, np.inf))


def columns_of(subject: Subject, apart: Float[np.ndarray, " d"], least: float) -> list[str]:
    """Return the names of the columns that are farthest apart, the farthest first."""
    farthest, start = [], 0
    for column in subject.schema.columns:
        end = start + len(column.features)
        if end > start:
            farthest.append((float(np.max(apart[start:end])), str(column.name)))
        start = end
    return [name for far, name in sorted(farthest, key=lambda one: -one[0]) if far > least]


def _names(subject: Subject, apart: Float[np.ndarray, " d"]) -> str:
    names = columns_of(subject, apart, UNLIKE)[:MOST]
    return listed(names) if names else ""
