"""SQLite: one file, read by Python itself. Only what reads is allowed, by SQLite's own gate."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from urllib.parse import quote

from pairnet.core.errors import BadInput
from pairnet.tables.databases.base import AbstractDatabase, Query, file_of

_ALLOWED = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_TABLES = "select name from sqlite_master where type in ('table', 'view') order by name"


class Sqlite(AbstractDatabase):
    """A file of SQLite."""

    name = "sqlite"
    schemes = ("sqlite", "sqlite3")
    example = "sqlite:///file.db::select ..."

    def rows(self, query, sql):
        import polars as pl

        with closing(_opened(query)) as connection:
            try:
                cursor = connection.execute(sql)
                rows = cursor.fetchall()
            except (sqlite3.Error, sqlite3.Warning) as error:
                raise self._worded(query, str(error)) from None
        names = [column[0] for column in cursor.description or ()]
        self.check_names(query, names)
        return pl.DataFrame(
            rows, schema=names, orient="row", strict=False, infer_schema_length=None
        )

    def tables(self, query):
        with closing(_opened(query)) as connection:
            try:
                return [name for (name,) in connection.execute(_TABLES)]
            except sqlite3.Error as error:
                raise self._worded(query, str(error)) from None

    def _worded(self, query: Query, error: str) -> BadInput:
        if found := re.fullmatch(r"no such table: (.*)", error):
            return self.lacks_table(query, found[1])
        if error in ("not authorized", "attempt to write a readonly database"):
            return self.writes_something(query)
        if error == "file is not a database":
            return BadInput("", f"{query.shown} is no file of SQLite, or it is encrypted")
        return self.cannot(query, error)


def _opened(query: Query) -> sqlite3.Connection:
    path = quote(str(file_of(query).absolute()))
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    gate = lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
    connection.set_authorizer(gate)
    return connection


SQLITE = Sqlite()
