"""What a fit must know of a table that is read in blocks, before its rows can become numbers.

One pass over the blocks gathers a sample of rows, counts of all rows (`Counted`), and the few
columns that are no covariates, which are small enough to be kept whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pairnet.tables.columns.counted import Counted
from pairnet.tables.declared import with_categories
from pairnet.tables.exact import picked
from pairnet.tables.opening import opened
from pairnet.tables.schema import Schema
from pairnet.tables.source import Source

if TYPE_CHECKING:
    import polars as pl

SAMPLE = 100_000  # rows that say what kind each column is, and its median
BLOCK = 131_072  # rows read together


@dataclass(frozen=True, eq=False)
class Gathered:
    """A sample of the covariates of a table, counts of all its rows, and its other columns.

    kept: which rows take part, block by block.
    """

    sample: pl.DataFrame
    counted: dict[str, Counted]
    beside: dict[str, pl.Series]
    kept: tuple[np.ndarray, ...]

    @property
    def rows(self) -> int:
        """How many rows take part."""
        return sum(int(mask.sum()) for mask in self.kept)

    @property
    def all_rows(self) -> int:
        """How many rows the table has."""
        return sum(len(mask) for mask in self.kept)

    @property
    def place(self) -> np.ndarray:
        """The numbers of the rows that take part."""
        return np.flatnonzero(np.concatenate(self.kept))

    def schema(self) -> Schema:
        """Return what the covariates are: their kinds by the sample, the rest by all rows."""
        own = Schema.of(self.sample)
        if len(self.sample) == self.rows:
            return own
        columns = (self.counted[str(column.name)].correct(column) for column in own.columns)
        return replace(own, columns=tuple(columns))


def gathered(
    source: Source,
    covariates: Sequence[str],
    beside: Sequence[str],
    keep: Callable[[pl.DataFrame], np.ndarray],
    seed: int,
    categories: Sequence[str] = (),
) -> Gathered:
    """Read a table once; keep: tells which rows of a block take part.

    categories: columns whose numbers are names. The sample hangs on the seed and the order of the
    rows, not on the size of the blocks.
    """
    import polars as pl

    rng = np.random.default_rng(seed)
    counted = {name: Counted() for name in covariates}
    sample, lots = [], np.zeros(0)
    columns: dict[str, list[pl.Series]] = {name: [] for name in beside}
    kept = []
    for frame in _frames(source, [*covariates, *beside]):
        mask = keep(frame)
        kept.append(mask)
        lot = rng.random(frame.height)[mask]
        frame = frame if mask.all() else frame.filter(pl.Series(mask))
        for name in beside:
            columns[name].append(frame.get_column(name))
        own = with_categories(picked(frame, covariates), categories)
        if own.height:
            table = opened(own)
            for at, name in enumerate(covariates):
                counted[name].add(table.column(at))
        lots = np.append(lots, lot)
        sample.append(own)
        if len(lots) > 2 * SAMPLE:
            sample, lots = _drawn(sample, lots)
    sample, lots = _drawn(sample, lots)
    whole = {name: pl.concat(parts) for name, parts in columns.items()}
    return Gathered(sample[0], counted, whole, tuple(kept))


def encoded(
    source: Source, schema: Schema, known: Gathered, names: Sequence[str], out: np.ndarray
) -> None:
    """Read a table again, and write its rows as numbers of a schema into an array."""
    import polars as pl

    start = 0
    for frame, mask in zip(_frames(source, names), known.kept, strict=True):
        frame = frame if mask.all() else frame.filter(pl.Series(mask))
        if not frame.height:
            continue
        stop = start + frame.height
        out[start:stop] = schema.encode(frame)
        start = stop


def _frames(source: Source, names: Sequence[str]) -> Iterator[pl.DataFrame]:
    for block in source.blocks(BLOCK, list(names)):
        yield block.frame


def _drawn(sample: list[Any], lots: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """Return the rows with the smallest lots, in their order."""
    import polars as pl

    frame = pl.concat(sample, how="vertical_relaxed")
    if len(lots) > SAMPLE:
        best = np.sort(np.argpartition(lots, SAMPLE)[:SAMPLE])
        frame, lots = frame[best], lots[best]
    return [frame], lots
