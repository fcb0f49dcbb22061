"""Where a table comes from: a file, or a query of a database."""

from __future__ import annotations

from pairnet.tables.databases import databases
from pairnet.tables.databases.base import Location as Location
from pairnet.tables.databases.base import Query as Query
from pairnet.tables.databases.base import location_in


def location_of(text: str) -> Location:
    """Return the file, or the query of a database, that a text names."""
    return location_in(text, databases)
