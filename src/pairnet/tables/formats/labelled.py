"""Files of Stata and SPSS: columns with types and missing values, and labels for numbers."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pairnet.core.errors import NotInstalled
from pairnet.tables.exact import by_name, replaced
from pairnet.tables.formats.base import AbstractFormat

if TYPE_CHECKING:
    import polars as pl


class Labelled(AbstractFormat):
    """A file that pyreadstat reads; numbers that all have labels become categories."""

    reader: ClassVar[str]  # the name of the function of pyreadstat
    writes: ClassVar[bool] = False

    def read(self, path, reading):
        import polars as pl

        pyreadstat = _pyreadstat()
        read = getattr(pyreadstat, self.reader)
        try:
            columns, about = read(path, output_format="dict")
        except pyreadstat.ReadstatError as error:
            raise pl.exceptions.ComputeError(str(error)) from None
        frame = pl.DataFrame({name: list(column) for name, column in columns.items()}, strict=False)
        return _with_labels(frame, about.variable_value_labels)

    def write(self, frame, file):
        raise NotImplementedError("such files are only read")


class Stata(Labelled):
    """A file of Stata."""

    name = "dta"
    endings = (".dta",)
    begins = (b"<stata_dta>", b"q\x01", b"r\x01", b"r\x02", b"s\x01", b"s\x02")
    reader = "read_dta"


class Spss(Labelled):
    """A file of SPSS."""

    name = "sav"
    endings = (".sav", ".zsav")
    begins = (b"$FL2", b"$FL3")
    reader = "read_sav"


STATA = Stata()
SPSS = Spss()


def _with_labels(frame: pl.DataFrame, labels: Mapping[str, Mapping[Any, str]]) -> pl.DataFrame:
    """Return a table in which numbers are replaced by their labels, where every one has a label.

    A scale of which only the ends have labels stays numbers. Whole numbers become integers.
    """
    import polars as pl

    columns = {}
    for name, column in by_name(frame).items():
        if column.dtype == pl.Float64 and (column == column.round()).all():
            column = column.cast(pl.Int64, strict=False)
        of_value = {value: str(label) for value, label in labels.get(name, {}).items()}
        values = column.drop_nulls().unique().to_list()
        if values and all(value in of_value for value in values):
            column = column.replace_strict(of_value, default=None, return_dtype=pl.String)
            column = column.cast(pl.Categorical)
        columns[name] = column
    return replaced(frame, columns)


def _pyreadstat() -> Any:
    try:
        return importlib.import_module("pyreadstat")
    except ImportError:
        raise NotInstalled(
            "Files of Stata and SPSS need", "pyreadstat", "'pairnet[files]'"
        ) from None
