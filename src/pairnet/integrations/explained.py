"""What each covariate adds to an effect, by SHAP's general explainer, for any function of rows.

It asks about many changed rows for each row, so it is for few rows; each answer is exact for few
covariates, and a sample of orders for many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pairnet.core.errors import BadInput, NotInstalled
from pairnet.tables import opened


def explained(
    effects: Callable[[np.ndarray], np.ndarray],
    X: Any,
    names: Sequence[str],
    background: int | None,
) -> list[Any]:
    """Return an Explanation of SHAP for each column of what `effects` returns.

    background: how many rows of X stand for what a row might have been; None takes all.
    """
    try:
        import shap
    except ImportError:
        raise NotInstalled("shap_values needs", "SHAP", "'pairnet[shap]'") from None
    rows = np.asarray(opened(X).native())
    if rows.dtype.kind not in "bifu":
        raise BadInput("X", "must hold numbers alone for shap_values", "Encode text first.")
    count = len(rows) if background is None else min(int(background), len(rows))
    masker = shap.maskers.Independent(rows.astype(float), max_samples=count)
    found = shap.Explainer(effects, masker)(rows.astype(float))
    values = found.values.reshape(*rows.shape, -1)
    bases = np.asarray(found.base_values).reshape(len(rows), -1)
    return [
        shap.Explanation(
            values[..., column], bases[:, column], data=found.data, feature_names=list(names)
        )
        for column in range(values.shape[-1])
    ]
