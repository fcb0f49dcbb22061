"""Arrow files, also called Feather: columns with their types, as they lie in memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pairnet.tables.formats.base import AbstractFormat
from pairnet.tables.formats.parquet import all_of
from pairnet.tables.formats.scans import TypedScan

if TYPE_CHECKING:
    import polars as pl

TRIAL = "import sys, polars; polars.read_ipc(open(sys.argv[1], 'rb'))"


class Arrow(AbstractFormat):
    """The Arrow IPC file format, which is the second version of Feather."""

    name = "arrow"
    endings = (".feather", ".arrow")
    begins = (b"ARROW1", b"FEA1")
    has_parts = True
    joins = True

    def read(self, path, reading):
        import polars as pl

        if _ends_its_reader(path):
            raise pl.exceptions.ComputeError("damaged")
        with path.open("rb") as file:  # polars takes a path such as a*.arrow for many files
            return pl.read_ipc(file)

    def scan(self, path, reading):
        return TypedScan.of(path, lazily, b"ARROW1")

    def write(self, frame, file):
        frame.write_ipc(file)

    def join(self, parts, file):
        all_of(parts).sink_ipc(file)


def lazily(path: Path) -> pl.LazyFrame:
    """Return the plan to read one file, whatever letters its path has."""
    import polars as pl

    return pl.scan_ipc(path, glob=False, hive_partitioning=False)


def _ends_its_reader(path: Path) -> bool:
    """Tell whether the process that reads a file is killed by it.

    A damaged file can ask polars for more memory than there is, which ends the process without an
    error. So another process reads the file first.
    """
    if not sys.executable:
        return False
    quiet = subprocess.DEVNULL
    words = [sys.executable, "-c", TRIAL, str(path)]
    return subprocess.run(words, stdin=quiet, stdout=quiet, stderr=quiet).returncode < 0


ARROW = Arrow()
