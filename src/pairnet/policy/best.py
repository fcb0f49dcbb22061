"""Which treatment is best for each row: the one whose outcome, less its cost, is largest."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.missing import unmasked
from pairnet.core.treatments import Arms, Dose, Treatment
from pairnet.core.types import is_number
from pairnet.core.words import shown

ROWS_IN_BLOCK = 20_000  # so that outcomes of these rows under many doses fit into memory
COARSE, FINE, ZOOMS = 65, 17, 3  # doses tried first, then around the best, and how many times

# (x [n d], treatments [g] or [n g]) -> outcomes [n g]
Outcomes = Callable[[np.ndarray, np.ndarray], np.ndarray]


@singledispatch
def best_treatment(
    treatment: Treatment, x: np.ndarray, outcomes: Outcomes, cost: Any, bounds: Any
) -> np.ndarray:
    """Return the label of each row's best treatment; kinds of treatment register functions."""
    raise TypeError(f"There is no way to choose among treatments like {treatment!r}.")


@best_treatment.register
def _best_arm(arms: Arms, x: np.ndarray, outcomes: Outcomes, cost: Any, bounds: Any) -> np.ndarray:
    if bounds is not None:
        raise BadInput("bounds", "are for doses; this model compares arms", "Leave them out.")
    worth = outcomes(x, np.arange(len(arms))) - _prices(arms, cost)
    return np.asarray(arms.labels)[np.argmax(worth, axis=-1)]


@best_treatment.register
def _best_dose(dose: Dose, x: np.ndarray, outcomes: Outcomes, cost: Any, bounds: Any) -> np.ndarray:
    """Try a grid of doses, then finer and finer grids around the best dose so far."""
    ends = ends_of(dose, bounds)
    if not (cost is None or callable(cost) or _is_finite(cost)):
        raise BadInput(
            "cost",
            "must be a number (per unit of dose) or a function of an array of doses, got "
            f"{shown(cost)}",
        )
    dose.encode(ends, "bounds")  # warns of doses that were not observed
    first, last = dose.place(ends)
    chosen = []
    for start in range(0, len(x), ROWS_IN_BLOCK):
        rows = x[start : start + ROWS_IN_BLOCK]
        places = np.broadcast_to(np.linspace(first, last, COARSE), (len(rows), COARSE))
        step = (last - first) / (COARSE - 1)
        for zoom in range(ZOOMS + 1):
            worth = outcomes(rows, places) - price_of(cost, dose.amount(places))
            best = places[np.arange(len(rows)), np.argmax(worth, axis=1)]
            if zoom < ZOOMS:
                around = best[:, None] + step * np.linspace(-1, 1, FINE)
                places = np.clip(around, first, last)
                step *= 2 / (FINE - 1)
        chosen.append(np.clip(dose.amount(best), *ends))
    return np.concatenate(chosen)


def _prices(arms: Arms, cost: Any) -> np.ndarray:
    """Return the cost of each arm."""
    if cost is not None and not isinstance(cost, Mapping):
        example = f"{{{arms.in_order[0]!r}: 0, {arms.in_order[-1]!r}: 2.5}}"
        raise BadInput(
            "cost", f"must be a dictionary from arm to cost, as {example}, got {shown(cost)}"
        )
    price = np.zeros(len(arms))
    for label, value in (cost or {}).items():
        if label not in arms.labels:
            labels = ", ".join(map(repr, arms.in_order))
            raise BadInput("cost", f"names {label!r}, which is no arm: expected some of {labels}")
        if not _is_finite(value):
            raise BadInput("cost", f"of arm {label!r} must be a number, got {shown(value)}")
        price[arms.labels.index(label)] = value
    return price


def ends_of(dose: Dose, bounds: Any) -> np.ndarray:
    """Return the smallest and the largest dose to choose from."""
    try:
        ends = np.asarray((dose.low, dose.high) if bounds is None else unmasked(bounds))
    except ValueError:
        ends = np.zeros(0)
    if ends.shape != (2,) or ends.dtype.kind not in "ifu" or not ends[0] <= ends[1]:
        raise BadInput("bounds", f"must be (smallest, largest) dose, got {shown(bounds)}")
    return ends


def price_of(cost: Any, doses: np.ndarray) -> np.ndarray:
    """Return the cost of doses."""
    if not callable(cost):
        return float(cost or 0.0) * doses
    try:
        with np.errstate(all="ignore"):  # what is no number is told below
            paid = np.asarray(cost(doses), float)
    except (TypeError, ValueError):
        paid = np.asarray(np.nan)
    if paid.shape not in ((), doses.shape) or not np.isfinite(paid).all():
        raise BadInput(
            "cost",
            "must return a finite number for each dose of an array of doses (np.where, not if)",
        )
    return paid


def _is_finite(value: object) -> bool:
    return is_number(value) and math.isfinite(value)  # type: ignore[arg-type]
