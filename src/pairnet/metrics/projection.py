"""The best linear projection of the effect: which columns go along with larger effects?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.metrics.least_squares import Coefficients, least_squares
from pairnet.metrics.passed import numbers, numbers_of, weights

CONSTANT = "constant"


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
