"""Which treatment is best for each row: the arm or the dose whose outcome, less its cost, is
largest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pairnet.core.treatments import Arms, Dose
from pairnet.core.types import is_number

BLOCK = 20_000  # rows looked at together, so that outcomes under many doses fit into memory
COARSE, FINE, ZOOMS = 65, 17, 3  # doses looked at first, then around the best so far, and how often

Outcome = Callable[
    [np.ndarray, np.ndarray], np.ndarray
]  # (x [n d], treatments [g] or [n g]) -> outcomes [n g]


def best_arm(x: np.ndarray, outcome: Outcome, arms: Arms, cost: Any, bounds: Any) -> np.ndarray:
    """Return the label of each row's best arm."""
    if bounds is not None:
        raise ValueError("bounds are for doses; this model compares arms. Leave them out.")
    if cost is not None and not isinstance(cost, Mapping):
        example = f"{{{arms.labels[0]!r}: 0, {arms.labels[-1]!r}: 2.5}}"
        raise ValueError(f"cost must be a dictionary from arm to cost, as {example}, got {cost!r}.")
    price = np.zeros(len(arms))
    for label, value in (cost or {}).items():
        if label not in arms.labels:
            raise ValueError(
                f"cost names {label!r}, which is no arm: expected some of "
                f"{', '.join(map(repr, arms.labels))}."
            )
        if not _finite_number(value):
            raise ValueError(f"cost of arm {label!r} must be a number, got {value!r}.")
        price[arms.labels.index(label)] = value
    return np.asarray(arms.labels)[np.argmax(outcome(x, np.arange(len(arms))) - price, axis=-1)]


def best_dose(x: np.ndarray, outcome: Outcome, dose: Dose, cost: Any, bounds: Any) -> np.ndarray:
    """Return each row's best dose: the best of some, then of ever finer ones around it."""
    try:
        ends = np.asarray((dose.low, dose.high) if bounds is None else bounds)
    except ValueError:
        ends = np.zeros(0)
    if ends.shape != (2,) or ends.dtype.kind not in "ifu" or not ends[0] <= ends[1]:
        raise ValueError(f"bounds must be (smallest, largest) dose, got {bounds!r}.")
    if not (cost is None or callable(cost) or _finite_number(cost)):
        raise ValueError(
            "cost must be a number (per unit of dose) or a function of an array of doses, got "
            f"{cost!r}."
        )
    dose.encode(ends, "bounds")  # warns of doses that were not observed
    first, last = dose.place(ends)
    found = []
    for start in range(0, len(x), BLOCK):
        rows = x[start : start + BLOCK]
        each = np.arange(len(rows))
        places = np.broadcast_to(np.linspace(first, last, COARSE), (len(rows), COARSE))
        step = (last - first) / (COARSE - 1)
        for zoom in range(ZOOMS + 1):
            worth = outcome(rows, places) - _price(cost, dose.amount(places))
            best = places[each, np.argmax(worth, axis=1)]
            if zoom < ZOOMS:
                places = np.clip(best[:, None] + step * np.linspace(-1, 1, FINE), first, last)
                step *= 2 / (FINE - 1)
        found.append(np.clip(dose.amount(best), *ends))
    return np.concatenate(found)


def _price(cost: Any, doses: np.ndarray) -> np.ndarray:
    """Return what doses cost."""
    if not callable(cost):
        return (cost or 0.0) * doses
    try:
        paid = np.asarray(cost(doses), float)
    except (TypeError, ValueError):
        paid = np.asarray(np.nan)
    if paid.shape not in ((), doses.shape) or not np.isfinite(paid).all():
        raise ValueError(
            "cost must return a finite number for each dose of an array of doses (np.where, not "
            "if)."
        )
    return paid


def _finite_number(value: object) -> bool:
    return is_number(value) and bool(np.isfinite(value))  # type: ignore[call-overload]
