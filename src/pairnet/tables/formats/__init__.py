"""File formats of tables, one a file. To add one: write the file, and import its value here.

Messages list the endings in the order of the import lines.
"""

from pairnet.core.registry import Registry

# isort: off
from pairnet.tables.formats.base import AbstractFormat as AbstractFormat
from pairnet.tables.formats.base import Reading as Reading
from pairnet.tables.formats.delimited import CSV as CSV
from pairnet.tables.formats.delimited import TSV as TSV
from pairnet.tables.formats.parquet import PARQUET as PARQUET
from pairnet.tables.formats.arrow import ARROW as ARROW
# isort: on

formats: Registry[AbstractFormat] = Registry.of(
    "format", globals(), lambda value: isinstance(value, AbstractFormat)
)
