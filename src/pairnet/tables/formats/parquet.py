"""Parquet: columns with their types, compressed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pairnet.tables.formats.base import AbstractFormat
from pairnet.tables.formats.scans import TypedScan

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl


class Parquet(AbstractFormat):
    """Apache Parquet."""

    name = "parquet"
    endings = (".parquet",)
    begins = (b"PAR1",)
    has_parts = True
    joins = True

    def read(self, path, reading):
        import polars as pl

        with path.open("rb") as file:  # polars takes a path such as a*.parquet for many files
            return pl.read_parquet(file)

    def scan(self, path, reading):
        return TypedScan.of(path, lazily, b"PAR1")

    def write(self, frame, file):
        frame.write_parquet(file)

    def join(self, parts, file):
        all_of(parts).sink_parquet(file)


def all_of(parts: Sequence[Path]) -> pl.LazyFrame:
    """Return the plan to read several files of one table."""
    import polars as pl

    return pl.scan_parquet([*parts], glob=False, hive_partitioning=False)


def lazily(path: Path) -> pl.LazyFrame:
    """Return the plan to read one file, whatever letters its path has."""
    import polars as pl

    return pl.scan_parquet(path, glob=False, hive_partitioning=False)


PARQUET = Parquet()
