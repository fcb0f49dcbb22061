"""People's tables: what each column is, how it becomes numbers, and the files they come in."""

from pairnet.tables.opening import AbstractTable, opened
from pairnet.tables.schema import Schema

__all__ = ["AbstractTable", "Schema", "opened"]
