"""DuckDB: one file, opened for reading by its own package."""

from __future__ import annotations

import importlib
import re
from contextlib import closing
from typing import Any

from pairnet.core.errors import BadInput, NotInstalled
from pairnet.tables.databases.base import AbstractDatabase, Query, file_of

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
                relation = connection.sql(sql)
                self.check_names(query, relation.columns)
                return pl.DataFrame(relation)
            except package.Error as error:
                raise self._worded(query, str(error)) from None

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


def _package() -> Any:
    try:
        return importlib.import_module("duckdb")
    except ImportError:
        raise NotInstalled("Files of DuckDB need", "duckdb", "'pairnet[databases]'") from None


DUCKDB = Duckdb()
