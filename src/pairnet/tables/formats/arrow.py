"""Arrow files, also called Feather: columns with their types, as they lie in memory."""

from __future__ import annotations

from pairnet.tables.formats.base import AbstractFormat


class Arrow(AbstractFormat):
    """The Arrow IPC file format, which is the second version of Feather."""

    name = "arrow"
    endings = (".feather", ".arrow")
    begins = (b"ARROW1", b"FEA1")

    def read(self, path, reading):
        import polars as pl

        with path.open("rb") as file:  # polars takes a path such as a*.arrow for many files
            return pl.read_ipc(file)

    def write(self, frame, file):
        frame.write_ipc(file)


ARROW = Arrow()
