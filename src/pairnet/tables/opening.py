"""The door for tables: a data frame of any library, or an array, read column by column."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pairnet.core.errors import Argument, BadInput, BadType, count_of
from pairnet.core.missing import unmasked
from pairnet.core.notices import notice
from pairnet.tables.values import Values, of_array, of_series

FEW = 20  # rows, of which a plain loop is quicker than a library


class AbstractTable(abc.ABC):
    """Rows and columns of covariates, from wherever they came."""

    names: tuple[str, ...] | None  # None where columns have positions only
    rows: int
    width: int
    schema: Any = None  # what its columns are, where that was learned already
    encoded: np.ndarray | None = None  # its rows as numbers of that schema, once they are needed
    plain: bool  # an array of numbers: every column is used as it is

    @abc.abstractmethod
    def column(self, position: int) -> Values:
        """Return one column."""

    def numbers(self, positions: Sequence[int]) -> np.ndarray | None:
        """Return columns of plain numbers at once, as float64; None where they are not all such."""
        return None

    @abc.abstractmethod
    def take(self, rows: np.ndarray) -> AbstractTable:
        """Return the rows that a mask or positions select."""

    def parted(self, names: tuple[str, ...]) -> tuple[Any, list[Any]]:
        """Return a table with names as it came, without some columns, and these columns."""
        raise NotImplementedError("This table has no names.")

    @abc.abstractmethod
    def native(self) -> Any:
        """Return the table as it came: a frame of its library, or an array."""

    @abc.abstractmethod
    def series(self, values: np.ndarray, name: str) -> Any:
        """Return one value a row in the form that fits such a table."""

    @abc.abstractmethod
    def like(self, columns: Mapping[str, np.ndarray]) -> Any:
        """Return a data frame of these columns, with the same rows and of the same library."""


class Frame(AbstractTable):
    """A data frame; `series` gives a series of the same library, with the same index."""

    plain = False

    def __init__(self, frame: Any):
        self.frame = frame
        named = all(isinstance(name, str) for name in frame.columns)
        self.names = tuple(frame.columns) if named else None
        self.rows, self.width = frame.shape

    def column(self, position):
        return of_series(self.frame[:, position].alias(""))  # polars takes some names for patterns

    def numbers(self, positions):
        places = list(positions)
        kinds = list(self.frame.schema.values())
        if not all(_is_plain(kinds[place]) for place in places):
            return None
        frame = self.frame if places == list(range(self.width)) else self.frame[:, places]
        # a library's own way is slow to start
        found = np.asarray(frame.rows()) if self.rows <= FEW else frame.to_numpy()
        return found.astype(np.float64, copy=False) if found.dtype.kind in "iuf" else None

    def take(self, rows):
        return Frame(self.frame[np.flatnonzero(rows) if rows.dtype == bool else rows])

    def parted(self, names):
        columns = self.frame.columns
        places = [at for at, name in enumerate(columns) if name not in names]
        apart = [self.frame[:, columns.index(name)].to_native() for name in names]
        return self.frame[:, places].to_native(), apart

    def native(self):
        return self.frame.to_native()

    def series(self, values, name):
        import narwhals as nw

        made = nw.new_series(name, values, backend=self.frame.implementation)
        index = nw.maybe_get_index(self.frame)
        return (made if index is None else nw.maybe_set_index(made, index=index)).to_native()

    def like(self, columns):
        import narwhals as nw

        lists = {name: values.tolist() for name, values in columns.items()}  # None stays what it is
        made = nw.from_dict(lists, backend=self.frame.implementation).to_native()
        index = nw.maybe_get_index(self.frame)
        if index is not None:
            made.index = index
        return made


class Matrix(AbstractTable):
    """An array of rows and columns; `series` gives arrays."""

    names = None

    def __init__(self, array: np.ndarray):
        self.array = array
        self.rows, self.width = array.shape
        self.plain = array.dtype.kind in "bifu"

    def column(self, position):
        return of_array(self.array[:, position])

    def numbers(self, positions):
        if self.array.dtype.kind not in "iuf":
            return None
        return self.array[:, list(positions)].astype(np.float64, copy=False)

    def take(self, rows):
        return Matrix(self.array[rows])

    def native(self):
        return self.array

    def series(self, values, name):
        return values

    def like(self, columns):
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "A data frame about an array is one of pandas, which is not installed: pip install "
                "pandas."
            ) from error
        return pd.DataFrame(columns)


def opened(X: Any) -> AbstractTable:
    """Return X as a table with rows and columns; raise if something is wrong with it."""
    if isinstance(X, AbstractTable):
        return X
    if hasattr(X, "toarray"):
        problem = "is a sparse matrix: expected a dense array or data frame"
        raise BadType("X", problem, "Call X.toarray() first.")
    table = _frame(X) or _collected(X) or Matrix(_array(unmasked(X)))
    if table.width == 0:
        raise BadInput("X", "must hold at least one covariate, got 0 columns")
    if table.rows == 0:
        raise BadInput("X", f"must hold at least one row, got shape {(table.rows, table.width)}")
    return table


def _is_plain(kind: Any) -> bool:
    """Tell whether a column of a frame holds floats, or whole numbers that floats can hold."""
    return kind.is_float() or (kind.is_integer() and "128" not in str(kind))


def is_lazy(values: Any) -> bool:
    """Tell whether a frame is only a plan of what to read, as polars' LazyFrame is."""
    return hasattr(values, "collect")


def _collected(X: Any) -> Frame | None:
    """Return the rows of a lazy frame or of a relation of a database, and say that they were read.

    None: X is something else. Relations hand over their rows in the form of Arrow.
    """
    import narwhals as nw

    streams = hasattr(X, "__arrow_c_stream__") and (hasattr(X, "columns") or hasattr(X, "schema"))
    if streams and not is_lazy(X):
        import polars as pl

        frame = nw.from_native(pl.DataFrame(X), eager_only=True)
    elif is_lazy(X):
        lazy = nw.from_native(X, pass_through=True)
        if not isinstance(lazy, nw.LazyFrame):
            problem = "holds no rows yet: expected a data frame"
            raise BadType("X", problem, "Call X.collect() first.")
        frame = lazy.collect()
    else:
        return None
    what = "lazy frame" if is_lazy(X) else type(X).__name__
    notice(Argument("X"), f" is a {what}: its {count_of(len(frame))} were collected, once a call.")
    return Frame(frame)


def _frame(X: Any) -> Frame | None:
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError:
        names = list(X.columns)
        twice = sorted({str(name) for name in names if names.count(name) > 1})
        problem = f"has several columns of the same name: {', '.join(map(repr, twice[:5]))}"
        raise BadInput("X", problem, "Rename or drop them.") from None
    return Frame(frame) if isinstance(frame, nw.DataFrame) else None


def _array(X: Any) -> np.ndarray:
    try:
        array = np.asarray(X)
    except ValueError:
        problem = "must be a table of rows and covariates: its rows have different lengths"
        raise BadInput("X", problem) from None
    if array.dtype.kind not in "bifuM" and isinstance(X, list | tuple):
        array = np.array(X, dtype=object)  # without it, numpy turns numbers beside text into text
    if array.ndim != 2:
        raise BadInput(
            "X",
            "must be a table of rows and covariates: expected 2 dimensions, got shape "
            f"{array.shape}",
            "Reshape your data: for one covariate X.reshape(-1, 1), for one row X.reshape(1, -1).",
        )
    if array.dtype.kind == "c":
        raise BadInput("", "Complex data not supported: X must hold real numbers")
    return array
