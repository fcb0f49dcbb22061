"""Does the table give the answer away? Covariates that tell the treatment or the outcome.

A covariate that was measured after the treatment, or made from the outcome, makes effects vanish;
one that decides the treatment leaves nobody alike to compare. Both show in that they predict rows
not seen almost perfectly, alone or two together.

Almost means all but 1/1000 of the variance of the outcome's ranks, all but 1/200 of the rows of
both values of a yes / no outcome, or all but 1/50 of the rows of *both* arms (and one row more, at
the edge of a step). A covariate of before the treatment cannot
know its effect: where two equal arms are drawn by lot, an effect of 6 % of the outcome's spread
already leaves 1/1000. So a good predictor is no leak (R2 0.9, or 0.99, as an outcome's value of
the year before may have), nor is an outcome without noise that many covariates make, or one
covariate and the treatment: there the covariate does not hold the effect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import Argument, InPython, Part, listed
from pairnet.core.notices import notice
from pairnet.core.treatments import Treatment
from pairnet.evidence.prediction import MISSED_OF_ARM, Column, Target
from pairnet.tables import Schema

CHECKED = 20_000  # the most rows that are looked at for exact copies
MOST_LOOKED_AT = 1_000_000  # rows; what predicts well shows in so many
EXACT = 1e-9


@dataclass(frozen=True)
class Leak:
    """Columns that tell the outcome or the treatment.

    columns: one name, or two that do it together. tells: "outcome" or "treatment". exact: whether
    one column is the other in other units.
    """

    columns: tuple[str | int, ...]
    tells: str
    exact: bool

    @property
    def problem(self) -> str:
        """What the columns do, to be written behind their names."""
        if self.exact:
            return f"repeats the {self.tells} exactly."
        verb = "predicts" if len(self.columns) == 1 else "together predict"
        return f"{verb} the {self.tells} almost perfectly on rows not seen."

    @property
    def advice(self) -> tuple[Part, ...]:
        """What that may mean, and what to do."""
        on_the_command_line = InPython("", " with --ignore")
        if self.exact:
            return "Leave it out", on_the_command_line, ", or effects say nothing."
        two = len(self.columns) > 1
        may = f"{'One of them' if two else 'It'} may have been measured after the treatment"
        out = f"leave {'that one' if two else 'it'} out"
        if self.tells == "outcome":
            made = f"{may}, or made from the outcome: then {out}"
            return made, on_the_command_line, ", or effects say nothing."
        decides = (
            f". If {'they decide' if two else 'it decides'} who is treated, nobody alike was "
            "treated otherwise, and effects are extrapolated."
        )
        return f"{may}, or made from it: then {out}", on_the_command_line, decides

    def __str__(self) -> str:
        """The leak in a sentence: which columns, and what they tell."""
        names = listed([repr(str(name)) for name in self.columns])
        return f"The covariate{'s' * (len(self.columns) > 1)} {names} {self.problem}"


def announce_leaks(
    schema: Schema,
    x: Float[np.ndarray, "n d"],
    t: Float[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    treatment: Treatment,
) -> None:
    """Warn if the outcome only repeats the treatment, or covariates tell one of the two."""
    some = _some(len(t))
    if _follows(t[some], y[some]):
        notice(
            Argument("y"),
            " follows from the treatment exactly: it looks like the treatment under another name, "
            "and effects of it say nothing. Is it the right column?",
        )
    drawn = _some(len(t), MOST_LOOKED_AT)
    for leak in leaks(schema, x[drawn], t[drawn], y[drawn], treatment):
        notice(f"{leak} ", *leak.advice)


def leaks(
    schema: Schema,
    x: Float[np.ndarray, "n d"],
    t: Float[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    treatment: Treatment,
) -> list[Leak]:
    """Return the columns that tell the outcome or the treatment: alone first, then two together.

    A column is named once for each of the two.
    """
    some = _some(len(t))
    copies = repeats(schema.features, x[some], t[some], y[some], treatment)
    columns = [column for column, _ in schema.blocks(x)]
    found = [
        Leak((column.name,), what, exact=True)
        for column in columns
        for what in ("outcome", "treatment")
        if any((feature, what) in copies for feature in column.features)
    ]
    read = [_read(column.kind, block) for column, block in schema.blocks(x)]
    group = treatment.groups(t)[1]
    number = lambda values: Target.number(values, len(read))
    arms = Target.classes(group, len(read), MISSED_OF_ARM)
    received = number(t) if treatment.whole_range else arms
    for what, target in {"outcome": number(y), "treatment": received}.items():
        known = {leak.columns[0] for leak in found if leak.tells == what}
        for column, values in zip(columns, read, strict=True):
            if column.name not in known and target.told_by(values):
                found.append(Leak((column.name,), what, exact=False))
                known.add(column.name)
        others = [k for k, column in enumerate(columns) if column.name not in known]
        for pair in target.told_by_two([read[k] for k in others]):
            names = tuple(columns[others[k]].name for k in pair)
            found.append(Leak(names, what, exact=False))
    return found


def repeats(
    features: Sequence[str],
    x: Float[np.ndarray, "n d"],
    t: Float[np.ndarray, " n"],
    y: Float[np.ndarray, " n"],
    treatment: Treatment,
) -> list[tuple[str, str]]:
    """Return the covariates that are the treatment or the outcome in other units.

    Each comes with the word for what it repeats.
    """
    targets = {"outcome": y[:, None], "treatment": treatment.columns(t)}
    repeated = []
    for what, columns in targets.items():
        same = (np.abs(_standard(x).T @ _standard(columns)) / len(x) > 1 - EXACT).any(axis=1)
        repeated += [(name, what) for name, hit in zip(features, same, strict=True) if hit]
    return repeated


def _some(rows: int, most: int = CHECKED) -> np.ndarray | slice:
    """Return rows at even steps, not too many."""
    if rows <= most:
        return slice(None)
    return np.linspace(0, rows - 1, most).astype(int)


def _read(kind: str, block: np.ndarray) -> Column:
    """Return a column as one number for each row: the number itself, or the number of its level."""
    if kind == "category":
        level = block @ np.arange(1.0, block.shape[1] + 1)
        return Column(level, np.zeros(len(block), bool), is_number=False)
    missing = block[:, 1] == 1 if block.shape[1] > 1 else np.zeros(len(block), bool)
    return Column(np.asarray(block[:, 0], np.float64), missing, is_number=True)


def _standard(columns: np.ndarray) -> np.ndarray:
    """Return columns with mean 0 and spread 1; constant ones become 0."""
    columns = np.asarray(columns, np.float64)
    spread = columns.std(axis=0)
    varies = np.ptp(columns, axis=0) > 0
    return np.where(varies, (columns - columns.mean(axis=0)) / np.where(varies, spread, 1.0), 0.0)


def _follows(t: np.ndarray, y: np.ndarray) -> bool:
    """Tell whether all rows with the same treatment have the same outcome."""
    levels, position = np.unique(t, return_inverse=True)
    if len(levels) > len(t) / 2:  # most levels are one row, whose outcome is trivially the same
        return bool(np.abs(_standard(t) @ _standard(y)) / len(t) > 1 - EXACT)
    low, high = np.full(len(levels), np.inf), np.full(len(levels), -np.inf)
    np.minimum.at(low, position, y)
    np.maximum.at(high, position, y)
    return bool(np.all(low == high))
