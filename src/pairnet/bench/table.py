"""Rows and columns of an experiment. Each carries the values that its label is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from pairnet.bench.draws import Draws
from pairnet.bench.measures import AbstractMeasure, Fit
from pairnet.methods import Estimator

LabelValues = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """Which replications of which study are measured; the paper's numbers have the same label."""

    label: str
    draws: tuple[Draws, ...]
    values: LabelValues = field(default_factory=dict)

    @property
    def study(self) -> str:
        """The name of the study."""
        return self.draws[0].study

    def called(self, label: str, **values: Any) -> Column:
        """Return the same draws under another label, with further values."""
        return replace(self, label=label, values={**self.values, **values})


MethodOf = Callable[[Column], Estimator]  # hyperparameters may depend on the column


@dataclass(frozen=True)
class Row:
    """What is measured: a method, a function that returns one for a column, or another measure.

    A row made from the results of other experiments measures nothing.
    """

    label: str
    measured: Estimator | AbstractMeasure | MethodOf | None = None
    values: LabelValues = field(default_factory=dict)

    def measure(self, column: Column) -> AbstractMeasure:
        """Return the measure that fills a cell of the column."""
        if isinstance(self.measured, AbstractMeasure):
            return self.measured
        assert self.measured is not None, f"Nothing is measured in the row {self.label!r}."
        return Fit(self.measured(column) if callable(self.measured) else self.measured)


Labelled = TypeVar("Labelled", Row, Column)


def labelled(parts: Iterable[Labelled]) -> dict[str, Labelled]:
    """Return rows or columns by their labels, in this order."""
    return {part.label: part for part in parts}
