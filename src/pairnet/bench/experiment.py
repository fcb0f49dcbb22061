"""What an experiment is: a table of measures (rows) on studies (columns)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pairnet.bench.claims import AbstractClaim
from pairnet.bench.drawing import AbstractDrawing
from pairnet.bench.job import Job
from pairnet.bench.table import Column, Row

if TYPE_CHECKING:
    from pairnet.bench.results import Cell
    from pairnet.bench.store import Store


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Rows x columns of measurements, the question they answer, and what the paper says.

    rows, columns: by their labels (see `labelled`). metrics: those shown; the first one is tested.
    reference: the row that the others are tested against, or one for each row. cells: those to
    fill, if not all are. figure: how the report draws it. ours: whether it is not in the paper.
    derive: a function from the store that makes the cells from the results of other experiments.
    """

    name: str
    title: str
    asks: str
    rows: Mapping[str, Row]
    columns: Mapping[str, Column]
    metrics: tuple[str, ...] = ("pehe_out", "pehe_in")
    reference: str | Mapping[str, str] | None = None
    claims: tuple[AbstractClaim, ...] = ()
    cells: frozenset[tuple[str, str]] | None = None
    figure: AbstractDrawing | None = None
    note: str = ""
    ours: bool = False
    derive: Callable[[Store], Mapping[tuple[str, str], Cell]] | None = None

    def rival_of(self, row: str) -> str | None:
        """Return the row that this one is tested against."""
        return self.reference.get(row) if isinstance(self.reference, Mapping) else self.reference

    def has(self, row: str, column: str) -> bool:
        """Tell whether a cell is to be filled."""
        return self.cells is None or (row, column) in self.cells

    def jobs(self, row: str, column: str, replications: int | None = None) -> list[Job]:
        """Return the jobs of a cell, or its first `replications`.

        The draws of the column take turns.
        """
        if self.derive is not None or not self.has(row, column):
            return []
        draws = self.columns[column].draws
        longest = max(some.count for some in draws)
        turns = [(some, k) for k in range(longest) for some in draws if k < some.count]
        measure = self.rows[row].measure(self.columns[column])
        return [Job(measure, some, k) for some, k in turns[:replications]]

    def all_jobs(
        self, replications: int | None = None, rows: Callable[[str], bool] | None = None
    ) -> Iterator[Job]:
        """Return the jobs of all cells, or of some rows."""
        for row in self.rows:
            if rows is None or rows(row):
                for column in self.columns:
                    yield from self.jobs(row, column, replications)
