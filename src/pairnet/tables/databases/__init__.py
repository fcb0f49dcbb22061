"""Databases, one kind a file. To add one: write the file, and import its value here."""

from pairnet.core.registry import Registry
from pairnet.tables.databases.base import AbstractDatabase as AbstractDatabase
from pairnet.tables.databases.base import Query as Query
from pairnet.tables.databases.duckdb import DUCKDB as DUCKDB
from pairnet.tables.databases.postgresql import POSTGRESQL as POSTGRESQL
from pairnet.tables.databases.sqlite import SQLITE as SQLITE

databases: Registry[AbstractDatabase] = Registry.of(
    "database", globals(), lambda value: isinstance(value, AbstractDatabase)
)
