"""The summary of a fit as plain JSON: kept with the model, and checked when it is read."""

from __future__ import annotations

import platform
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from pairnet import __version__
from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.treatments import Treatment
from pairnet.core.types import Rows, is_count, is_finite
from pairnet.evidence.refutation import Refutation
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
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "pairnet": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("jax", "numpy")},
        },
        "names": names,
    }


def check_summary(
    value: Any, treatment: Treatment, outcome: AbstractOutcome, width: int, members: int
) -> None:
    """Raise if a value is not what `summary` makes of such a model.

    width: the number of encoded columns.
    """
    by_member = lambda good: (
        lambda values: (
            isinstance(values, list) and len(values) in (0, members) and all(map(good, values))
        )
    )
    by_name = lambda good: (
        lambda values: isinstance(values, dict) and all(map(good, values.values()))
    )
    low, high = outcome.bounds
    checks: dict[str, Any] = {
        "rows": lambda rows: is_count(rows) and rows > 0,
        "covariates": lambda covariates: covariates == width,
        "treatment": treatment.summary_checks(),
        "outcome": {
            "kind": lambda kind: kind == outcome.name,
            "mean": lambda mean: is_finite(mean) and low <= mean <= high,
            "sd": _is_positive,
        },
        "rounds": by_name(by_member(is_count)),
        "held_out_score": by_member(is_finite),
        "seconds": _is_positive,
        "versions": by_name(_is_text),
    }
    if isinstance(value, dict) and "names" in value:
        checks["names"] = by_name(_is_text)
    if isinstance(value, dict) and "refutation" in value:
        Refutation.from_json(value["refutation"])
    if isinstance(value, dict) and "made" in value:  # models of older versions do not say when
        checks["made"] = _is_time
    if isinstance(value, dict) and "source" in value:
        checks["source"] = {"file": _is_text, "sha256": _is_text, "rows": is_count}
        checks["source"]["command"] = _is_text
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


def _is_positive(value: Any) -> bool:
    return is_finite(value) and value >= 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_time(value: Any) -> bool:
    try:
        return bool(datetime.fromisoformat(value))
    except (TypeError, ValueError):
        return False
