"""Which treatment is best for each row: the arm or the dose whose outcome, less its cost, is largest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pairnet.treatments import Arms, Dose

BLOCK = 20_000  # rows looked at together, so that outcomes under many doses fit into memory
COARSE, FINE, ZOOMS = 65, 17, 3  # doses looked at first, then around the best so far, and how often

Outcome = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (x [n d], treatments [g] or [n g]) -> outcomes [n g]


def best_arm(x: np.ndarray, outcome: Outcome, arms: Arms, cost: Any, bounds: Any) -> np.ndarray:
    """Return the label of each row's best arm."""
    if bounds is not None:
        raise ValueError("bounds are for doses; this model compares arms. Leave them out.")
    if cost is not None and not isinstance(cost, Mapping):
        raise ValueError(f"cost must be a dictionary from arm to cost, for example {{{arms.labels[0]!r}: 0}}.")
    price = np.zeros(len(arms))
    for label, value in (cost or {}).items():
        price[int(arms.encode(label, "cost"))] = value
    return np.asarray(arms.labels)[np.argmax(outcome(x, np.arange(len(arms))) - price, axis=-1)]


def best_dose(x: np.ndarray, outcome: Outcome, dose: Dose, cost: Any, bounds: Any) -> np.ndarray:
    """Return each row's best dose: the best of some, then of ever finer ones around it."""
    ends = np.asarray((dose.low, dose.high) if bounds is None else bounds)
    if ends.shape != (2,) or ends.dtype.kind not in "ifu" or not ends[0] <= ends[1]:
        raise ValueError(f"bounds must be (smallest, largest) dose, got {bounds!r}.")
    price = cost if callable(cost) else lambda doses: (cost or 0.0) * doses
    first, last = dose.encode(ends, "bounds").astype(np.float64)
    found = []
    for start in range(0, len(x), BLOCK):
        rows = x[start : start + BLOCK]
        each = np.arange(len(rows))
        places = np.broadcast_to(np.linspace(first, last, COARSE), (len(rows), COARSE))
        step = (last - first) / (COARSE - 1)
        for zoom in range(ZOOMS + 1):
            worth = outcome(rows, places) - np.asarray(price(dose.amount(places)), float)
            best = places[each, np.argmax(worth, axis=1)]
            if zoom < ZOOMS:
                places = np.clip(best[:, None] + step * np.linspace(-1, 1, FINE), first, last)
                step *= 2 / (FINE - 1)
        found.append(dose.amount(best))
    return np.concatenate(found)
