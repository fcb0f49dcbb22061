"""Where a table comes from: a file, or a query of a database."""

from __future__ import annotations

from pairnet.tables.databases import databases
from pairnet.tables.databases.base import Query as Query
from pairnet.tables.databases.base import Source as Source
from pairnet.tables.databases.base import source_in


def source_of(text: str) -> Source:
    """Return the file, or the query of a database, that a text names."""
    return source_in(text, databases)
