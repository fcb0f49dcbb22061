"""Text with a character between values: CSV, TSV and TXT, also compressed."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from pairnet.tables.exact import by_name, replaced
from pairnet.tables.formats import quotes, separators
from pairnet.tables.formats.base import AbstractFormat
from pairnet.tables.formats.packed import packing, zstd
from pairnet.tables.formats.text import Text
from pairnet.tables.formats.text_scan import TextScan
from pairnet.tables.spelling import is_local_date

if TYPE_CHECKING:
    import polars as pl

    from pairnet.tables.formats.base import Reading

# rows that tell the types of columns: all rows of a large file would take minutes
FIRST_ROWS = 10_000
PEEK = 20  # rows that are looked at for decimal commas
FOR_MISSING = [
    "NA",
    "null",
    "NULL",
]  # what programs write for a missing value, beside nothing at all


@dataclass(frozen=True)
class Delimited(AbstractFormat):
    """Text with a line of column names, and a character between values.

    separator: the usual one of files with this ending; None: there is none.
    """

    name: str
    endings: tuple[str, ...]
    separator: str | None
    is_text: ClassVar[bool] = True
    is_spelled: ClassVar[bool] = True
    joins: ClassVar[bool] = True

    @property
    def has_parts(self):  # type: ignore[override]
        """Whether files can be read in parts: not if they are compressed."""
        return not self.endings[0].endswith((".gz", ".zst"))

    def read(self, path, reading):
        return frame_of(Text.opened(path, reading, self.separator), reading)

    def scan(self, path, reading):
        if not self.has_parts:
            return super().scan(path, reading)
        return TextScan.of(path, reading, self.separator, frame_of)

    def write(self, frame, file):
        with packing(self.endings[0], file) as unpacked:
            frame.write_csv(unpacked, separator=self.separator or "\t")

    def join(self, parts, file):
        import polars as pl

        with packing(self.endings[0], file) as unpacked:
            for at, part in enumerate(parts):
                with part.open("rb") as content:
                    rows = pl.read_parquet(content)
                rows.write_csv(unpacked, separator=self.separator or "\t", include_header=at == 0)

    def check_writes(self):
        if self.endings[0].endswith(".zst"):
            zstd()

    def lines(self, path, rows, reading):
        return Text.opened(path, reading, self.separator).lines(list(rows))


CSV = Delimited("csv", (".csv",), ",")
TSV = Delimited("tsv", (".tsv",), "\t")
TXT = Delimited("txt", (".txt",), None)
CSV_GZ = Delimited("csv.gz", (".csv.gz",), ",")
CSV_ZST = Delimited("csv.zst", (".csv.zst",), ",")
TSV_GZ = Delimited("tsv.gz", (".tsv.gz",), "\t")


def frame_of(text: Text, reading: Reading) -> pl.DataFrame:
    """Return the table in a text."""
    import polars as pl

    names = text.names()
    if len(names) == 1 and (other := separators.other_than(text.separator, names[0])):
        rows = dataclasses.replace(text, separator=other).first(1 + PEEK)
        raise separators.wrong(text.path, rows, text.separator, other, reading.decimal)
    if any('"' in name for name in names):  # polars may take one that is not closed for more
        quotes.check_closed(text.path, text.content, text.separator, text.line)
    options: dict[str, Any] = {"separator": text.separator, "null_values": FOR_MISSING}
    options["decimal_comma"] = reading.decimal == ","
    as_written = {name: name.replace('"', '""') for name in names}  # polars leaves names so

    def read(
        schema_overrides: Mapping[str, Any] | None = None,
        columns: Sequence[int] | None = None,
        **more: Any,
    ) -> pl.DataFrame:
        types = {as_written[name]: kind for name, kind in (schema_overrides or {}).items()}
        source = io.BytesIO(text.content)
        frame = pl.read_csv(source, schema_overrides=types, columns=columns, **options, **more)
        if frame.width == len(columns or names):
            frame.columns = names if columns is None else [names[at] for at in columns]
        return frame

    try:
        frame = _typed(read, names, reading.words)
    except pl.exceptions.ComputeError:
        quotes.check_closed(text.path, text.content, text.separator, text.line)
        raise
    if row := quotes.swallowing(frame, text.separator):
        (line,) = text.lines([row.position])
        raise quotes.swallowed(text.path, line, row.lines)
    return _without_nameless(_with_local_dates(frame, read), text)


def _typed(
    read: Callable[..., pl.DataFrame], names: Sequence[str], words: Collection[str]
) -> pl.DataFrame:
    """Read a file with the types of its columns.

    The first rows tell the types or, if they do not, all rows. A column with a value that is not
    of the type that polars finds is text.
    """
    import polars as pl

    read = partial(read, try_parse_dates=True)
    overrides = {name: pl.String for name in words if name in names}
    try:
        frame = read(infer_schema_length=FIRST_ROWS, schema_overrides=overrides)
    except pl.exceptions.ComputeError:  # a later value is of another kind, or more is wrong
        return _typed_by_all_rows(read, names, overrides)
    texts = [column.alias("") for column in frame if column.dtype == pl.String]
    begins_late = lambda text: text[:FIRST_ROWS].is_null().all() and not text.is_null().all()
    if any(map(begins_late, texts)):
        return _typed_by_all_rows(read, names, overrides)
    return frame


def _typed_by_all_rows(
    read: Callable[..., pl.DataFrame], names: Sequence[str], overrides: dict[str, Any]
) -> pl.DataFrame:
    import polars as pl

    while True:
        try:
            return read(infer_schema_length=None, schema_overrides=overrides)
        except pl.exceptions.ComputeError as error:
            number = re.search(r"\(column number (\d+)\)", str(error))
            place = int(number[1]) - 1 if number else len(names)
            name = names[place] if place < len(names) else None  # a row may have more values
            if name is None or name in overrides:
                raise
            overrides |= {name: pl.String}


def _without_nameless(frame: pl.DataFrame, text: Text) -> pl.DataFrame:
    """Leave out columns that have neither names nor values, as separators at line ends make."""
    (named,) = text.first(1)
    empty = [
        column.name
        for name, column in zip(named, frame, strict=False)
        if not name and column.null_count() == frame.height
    ]
    return frame.drop(empty) if named.count("") > 1 else frame


def _with_local_dates(frame: pl.DataFrame, read: Callable[..., pl.DataFrame]) -> pl.DataFrame:
    """Return a table in which dates that begin with a day or a month are text, as written."""
    kinds = ("Date", "Datetime")
    dates = [at for at, column in enumerate(frame) if column.dtype.base_type().__name__ in kinds]
    if not dates:
        return frame
    texts = by_name(read(columns=dates, infer_schema=False))
    local = lambda text: is_local_date(next(iter(text.drop_nulls()), ""))
    return replaced(frame, {name: text for name, text in texts.items() if local(text)})
