"""DuckDB: one file, opened for reading by its own package."""

from __future__ import annotations

import importlib
import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from pairnet.core.errors import BadInput, NotInstalled
from pairnet.tables.databases.base import AbstractDatabase, Query, file_of

if TYPE_CHECKING:
    import polars as pl

INTEGERS = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")}
PLAIN = {
    *(INTEGERS | {"INTEGER", "UINTEGER", "FLOAT", "DOUBLE", "BOOLEAN", "VARCHAR", "DATE"}),
    *("TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"),
}
_TABLES = (
    "select case table_schema when 'main' then '' else table_schema || '.' end || table_name "
    "from information_schema.tables order by 1"
)


class Duckdb(AbstractDatabase):
    """A file of DuckDB."""

    name = "duckdb"
    schemes = ("duckdb",)
    example = "duckdb:///file.db::select ..."

    def rows(self, query, sql):
        import polars as pl

        package = _package()
        with closing(self._opened(query)) as connection:
            try:
                statements = connection.extract_statements(sql)
                if [one.type for one in statements] != [package.StatementType.SELECT]:
                    raise self.writes_something(query)
                self.check_names(query, connection.sql(sql).columns)
                types = connection.execute(f"describe select * from (\n{sql}\n)").fetchall()
                asked = ", ".join(_typed(name, kind) for name, kind, *_ in types)
                arrays = connection.execute(f"select {asked} from (\n{sql}\n)").fetchnumpy()
            except package.Error as error:
                raise self._worded(query, str(error)) from None
        columns = zip(arrays.values(), types, strict=True)
        return pl.DataFrame([_series(name, values, kind) for values, (name, kind, *_) in columns])

    def tables(self, query):
        with closing(self._opened(query)) as connection:
            return [name for (name,) in connection.execute(_TABLES).fetchall()]

    def _opened(self, query: Query) -> Any:
        package, file = _package(), file_of(query)
        try:
            return package.connect(str(file), read_only=True)
        except package.Error as error:
            why = str(error)
            if "lock" in why:
                problem = f"{query.shown} is in use by another program"
                raise BadInput("", problem, "Close it there, or copy the file.") from None
            raise BadInput(
                "", f"{query.shown} is no file of DuckDB: {query.scrubbed(why)}"
            ) from None

    def _worded(self, query: Query, error: str) -> BadInput:
        if found := re.search(r"Table with name (.+?) does not exist", error):
            return self.lacks_table(query, found[1])
        if "read-only" in error:
            return self.writes_something(query)
        return self.cannot(query, error)


def _typed(name: str, kind: str) -> str:
    """Return a column as SQL, in a type that has an array: a number, a time, or text."""
    quoted = '"' + name.replace('"', '""') + '"'
    if kind.startswith(("DECIMAL", "HUGEINT", "UHUGEINT")):
        return f"{quoted}::double as {quoted}"
    return quoted if kind in PLAIN else f"{quoted}::varchar as {quoted}"


def _series(name: str, values: np.ndarray, kind: str) -> pl.Series:
    import polars as pl

    gone = np.ma.getmaskarray(values)
    plain = np.ma.getdata(values)
    if plain.dtype == object:
        texts = [None if absent else text for absent, text in zip(gone, plain, strict=True)]
        return pl.Series(name, texts, dtype=pl.String)
    column = pl.Series(name, plain)
    column = column.set(pl.Series(gone), None) if gone.any() else column
    return column.cast(pl.Date) if kind == "DATE" else column


def _package() -> Any:
    try:
        return importlib.import_module("duckdb")
    except ImportError:
        raise NotInstalled("Files of DuckDB need", "duckdb", "'pairnet[databases]'") from None


DUCKDB = Duckdb()
