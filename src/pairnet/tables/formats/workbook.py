"""Workbooks of Excel and its relatives: cells with types, on sheets, below titles."""

from __future__ import annotations

import importlib
import string
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from pairnet.core.errors import BadInput, NotInstalled
from pairnet.tables.formats import layout
from pairnet.tables.formats.base import AbstractFormat, Reading
from pairnet.tables.written import blanks

if TYPE_CHECKING:
    import polars as pl

PROTECTED = b"\xd0\xcf\x11\xe0"  # how workbooks with a password begin, and older ones
EXACT = 2**53  # whole numbers beyond it are not exact in a cell


class Workbook(AbstractFormat):
    """Sheets of cells; `--sheet` names one."""

    is_spelled: ClassVar[bool] = True
    has_sheets: ClassVar[bool] = True
    place: ClassVar[tuple[str, str]] = ("row", "sheet")

    def read(self, path, reading):
        return _Sheet.opened(path, reading).frame(reading)

    def write(self, frame, file):
        import polars as pl

        _package("xlsxwriter")
        dates = {pl.Date: "yyyy-mm-dd", pl.Datetime: "yyyy-mm-dd hh:mm:ss"}
        frame.write_excel(file, dtype_formats=dates, autofilter=False)

    def check_writes(self):
        _package("xlsxwriter")

    def lines(self, path, rows, reading):
        first = _Sheet.opened(path, reading).above + 2
        return [first + row for row in rows]


class Xlsx(Workbook):
    """A workbook of Excel."""

    name = "xlsx"
    endings = (".xlsx",)
    begins = (b"PK\x03\x04",)


class OtherWorkbook(Workbook):
    """A workbook of an older Excel, one with macros, or one of LibreOffice; only read."""

    name = "xls"
    endings = (".xls", ".xlsm", ".xlsb", ".ods")
    begins = (PROTECTED,)
    writes = False


XLSX = Xlsx()
XLS = OtherWorkbook()


@dataclass(frozen=True)
class _Sheet:
    """A sheet, and where in it the table is: rows `above` its names, and `count` rows below."""

    path: Path
    book: Any
    name: str
    texts: pl.DataFrame  # all cells as text
    above: int = 0
    count: int = 0

    @classmethod
    def opened(cls, path: Path, reading: Reading) -> _Sheet:
        """Find the table, and say which rows are no part of it."""
        book = _book(path)
        name = _sheet(path, book, reading.sheet)
        sheet = cls(path, book, name, _cells(book, name, dtypes="string"))
        rows = sheet.records(0, layout.HEAD)
        lead = next((at for at, row in enumerate(rows) if row), 0)
        above = lead + layout.titles(rows[lead:]) if reading.skip is None else reading.skip
        if above >= sheet.texts.height:
            problem = f"Sheet {name!r} of {path} has no row below the first {above}"
            raise BadInput("", problem, "" if reading.skip is None else "Say another --skip-rows.")
        last = max(above + 1, sheet.texts.height - layout.TAIL)
        named = sum(text is not None for text in sheet.texts.row(above))
        below = layout.footers(sheet.records(last, None), named)
        stop = sheet.texts.height - below
        told = lambda some: [" ".join(row) for row in some]
        head, tail = told(sheet.records(0, above)), told(sheet.records(stop, None))
        if said := layout.said("row", head, tail, stop + 1):
            reading.say(said)
        return replace(sheet, above=above, count=stop - above - 1)

    def frame(self, reading: Reading) -> pl.DataFrame:
        """Return the table with the types of its cells."""
        import polars as pl

        texts = self.texts[self.above + 1 : self.above + 1 + self.count]
        used = [at for at, name in enumerate(self._names()) if name or not _is_empty(texts[:, at])]
        names = [self._names()[at] or f"column {_letters(at)}" for at in used]
        if twice := [name for name, count in Counter(names).items() if count > 1]:
            some = ", ".join(map(repr, twice[:5]))
            problem = f"{self.path} has several columns of the same name: {some}"
            raise BadInput("", problem, "Rename or remove them.")
        if not self.count:
            return pl.DataFrame({name: [] for name in names})
        typed = self._typed()
        columns = {
            name: self._column(name, at, typed[:, at], texts[:, at], reading)
            for name, at in zip(names, used, strict=True)
        }
        return pl.DataFrame(columns)

    def _typed(self, dtypes: str | None = None) -> pl.DataFrame:
        options = {} if dtypes is None else {"dtypes": dtypes}
        rows = {"skip_rows": self.above + 1, "n_rows": self.count, "schema_sample_rows": None}
        return _cells(self.book, self.name, **rows, **options)

    def _stamps(self, at: int) -> pl.Series:
        """Return a column as dates, as which numbers can be read, too, but text cannot."""
        import polars as pl

        try:
            return self._typed("datetime")[:, at]
        except pl.exceptions.ComputeError:  # numbers too large for dates
            return pl.Series([None] * self.count, dtype=pl.Datetime)

    def _column(
        self, name: str, at: int, typed: pl.Series, texts: pl.Series, reading: Reading
    ) -> pl.Series:
        """Return a column with the type that all of its cells have that hold a value."""
        import polars as pl

        if typed.dtype != pl.String and typed.null_count() == texts.null_count():
            return _plain(typed)
        numbers, stamps = self._typed("float")[:, at], self._stamps(at)
        is_number = numbers.is_not_null() & stamps.is_not_null()
        is_date = numbers.is_null() & stamps.is_not_null()
        is_word = texts.is_not_null() & (texts.str.strip_chars() != "") & ~is_number & ~is_date
        words = texts.filter(is_word).unique(maintain_order=True)
        for kind, values, other in ((is_number, numbers, is_date), (is_date, stamps, is_number)):
            blank = blanks.missing(words.str.strip_chars(), reading.na, beside_numbers=True)
            if kind.any() and not other.any() and blank.all():
                if len(words):
                    reading.say(f"Missing in column {name!r}: {', '.join(map(repr, words))}.")
                return _plain(values.zip_with(kind, values.clear(1)))
        # a number such as 1.234 cannot be taken for text with a point between thousands
        exact = texts.str.replace(r"^(-?\d+\.\d{3})$", "${1}0")
        return exact.zip_with(is_number & texts.is_not_null(), texts) if is_number.any() else texts

    def _names(self) -> list[str]:
        return [text or "" for text in self.texts.row(self.above)]

    def records(self, start: int, stop: int | None) -> list[list[str]]:
        """Return some rows as text; empty ones have no values."""
        rows = ([text or "" for text in row] for row in self.texts[start:stop].rows())
        return [row if any(row) else [] for row in rows]


def _book(path: Path) -> Any:
    import polars as pl

    fastexcel = _package("fastexcel")
    try:
        return fastexcel.read_excel(path)
    except fastexcel.FastExcelError as error:
        with path.open("rb") as file:
            is_other = file.read(4) == PROTECTED and path.suffix.lower() == ".xlsx"
        if is_other:
            advice = "Save it as .xlsx, without a password."
            problem = f"{path} has a password, or is a workbook of another kind"
            raise BadInput("", problem, advice) from None
        raise pl.exceptions.ComputeError(str(error)) from None


def _sheet(path: Path, book: Any, asked: str | None) -> str:
    """Return the name of the sheet with the table; raise if several have rows."""
    names = list(book.sheet_names)
    numbered = {str(number): name for number, name in enumerate(names, 1)}
    few = ", ".join(map(repr, names[:10]))
    if asked is not None:
        name = asked if asked in names else numbered.get(asked)
        if name is None:
            raise BadInput("--sheet", f"names {asked!r}; {path} has {few}")
        return name
    filled = [name for name in names if len(names) == 1 or _cells(book, name, n_rows=2).height > 1]
    if len(filled) > 1:
        few = ", ".join(map(repr, filled[:10]))
        raise BadInput(
            "", f"{path} has tables on several sheets: {few}", f"Say --sheet {filled[0]!r}."
        )
    return (filled or names)[0]


def _cells(book: Any, name: str, **options: Any) -> pl.DataFrame:
    """Return the cells of a sheet, the first row as the first."""
    import logging

    import polars as pl

    log = logging.getLogger("fastexcel.types.dtype")  # it tells of every empty column
    before, log.disabled = log.disabled, True
    options = {"skip_rows": 0, "header_row": None} | options
    try:
        return book.load_sheet(name, **options).to_polars()
    except _package("fastexcel").FastExcelError as error:
        if "Too many rows skipped" in str(error):
            return pl.DataFrame()
        raise pl.exceptions.ComputeError(str(error)) from None
    except BaseException as error:  # its panics are no exceptions, and have a class of their own
        if type(error).__name__ != "PanicException":
            raise
        raise pl.exceptions.ComputeError(str(error)) from None
    finally:
        log.disabled = before


def _plain(column: pl.Series) -> pl.Series:
    """Return whole numbers as integers, and moments at midnight as dates."""
    import polars as pl

    kind = column.dtype.base_type()
    if kind == pl.Float64 and column.is_finite().all():
        is_whole = (column == column.round()).all() and (column.abs() < EXACT).all()
        return column.cast(pl.Int64) if is_whole else column
    if kind == pl.Datetime:
        if (column.dt.year() < 1900).all():
            return column.dt.time()  # a time of day has no date
        column = column.cast(pl.Datetime("us"))
        return column.cast(pl.Date) if (column == column.dt.truncate("1d")).all() else column
    return column


def _is_empty(texts: pl.Series) -> bool:
    return bool((texts.is_null() | (texts.str.strip_chars() == "")).all())


def _letters(position: int) -> str:
    """Return what spreadsheets call a column: A, B, ..., Z, AA."""
    before, last = divmod(position, 26)
    return (_letters(before - 1) if before else "") + string.ascii_uppercase[last]


def _package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise NotInstalled("Workbooks of Excel need", name, name) from None
