"""PostgreSQL: a server, asked in a transaction that can only read.

The rows come as one stream of CSV, whose columns have the types that the server says: no Python
object is made for a value.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any

from pairnet.core.errors import BadInput, NotInstalled
from pairnet.tables.databases.base import AbstractDatabase, Query

if TYPE_CHECKING:
    import polars as pl

PATIENCE = 10  # seconds until a server must answer, unless the address says otherwise
READ_ONLY = "-c default_transaction_read_only=on -c datestyle=ISO -c timezone=UTC"
NO_TABLE, WRITES, MANY = "42P01", "25006", "multiple commands"
# The numbers of types, and the type in which their values are asked for; text for all others.
BOOLEAN, DATE, TIMES = 16, 1082, (1114, 1184)
WHOLE, NUMBERS = (20, 21, 23), (700, 701, 1700)
_TABLES = (
    "select case table_schema when 'public' then '' else table_schema || '.' end || table_name "
    "from information_schema.tables "
    "where table_schema not in ('pg_catalog', 'information_schema') order by 1"
)


class Postgresql(AbstractDatabase):
    """A server of PostgreSQL."""

    name = "postgresql"
    schemes = ("postgresql", "postgres")
    example = "postgresql://user@server/database::select ..."

    def rows(self, query, sql):
        package = _package()
        with closing(self._opened(query)) as connection, connection.cursor() as cursor:
            try:
                # prepared, so that it is one statement; in brackets, so that it gives rows
                cursor.execute(f"select * from (\n{sql}\n) as asked limit 0", prepare=True)
                types = {column.name: column.type_code for column in cursor.description}
                self.check_names(query, [column.name for column in cursor.description])
                asked = ", ".join(_typed(name, types[name]) for name in types)
                with cursor.copy(
                    f"copy (select {asked} from (\n{sql}\n) as asked) to stdout (format csv)"
                ) as stream:
                    text = b"".join(map(bytes, stream))
            except package.Error as error:
                raise self._worded(query, error) from None
        return _frame(text, types)

    def tables(self, query):
        with closing(self._opened(query)) as connection:
            return [name for (name,) in connection.execute(_TABLES).fetchall()]

    def _opened(self, query: Query) -> Any:
        package = _package()
        try:
            known = package.conninfo.conninfo_to_dict(query.url)
            options = f"{known.get('options', '')} {READ_ONLY}".strip()
            patience = known.get("connect_timeout", PATIENCE)
            connection = package.connect(query.url, options=options, connect_timeout=patience)
        except package.Error as error:
            problem = f"{query.shown} cannot be opened: {query.scrubbed(str(error))}"
            advice = "A password may also stand in the environment variable PGPASSWORD."
            is_about = "password" in str(error)
            raise BadInput("", problem, advice if is_about else "") from None
        connection.read_only = True
        return connection

    def _worded(self, query: Query, error: Any) -> BadInput:
        said = error.diag.message_primary or str(error)
        if error.sqlstate == NO_TABLE:
            parts = said.split('"')
            return self.lacks_table(query, parts[1] if len(parts) > 1 else query.sql)
        if error.sqlstate == WRITES or MANY in said or "data-modifying" in said:
            return self.writes_something(query)
        return self.cannot(query, said)


def _typed(name: str, kind: int) -> str:
    """Return a column as SQL, in the type in which its values are asked for."""
    quoted = '"' + name.replace('"', '""') + '"'
    if kind in NUMBERS:
        return f"{quoted}::float8"
    return quoted if kind in WHOLE else f"{quoted}::text"


def _frame(text: bytes, types: Mapping[str, int]) -> pl.DataFrame:
    """Return the rows of CSV text, with columns of the server's types."""
    import polars as pl

    names = [f"column_{place}" for place in range(len(types))]  # a name may be anything
    read = {name: _read_as(kind) for name, kind in zip(names, types.values(), strict=True)}
    if not text:
        return pl.DataFrame(schema=dict.fromkeys(types, pl.String))
    frame = pl.read_csv(io.BytesIO(text), has_header=False, new_columns=names, schema=read)
    columns = zip(frame.iter_columns(), types.items(), strict=True)
    return pl.DataFrame([_with_days(column, kind).alias(name) for column, (name, kind) in columns])


def _read_as(kind: int) -> Any:
    import polars as pl

    if kind in NUMBERS:
        return pl.Float64
    if kind == BOOLEAN:
        return pl.Boolean
    return pl.Int64 if kind in WHOLE else pl.String


def _with_days(column: pl.Series, kind: int) -> pl.Series:
    """Return a column of text as dates or times, if the server says that it has these."""
    import polars as pl

    if kind == DATE:
        return column.str.to_date("%Y-%m-%d", strict=False)
    if kind in TIMES:
        naive = column.str.replace(r"\+00$", "")
        return naive.str.to_datetime("%Y-%m-%d %H:%M:%S%.f", strict=False).cast(pl.Datetime("us"))
    return column


def _package() -> Any:
    try:
        module = importlib.import_module("psycopg")
        importlib.import_module("psycopg.conninfo")
        return module
    except ImportError:
        raise NotInstalled("PostgreSQL needs", "psycopg", "'pairnet[databases]'") from None


POSTGRESQL = Postgresql()
