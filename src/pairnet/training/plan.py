"""How to train: the plan that a person writes, and the schedule that it means for a table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from pairnet.core.errors import BadInput
from pairnet.core.types import is_computable, is_number, is_one_of, is_whole, too_large
from pairnet.core.words import shown

ROUND = 50  # the most steps between two looks at the validation rows when steps are counted
# the most validation rows when steps are counted: more would not make stopping any surer
VALIDATION_ROWS = 5000


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How to train; every method takes one. The default is ours, `Plan.published()` the paper's.

    Lengths of time (`patience`, `longest`) are counted in `unit`: in optimiser steps, so that a
    table of a million rows needs a few passes and not hundreds, or in epochs, as in the paper.
    `docs/plans.md` says how the default was set.
    """

    learning_rate: float = 1e-3
    # None: it grows with the square root of the number of rows, and is 100 at IHDP's size
    batch_size: int | None = None
    unit: Literal["steps", "epochs"] = "steps"
    patience: int = 500  # stop after so long without a better validation loss
    # by which share a loss must be smaller for patience to start anew
    tolerance: float = 3e-3
    longest: int = 20_000  # stop in any case
    warm_up: int = 200  # steps before patience begins to count
    validation: float = 0.3  # share of rows, stratified by arm, that decide when to stop
    keep: Literal["best", "last"] = "best"  # which weights are returned
    scale: Literal["noise", "raw"] = "noise"  # the outcome's unit in training: its noise or its own
    # what l2=None means: the best of several on held-out rows, or 300 / rows (see Layered)
    penalty: Literal["chosen", "rows"] = "chosen"
    standardise: bool = True  # covariates: numbers by standard deviation, flags by their range

    def __post_init__(self) -> None:
        checks = {
            "learning_rate": is_computable(self.learning_rate)
            and 0 < self.learning_rate < math.inf,
            "batch_size": self.batch_size is None
            or (is_whole(self.batch_size) and self.batch_size >= 2),
            "unit": is_one_of(self.unit, ("steps", "epochs")),
            "patience": is_whole(self.patience) and self.patience >= 1,
            "tolerance": is_number(self.tolerance) and 0 <= self.tolerance < 1,
            "longest": is_whole(self.longest) and self.longest >= 1,
            "warm_up": is_whole(self.warm_up) and self.warm_up >= 0,
            "validation": is_number(self.validation) and 0 < self.validation < 1,
            "keep": is_one_of(self.keep, ("best", "last")),
            "scale": is_one_of(self.scale, ("noise", "raw")),
            "penalty": is_one_of(self.penalty, ("chosen", "rows")),
        }
        for name, good in checks.items():
            if not good:
                value = getattr(self, name)
                problem = f"must be {_EXPECTED[name]}, got {shown(value)}{too_large(value)}"
                raise BadInput(f"Plan.{name}", problem)

    @classmethod
    def published(cls, kind: Literal["arms", "dose"] = "arms", **changes: Any) -> Plan:
        """Return the paper's protocol: Adam 1e-4, batches of 100, 10 epochs of patience.

        The last weights are kept. For doses the learning rate is 1e-3, as in the authors' code (the
        paper's text says 1e-4), and the longest training depends on the study: 1000 epochs for
        IHDP, 400 for News, 200 for TCGA.
        """
        if not is_one_of(kind, ("arms", "dose")):
            raise BadInput("Plan.published", f"needs 'arms' or 'dose', got {kind!r}")
        values: dict[str, Any] = {
            "learning_rate": 1e-4 if kind == "arms" else 1e-3,
            "batch_size": 100,
            "unit": "epochs",
            "patience": 10,
            "tolerance": 0.0,
            "longest": 1000,
            "keep": "last",
            "scale": "raw",
            "penalty": "rows",
            "standardise": False,
        }
        return cls(**(values | changes))

    @property
    def chooses_penalty(self) -> bool:
        """Whether held-out rows choose the penalty where a method leaves it open."""
        return self.penalty == "chosen" and self.scale == "noise"

    def schedule(self, rows: int, rarest: int) -> Schedule:
        """Return the schedule for a table of `rows` rows, `rarest` of them in its rarest arm."""
        in_steps = self.unit == "steps"
        held_out = max(1, round(self.validation * rows))
        if in_steps:  # more rows would not help, but some ten rows of the rarest arm are kept
            held_out = min(held_out, max(VALIDATION_ROWS, 10 * rows // rarest))
        training = rows - held_out
        batch = self.batch_size or round(100 * max(1.0, math.sqrt(training / 500)))
        steps = _ceil(training, min(batch, training))  # of one pass over the rows
        rounds = _ceil(steps, ROUND) if in_steps else 1  # of one pass
        per_round = _ceil(steps, rounds)
        length = _ceil(training, rounds * per_round)
        rounds_of = lambda time: _ceil(time, per_round) if in_steps else time
        return Schedule(
            shape=Shape(training, held_out, batch=length, steps=per_round, rounds=rounds),
            patience=rounds_of(self.patience),
            warm_up=_ceil(self.warm_up, per_round),
            longest=rounds_of(self.longest),
        )


class Shape(NamedTuple):
    """The part of a schedule that decides the shapes of arrays, and so the compiled program."""

    training: int  # rows
    held_out: int  # rows
    batch: int  # rows a step; all batches are of one size
    steps: int  # a round
    rounds: int  # a pass over the training rows


class Schedule(NamedTuple):
    """A plan for one table. A *round* is some steps, then one look at the validation rows."""

    shape: Shape
    patience: int  # rounds
    warm_up: int  # rounds
    longest: int  # rounds


def _ceil(count: int, size: int) -> int:
    """Return how many parts of a size are needed for a count."""
    return -(-int(count) // size)  # of numpy, small types would overflow


_EXPECTED = {
    "learning_rate": "a positive number",
    "batch_size": "a whole number, at least 2, or None to let it grow with the rows",
    "unit": "'steps' or 'epochs'",
    "patience": "a whole number, at least 1",
    "tolerance": "a share from 0 up to, not including, 1",
    "longest": "a whole number, at least 1",
    "warm_up": "a whole number, 0 or more",
    "validation": "a share between 0 and 1 (0.3 keeps 30 % of the rows to decide when to stop)",
    "keep": "'best' or 'last'",
    "scale": "'noise' or 'raw'",
    "penalty": "'chosen' (by held-out rows) or 'rows' (300 / rows)",
}
