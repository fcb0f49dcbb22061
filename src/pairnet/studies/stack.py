"""Studies of one shape as one study, so that their replications are fitted together."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np

from pairnet.core.types import Array, Rows
from pairnet.studies.study import Study


def stack(studies: Sequence[Study]) -> Study:
    """Return the realisations of all studies in turn; what all share is stored once."""
    first, *others = studies
    if not others:
        return first
    counts = [len(study) for study in studies]
    rows = (
        _together(getattr(study.rows, name) for study in studies) for name in ("t", "y", "weight")
    )
    propensities = [study.propensity for study in studies if study.propensity is not None]
    return dataclasses.replace(
        first,
        description=f"{first.description}, and {len(others)} more",
        rows=Rows(_shared_or_own([study.rows.x for study in studies], counts, 2), *rows),
        mu=_together(study.mu for study in studies),
        mean=_together(study.mean for study in studies),
        propensity=_together(propensities) if len(propensities) == len(studies) else None,
        train=_shared_or_own([study.train for study in studies], counts, 1),
        test=_shared_or_own([study.test for study in studies], counts, 1),
    )


def _together(values: Iterable[Array]) -> np.ndarray:
    return np.concatenate([np.asarray(value) for value in values])


def _shared_or_own(values: Sequence[Array], counts: Sequence[int], dimensions: int) -> np.ndarray:
    """Return values that all studies share without an axis; others, with each realisation's own."""
    arrays = [np.asarray(value) for value in values]
    first = arrays[0]
    is_first = lambda other: other is first or np.array_equal(other, first)
    if all(array.ndim == dimensions and is_first(array) for array in arrays):
        return first
    own = zip(arrays, counts, strict=True)
    return np.concatenate(
        [np.broadcast_to(a, (n, *a.shape)) if a.ndim == dimensions else a for a, n in own]
    )
