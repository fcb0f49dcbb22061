"""File formats of tables, one a file. To add one: write the file, and import its value here.

Messages list the endings in the order of the import lines.
"""

from pairnet.core.registry import Registry

# isort: off
from pairnet.tables.formats.base import AbstractFormat as AbstractFormat
from pairnet.tables.formats.base import Reading as Reading
from pairnet.tables.formats.delimited import CSV as CSV
from pairnet.tables.formats.delimited import TSV as TSV
from pairnet.tables.formats.delimited import TXT as TXT
from pairnet.tables.formats.delimited import CSV_GZ as CSV_GZ
from pairnet.tables.formats.delimited import CSV_ZST as CSV_ZST
from pairnet.tables.formats.delimited import TSV_GZ as TSV_GZ
from pairnet.tables.formats.parquet import PARQUET as PARQUET
from pairnet.tables.formats.arrow import ARROW as ARROW
from pairnet.tables.formats.workbook import XLSX as XLSX
from pairnet.tables.formats.workbook import XLS as XLS
from pairnet.tables.formats.objects import JSON as JSON
from pairnet.tables.formats.objects import JSONL as JSONL
from pairnet.tables.formats.labelled import STATA as STATA
from pairnet.tables.formats.labelled import SPSS as SPSS
# isort: on

formats: Registry[AbstractFormat] = Registry.of(
    "format", globals(), lambda value: isinstance(value, AbstractFormat)
)
