"""What it costs to give a row a treatment: one number, by arm, by row, or a column of the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Treatment
from pairnet.core.types import is_finite
from pairnet.core.words import shown
from pairnet.model.model import Model
from pairnet.policy.budget import MOST
from pairnet.tables.single import single_column

NUMBERS = ("number", "flag")  # kinds of columns
FORMS = "a number, a dictionary by arm, one number a row, or the name of a covariate"


@dataclass(frozen=True, eq=False)
class Costs:
    """The costs of options, each a number, a covariate by its name, or numbers by row.

    rows: how many rows the numbers by row are for.
    """

    model: Model
    options: tuple[float | str | np.ndarray, ...]

    @classmethod
    def of(cls, model: Model, cost: Any, labels: tuple[Any, ...], rows: int) -> Costs:
        """Read what a person passed; labels: of the options, the first for nobody.

        A number, a column and a name are what every option but the first costs.
        """
        if not isinstance(cost, Mapping):
            one = _one(cost, rows)
            return cls(model, (0.0, *(one for _ in labels[1:])))
        known: dict[Any, float | str | np.ndarray] = dict.fromkeys(labels, 0.0)
        for label, value in cost.items():
            _check_named(model.treatment, label)
            if label in known:
                known[label] = _one(value, rows)
        return cls(model, tuple(known.values()))

    @classmethod
    def of_unit(cls, model: Model, cost: Any, rows: int) -> Costs:
        """Read what a unit of dose costs; None is nothing."""
        return cls(model, (0.0 if cost is None else _one(cost, rows),))

    @property
    def by_row(self) -> bool:
        """Whether some costs are known for the rows alone for which they were passed."""
        return any(isinstance(cost, np.ndarray) for cost in self.options)

    def table(
        self, x: Float[np.ndarray, "n d"], place: Int[np.ndarray, " n"] | None
    ) -> Float[np.ndarray, "n o"] | None:
        """Return the costs of encoded rows, or None where they are not known.

        place: which of the rows that costs were passed for each of them is, if that is known.
        """
        if self.by_row and place is None:
            return None
        columns = [self._column(cost, x, place) for cost in self.options]
        return np.stack([np.broadcast_to(column, len(x)) for column in columns], axis=1)

    def _column(self, cost: Any, x: np.ndarray, place: np.ndarray | None) -> Any:
        if isinstance(cost, str):
            return _of_covariate(self.model, cost, x)
        return cost[place] if isinstance(cost, np.ndarray) else cost


def _one(cost: Any, rows: int) -> float | str | np.ndarray:
    """Return a number, a name, or a number a row, or raise."""
    if isinstance(cost, str):
        return cost
    if is_finite(cost):
        return _not_too_large(np.asarray(float(cost))).item()
    if np.ndim(cost) == 0 and not hasattr(cost, "__len__"):
        raise BadInput("cost", f"must be {FORMS}, got {shown(cost)}")
    column = single_column(cost, "cost", rows, wanted="numbers", advice="Pass the costs of X.")
    if column.dtype.kind not in "biuf":
        raise BadInput("cost", f"must be {FORMS}, got {shown(cost)}")
    return _not_too_large(column.astype(float))


def _not_too_large(values: np.ndarray) -> np.ndarray:
    if not (np.abs(values) <= MOST).all():
        raise BadInput("cost", f"must be numbers up to {MOST:g}", "Use a larger unit.")
    return values


def _check_named(treatment: Treatment, label: Any) -> None:
    arms = treatment.shown_against(None, None)
    if label not in arms:
        labels = ", ".join(map(repr, arms[:10]))
        raise BadInput("cost", f"names {shown(label)}, which is no arm: expected some of {labels}")


def _of_covariate(model: Model, name: str, x: np.ndarray) -> Float[np.ndarray, " n"]:
    """Return the numbers of a covariate of encoded rows."""
    for column, block in model.schema.blocks(x):
        if column.name == name and column.kind in NUMBERS:
            if block.shape[1] > 1 and block[:, 1].any():
                problem = f"is the covariate {name!r}, which is missing in some rows"
                raise BadInput("cost", problem, "Pass one number a row.")
            return block[:, 0]
    known = [str(column.name) for column in model.schema.columns if column.kind in NUMBERS]
    problem = f"must name a covariate that is a number, got {shown(name)}"
    advice = f"There are {', '.join(known[:8])}. " if known else ""
    raise BadInput("cost", problem, advice + "Of another column pass its numbers, one a row of X.")
