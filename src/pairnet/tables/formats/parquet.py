"""Parquet: columns with their types, compressed."""

from __future__ import annotations

from pairnet.tables.formats.base import AbstractFormat


class Parquet(AbstractFormat):
    """Apache Parquet."""

    name = "parquet"
    endings = (".parquet",)
    begins = (b"PAR1",)

    def read(self, path, reading):
        import polars as pl

        with path.open("rb") as file:  # polars takes a path such as a*.parquet for many files
            return pl.read_parquet(file)

    def write(self, frame, file):
        frame.write_parquet(file)


PARQUET = Parquet()
