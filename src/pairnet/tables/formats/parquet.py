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

        return pl.read_parquet(path)

    def write(self, frame, file):
        frame.write_parquet(file)


PARQUET = Parquet()
