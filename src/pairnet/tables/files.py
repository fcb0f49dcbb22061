"""Tables in files: CSV, TSV, Parquet and Arrow / Feather, told apart by the ending of the name."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pairnet.core.writing import whole
from pairnet.tables.hints import has_commas, is_local_date

if TYPE_CHECKING:
    import polars as pl

ENDINGS = (".csv", ".tsv", ".parquet", ".feather", ".arrow")
MAGIC = (b"PAR1", b"ARROW1", b"FEA1")  # how files of these formats begin
SEPARATORS = (";", "\t", "|", ",")
# rows from which the kinds of a text file's columns are told: all rows of a large one would take
# minutes
SEEN = 10_000
PEEK = 20  # rows that are looked at for decimal commas
# how numbers with decimal commas may be written, thousands with points
POINTS = r"[-+]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?"
NOTHING = [
    "NA",
    "null",
    "NULL",
]  # what other programs write for a missing value, beside nothing at all


def read_table(
    path: Path,
    separator: str | None = None,
    words: Collection[str] = (),
    dates: Collection[str] = (),
    decimal: str = ".",
) -> pl.DataFrame:
    """Return the table in a file, or say what is wrong with the file.

    separator, decimal: what a text file has between values, and before the decimals of numbers.

    words: columns that hold words, even where a text file's values look like numbers or dates.
    dates: columns that must hold dates; such whose day and month could be either way round are an
    error, those with dots have the day first.
    """
    import polars as pl

    ending = check_ending(path)
    if separator is not None and len(separator) != 1:
        raise ValueError(f"--separator must be one character, as ';', got {separator!r}.")
    if decimal not in (".", ","):
        raise ValueError(f"--decimal must be '.' or ',', got {decimal!r}.")
    if not is_text(path) and (separator is not None or decimal != "."):
        raise ValueError(
            f"--separator and --decimal are for text files; {path} needs neither. Leave them out."
        )
    if not path.is_file():
        raise ValueError(f"There is no file {path}.")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty: expected a table with a line of column names and rows.")
    try:
        if is_text(path):
            frame = _read_text(path, _separator(path, separator), words, dates, decimal)
        else:
            frame = pl.read_parquet(path) if ending == ".parquet" else pl.read_ipc(path)
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is not in UTF-8: save it in that encoding (spreadsheets offer 'CSV UTF-8')."
        ) from None
    except pl.exceptions.PolarsError as error:
        raise ValueError(
            f"{path} cannot be read as {ending[1:]}: {_why(path, ending, str(error))}."
        ) from None
    if frame.height == 0:
        raise ValueError(f"{path} has column names and no rows.")
    return frame


def _why(path: Path, ending: str, error: str) -> str:
    """Say why a file could not be read, in our own words where we have some."""
    if "more fields" in error:
        return "some rows have more values than there are column names"
    if ending in (".csv", ".tsv"):
        return error.strip().splitlines()[0]
    with path.open("rb") as file:
        start = file.read(1000)
    if not start.startswith(MAGIC):
        text = b"\0" not in start
        return (
            "it holds text; if that is a table, let its name end in .csv"
            if text
            else "it is of another format"
        )
    return "it is damaged or incomplete, copy it anew"


def write_table(frame: pl.DataFrame, path: Path) -> None:
    """Write a table into a file, all of it or nothing."""
    ending = check_ending(path)
    writers: dict[str, Callable] = {
        ".csv": frame.write_csv,
        ".tsv": lambda file: frame.write_csv(file, separator="\t"),
        ".parquet": frame.write_parquet,
    }
    with whole(path) as file:
        writers.get(ending, frame.write_ipc)(file)


def check_ending(path: Path) -> str:
    """Return the ending of a table's name, or say which ones there are."""
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(
            f"{path} must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}: the ending says the "
            "format."
        )
    return ending


def is_text(path: Path) -> bool:
    """Tell a text file, whose separator and decimals people may name."""
    return check_ending(path) in (".csv", ".tsv")


def lines_of(path: Path, rows: Collection[int], separator: str | None = None) -> list[int]:
    """Return the lines of a text file where rows begin, as editors count: 2 is row 0, if no value
    has line breaks."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, delimiter=_separator(path, separator))
        names = next(
            (names for names in reader if names), []
        )  # empty lines before the names are skipped
        begins = [reader.line_num + 1] if names else []
        begins += (reader.line_num + 1 for _ in itertools.islice(reader, max(rows)))
    return [begins[row] for row in rows]


def _separator(path: Path, asked: str | None) -> str:
    return asked or ("\t" if check_ending(path) == ".tsv" else ",")


def _read_text(
    path: Path, separator: str, words: Collection[str], dates: Collection[str], decimal: str
) -> pl.DataFrame:
    import polars as pl

    with path.open(newline="", encoding="utf-8-sig") as file:
        names = next(csv.reader(file, delimiter=separator), [])
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        few = ", ".join(map(repr, twice[:5]))
        raise ValueError(
            f"{path} has several columns of the same name: {few}. Rename or remove them."
        )
    if len(names) == 1:
        _check_separator(path, names[0], separator, decimal)
    read = partial(
        pl.read_csv, path, separator=separator, null_values=NOTHING, decimal_comma=decimal == ","
    )
    known = {name: pl.String for name in words if name in names}
    frame = _inferred(partial(read, try_parse_dates=True, schema_overrides=known))
    if decimal == ",":
        pointed = [each for each in frame if each.name not in words and _has_points(each)]
        if pointed:
            _check_has_commas(path, read(infer_schema=False), pointed[0])
        frame = frame.with_columns(map(_number, pointed))
    frame = frame.with_columns(_with_century(each) for each in frame if _is_short(each))
    in_doubt = [each.name for each in frame if _is_in_doubt(each)]
    if not in_doubt:
        return frame
    local = [
        each
        for each in read(columns=in_doubt, infer_schema=False)
        if is_local_date(each.drop_nulls()[0])
    ]
    for each in local:
        if each.name in dates:
            _check_has_dots(path, each)
    return frame.with_columns(each for each in local if each.name not in dates)


def _check_separator(path: Path, name: str, separator: str, decimal: str) -> None:
    """Raise if the name of the only column is several, and say all options that the file needs."""
    other = max(SEPARATORS, key=name.count)
    if other == separator or other not in name:
        return
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(itertools.islice(csv.reader(file, delimiter=other), 1, 1 + PEEK))
    commas = decimal != "," and any(has_commas(value) for row in rows for value in row)
    too, option = (", and to have decimal commas", " --decimal ','") if commas else ("", "")
    raise ValueError(
        f"{path} has one column, called {name[:60]!r}: its values seem to be separated by "
        f"{other!r}, not {separator!r}"
        f"{too}. Say --separator {other!r}{option}."
    )


def _has_points(column: pl.Series) -> bool:
    """Tell text that is numbers with decimal commas, and points between thousands in some."""
    if column.dtype.base_type().__name__ != "String":
        return False
    known = column.drop_nulls().str.strip_chars()
    return bool(
        known.str.contains(".", literal=True).any() and known.str.contains(f"^({POINTS})$").all()
    )


def _check_has_commas(path: Path, texts: pl.DataFrame, pointed: pl.Series) -> None:
    """Raise if points could be decimal ones after all: 1.234 is 1234 only in a file that has
    decimal commas."""
    if not any(each.str.contains(r"^\s*[-+]?[\d.]+,\d+\s*$").any() for each in texts):
        raise ValueError(
            f"{path} has no number with a decimal comma, but points in column {pointed.name!r}, as "
            f"{pointed.drop_nulls()[0]!r}: --decimal ',' would take them away. Leave it out."
        )


def _number(column: pl.Series) -> pl.Series:
    import polars as pl

    plain = column.str.strip_chars().str.replace_all(".", "", literal=True)
    return plain.str.replace(",", ".", literal=True).cast(pl.Float64)


def _inferred(read: Callable[..., pl.DataFrame]) -> pl.DataFrame:
    """Read a text file with the kinds of its columns as the first rows tell them, or all rows where
    these do not do."""
    import polars as pl

    try:
        frame = read(infer_schema_length=SEEN)
    except (
        pl.exceptions.ComputeError
    ):  # a later value is of another kind, or there is more that is wrong
        return read(infer_schema_length=None)
    empty = [each for each in frame if each.dtype == pl.String and each[:SEEN].is_null().all()]
    return frame if all(each.is_null().all() for each in empty) else read(infer_schema_length=None)


def _is_short(column: pl.Series) -> bool:
    """Tell dates whose years have two digits, as 25.03.24, which are read as days of antiquity."""
    is_date = column.dtype.base_type().__name__ in ("Date", "Datetime")
    return (
        is_date and bool((column.drop_nulls().dt.year() < 100).all()) and not column.is_null().all()
    )


def _with_century(column: pl.Series) -> pl.Series:
    """Return years of two digits as people mean them: 69 to 99 are the last century, the others
    this one."""
    import polars as pl

    date = pl.col(column.name)
    later = (
        pl.when(date.dt.year() < 69)
        .then(date.dt.offset_by("2000y"))
        .otherwise(date.dt.offset_by("1900y"))
    )
    return column.to_frame().select(later).to_series()


def _is_in_doubt(column: pl.Series) -> bool:
    """Tell dates that were read with the day first and could as well have the month first: no day
    is past the 12th."""
    known = column.drop_nulls()
    return column.dtype.base_type().__name__ in ("Date", "Datetime") and bool(
        len(known) and (known.dt.day() <= 12).all()
    )


def _check_has_dots(path: Path, column: pl.Series) -> None:
    """Raise for dates as 03/05/2024, which are March or May; those with dots have the day first
    everywhere."""
    unclear = column.filter(~column.str.contains(".", literal=True).fill_null(True))
    if len(unclear):
        raise ValueError(
            f"{path} has dates in column {column.name!r} whose day and month could be either way "
            "round, as "
            f"{unclear[0]!r}: no day is past the 12th. Write all of them with the year first, as "
            "2024-12-31."
        )
