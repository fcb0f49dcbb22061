"""The summary of a fit as plain JSON: kept with the model, and checked when it is read."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import numpy as np

from pairnet import __version__
from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.treatments import Treatment
from pairnet.core.types import Rows, is_number, is_whole
from pairnet.model.predictor import AbstractPredictor, Log

Check = Callable[[Any], bool]


def summary(
    rows: Rows,
    treatment: Treatment,
    outcome: AbstractOutcome,
    predictor: AbstractPredictor,
    seconds: float,
    names: dict[str, str],
) -> dict[str, Any]:
    """Return the summary of a fit to rows (one replication)."""
    log = predictor.log() or Log({}, [])
    return {
        "rows": len(rows.t),
        "covariates": int(rows.x.shape[-1]),
        "treatment": treatment.summary(np.asarray(rows.t)),
        "outcome": outcome.summary(np.asarray(rows.y)),
        "rounds": log.rounds,
        "held_out_score": log.held_out_score,  # the last stage's loss, in its own units
        "seconds": round(seconds, 3),
        "versions": {
            "pairnet": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("jax", "numpy")},
        },
        "names": names,
    }


def check_summary(value: Any, treatment: Treatment, members: int) -> None:
    """Raise if a value is not what `summary` makes of such a model."""
    by_member = lambda good: (
        lambda values: (
            isinstance(values, list) and len(values) in (0, members) and all(map(good, values))
        )
    )
    by_name = lambda good: (
        lambda values: isinstance(values, dict) and all(map(good, values.values()))
    )
    checks: dict[str, Any] = {
        "rows": _is_count,
        "covariates": _is_count,
        "treatment": treatment.summary_checks(),
        "outcome": {"kind": _is_text, "mean": _is_finite, "sd": _is_finite},
        "rounds": by_name(by_member(is_whole)),
        "held_out_score": by_member(_is_finite),
        "seconds": _is_finite,
        "versions": by_name(_is_text),
    }
    if isinstance(value, dict) and "names" in value:
        checks["names"] = by_name(_is_text)
    _check(value, checks, "summary")


def _check(value: Any, checks: dict[str, Any], place: str) -> None:
    if not isinstance(value, dict):
        raise ValueError(f"its {place} is not a JSON object")
    for name, good in checks.items():
        if name not in value:
            raise ValueError(f"its {place} lacks {name!r}")
        if isinstance(good, dict):
            _check(value[name], good, f"{place}'s {name}")
        elif not good(value[name]):
            raise ValueError(f"its {place} has the {name} {str(value[name])[:100]}")


def _is_count(value: Any) -> bool:
    return is_whole(value) and value >= 1


def _is_finite(value: Any) -> bool:
    return is_number(value) and math.isfinite(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
