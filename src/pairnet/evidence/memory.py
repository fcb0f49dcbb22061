"""What a fitted model remembers of the rows it learned from."""

from __future__ import annotations

import math
import platform
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from pairnet import __version__
from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.treatments import Arms, Treatment
from pairnet.core.types import Rows, is_number, is_whole
from pairnet.inference.propensity import Propensity
from pairnet.inference.resampling import REMEMBERED, generator
from pairnet.training import Fitted

MOST_ROWS = 20_000  # remembered: more would make a saved model large and the evidence no better


@dataclass(frozen=True, eq=False)
class Training:
    """The rows of a fit: all of them, or a random sample of 20,000, and a summary of the training
    as plain JSON.

    Covariates are encoded as networks see them before scaling, treatments are arms' positions or
    doses' places, and `row` numbers the rows of the table as it was given to `fit`. `draws` says
    how often each member of the ensemble drew each row to train on: 0 where it never saw it.
    """

    x: Float[np.ndarray, "n d"]
    t: Float[np.ndarray, " n"]
    y: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]
    row: Int[np.ndarray, " n"]
    draws: Int[np.ndarray, "m n"]
    summary: dict[str, Any]

    @classmethod
    def of(
        cls,
        rows: Rows,
        row: Int[np.ndarray, " n"],
        draws: Int[np.ndarray, "m n"],
        summary: dict[str, Any],
        seed: int,
    ) -> Training:
        """Remember rows (one replication, in canonical order), so that shuffling the table changes
        nothing."""
        count = len(row)
        kept = np.arange(count)
        if count > MOST_ROWS:
            kept = np.sort(generator(seed, REMEMBERED).choice(count, MOST_ROWS, replace=False))
        x, t, y, weight = (
            np.asarray(values, np.float64)[kept] for values in (rows.x, rows.t, rows.y, rows.weight)
        )
        x = x.astype(np.float32).astype(
            np.float64
        )  # as exact as networks see it, and half as large in a file
        return cls(
            x,
            t,
            y,
            weight,
            np.asarray(row, np.int64)[kept],
            np.asarray(draws, np.int16)[:, kept],
            summary,
        )

    def __len__(self) -> int:
        return len(self.t)

    @cached_property
    def propensity(self) -> Propensity:
        """Who was treated how (arms only); made when it is first asked for."""
        return Propensity(self.x, self.t, self.weight)


def summary(
    rows: Rows, kind: Treatment, outcome: AbstractOutcome, fitted: Fitted, seconds: float
) -> dict[str, Any]:
    """Return what there is to say of a training, as plain JSON."""
    t, y = np.asarray(rows.t[0]), np.asarray(rows.y[0])
    return {
        "rows": len(t),
        "covariates": int(rows.x.shape[-1]),
        "treatment": _of_treatment(t, kind),
        "outcome": {
            "kind": type(outcome).__name__.lower(),
            "mean": float(y.mean()),
            "sd": float(y.std()),
        },
        "rounds": {name: np.asarray(rounds)[0].tolist() for name, rounds in fitted.rounds.items()},
        "held_out_score": np.asarray(fitted.score, np.float64)[
            0
        ].tolist(),  # the last stage's loss, in its own units
        "seconds": round(seconds, 3),
        "versions": {
            "pairnet": __version__,
            "python": platform.python_version(),
            **{name: version(name) for name in ("jax", "numpy")},
        },
    }


def check_summary(said: Any, kind: Treatment, members: int) -> None:
    """Raise if this is not what `summary` makes of such a model: whoever reads it need not look
    twice."""
    each = lambda good: (
        lambda value: isinstance(value, list) and len(value) == members and all(map(good, value))
    )
    by_name = lambda good: lambda value: isinstance(value, dict) and all(map(good, value.values()))
    wanted: dict[str, Any] = {
        "rows": _is_count,
        "covariates": _is_count,
        "treatment": {
            "kind": lambda value: value == "dose",
            "low": _is_finite,
            "high": _is_finite,
            "mean": _is_finite,
        },
        "outcome": {"kind": _is_text, "mean": _is_finite, "sd": _is_finite},
        "rounds": by_name(each(is_whole)),
        "held_out_score": each(_is_finite),
        "seconds": _is_finite,
        "versions": by_name(_is_text),
    }
    if isinstance(kind, Arms):
        wanted["treatment"] = {
            "kind": lambda value: value == "arms",
            "arms": partial(_are_arms, kind),
        }
    if isinstance(said, dict) and "names" in said:
        wanted["names"] = by_name(_is_text)
    _check(said, wanted, "summary")


def _check(said: Any, wanted: dict[str, Any], where: str) -> None:
    if not isinstance(said, dict):
        raise ValueError(f"its {where} is not a JSON object")
    for name, good in wanted.items():
        if name not in said:
            raise ValueError(f"its {where} lacks {name!r}")
        if isinstance(good, dict):
            _check(said[name], good, f"{where}'s {name}")
        elif not good(said[name]):
            raise ValueError(f"its {where} has the {name} {str(said[name])[:100]}")


def _are_arms(kind: Arms, value: Any) -> bool:
    good = lambda each: isinstance(each, dict) and is_whole(each.get("rows"))
    return (
        isinstance(value, list)
        and all(map(good, value))
        and [a.get("arm") for a in value] == list(kind.labels)
    )


def _is_count(value: Any) -> bool:
    return is_whole(value) and value >= 1


def _is_finite(value: Any) -> bool:
    return is_number(value) and math.isfinite(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _of_treatment(t: np.ndarray, kind: Treatment) -> dict[str, Any]:
    if isinstance(kind, Arms):
        counts = np.bincount(t.astype(int), minlength=len(kind))
        arms = [
            {"arm": label, "rows": int(count)}
            for label, count in zip(kind.labels, counts, strict=True)
        ]
        return {"kind": "arms", "arms": arms}
    return {
        "kind": "dose",
        "low": kind.low,
        "high": kind.high,
        "mean": float(kind.amount(t).mean()),
    }
