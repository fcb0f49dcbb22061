"""File formats of tables, one a file. To add one: write the file, and import its value here."""

from pairnet.core.registry import Registry
from pairnet.tables.formats.base import AbstractFormat, Reading

# isort: off
# messages list the endings in the order of these lines
from pairnet.tables.formats.delimited import CSV, TSV
from pairnet.tables.formats.parquet import PARQUET
from pairnet.tables.formats.arrow import ARROW
# isort: on

formats: Registry[AbstractFormat] = Registry.of(
    "format", globals(), lambda value: isinstance(value, AbstractFormat)
)

__all__ = ["ARROW", "CSV", "PARQUET", "TSV", "AbstractFormat", "Reading", "formats"]
