"""Searches of scikit-learn train first and score afterwards: what scoring will lack must be told before, not as NaN."""

from __future__ import annotations

import sys
from typing import Any


def will_score_without_treatment(model: Any, score: Any) -> bool:
    """Tell whether a search or a cross-validation is fitting this model and will call `score` without treatments.

    Unless its metadata routing is on, scikit-learn passes a treatment on to `fit` alone, makes a warning of the error
    that `score` raises, and goes on with NaN. So `fit` looks at who called it; where that cannot be seen, all is as it
    would be without a look.
    """
    frame = sys._getframe(1)
    while frame is not None and not _is_search(frame):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None:
        return False
    search = frame.f_locals
    fitted = search.get("estimator")
    ours = model is fitted or model is getattr(fitted, "_final_estimator", None)  # alone, or at the end of a pipeline
    by_itself = type(search.get("scorer")).__name__ == "_PassthroughScorer"  # no scorer of the user's own
    return ours and by_itself and type(model).score is score and "treatment" not in (search.get("score_params") or {})


def _is_search(frame: Any) -> bool:
    return frame.f_code.co_name == "_fit_and_score" and frame.f_globals.get("__name__", "").startswith("sklearn.")
