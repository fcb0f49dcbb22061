"""Tables that need not fit in memory: a large file, or a folder of files, read block by block.

Values mean what they mean where a file is read whole. Parquet and Feather files say their types.
Of text files the first block settles how each column is written: later values that are written
otherwise are an error, never another number.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pairnet.core.errors import BadInput, listed
from pairnet.core.writing import reason
from pairnet.tables.files import format_of, in_words
from pairnet.tables.formats import Reading
from pairnet.tables.formats.scans import AbstractScan, Part
from pairnet.tables.formats.text_scan import TextScan
from pairnet.tables.written.cells import understood, without_codes
from pairnet.tables.written.writing import PLAIN, Writing, Written

if TYPE_CHECKING:
    import polars as pl

    from pairnet.tables.schema import Schema

BLOCK = 2**17  # rows at most, unless somebody asks for others
MOST_NUMBERS = 2**22  # of a block: rows times encoded columns
NOT_ROWS = ("manifest.json",)  # files of a folder that say what the others are
MOST_NAMED = 5  # columns and files that an error names


class Piece(NamedTuple):
    """Some rows that follow one another in one of the files."""

    file: int
    part: Part


class Block(NamedTuple):
    """A piece with its rows. start: the number of its first row in the whole table."""

    piece: Piece
    start: int
    frame: pl.DataFrame


@dataclass(frozen=True)
class Source:
    """A table in a file or in a folder of files, which is read in blocks.

    asked: how the files are read. kinds: of text files, what the columns hold by the first block
    (numbers, dates, text). writing, doubts: how they are written there, and which can be read in
    two ways.
    """

    path: Path
    scans: tuple[AbstractScan, ...]
    asked: Reading
    kinds: dict[str, str]
    writing: Writing
    doubts: dict[str, BadInput]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.kinds or self.scans[0].types)

    @property
    def types(self) -> dict[str, Any]:
        """The types of the columns; None for those of text files, which have none."""
        return {name: self.scans[0].types.get(name) for name in self.names}

    @property
    def rows(self) -> int | None:
        """How many rows there are; None if the files do not say."""
        counts = [scan.rows for scan in self.scans]
        return None if None in counts else sum(count or 0 for count in counts)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files, in the order in which they are read."""
        return tuple(scan.path for scan in self.scans)

    def pieces(self, rows: int | None = None) -> list[Piece]:
        """Return the pieces that the table is made of, each of about so many rows, in order."""
        size = BLOCK if rows is None else rows
        return [
            Piece(at, part)
            for at, scan in enumerate(self.scans)
            for part in _of_file(scan.path, partial(scan.parts, size))
        ]

    def read(self, piece: Piece, names: Sequence[str] | None = None) -> pl.DataFrame:
        """Return the rows of a piece, of them the columns of these names (None: all)."""
        scan = self.scans[piece.file]
        if not scan.is_spelled:
            read = lambda: scan.read(piece.part, self.asked, names or self.names)
            return without_codes(_of_file(scan.path, read), self.asked.na)
        read_text = lambda reading: _of_file(scan.path, lambda: scan.read(piece.part, reading))
        cells = understood(scan.path, read_text, self.asked, True)
        self._check_alike(piece, cells.frame, cells.writing)
        return self._with_all(cells.frame, self.names if names is None else names)

    def blocks(
        self, rows: int | None = None, names: Sequence[str] | None = None
    ) -> Iterator[Block]:
        """Yield the whole table block by block, in order."""
        start = 0
        for piece in self.pieces(rows):
            frame = self.read(piece, names)
            yield Block(piece, start, frame)
            start += frame.height

    def place(self, piece: Piece, rows: Sequence[int], more: bool = False) -> str:
        """Write where in the files some rows of a piece are."""
        scan, several = self.scans[piece.file], "s" * (len(rows) > 1)
        if isinstance(scan, TextScan):
            word, numbers, note = "line", scan.lines_of(piece.part, list(rows)), ""
        else:
            word, numbers = "row", [piece.part.start + row for row in rows]
            note = " (the first row is 0)"
        shown = ", ".join(map(str, numbers)) + ", ..." * more
        return f"{word}{several} {shown} of {scan.path}{note}"

    def _check_alike(self, piece: Piece, frame: pl.DataFrame, writing: Writing) -> None:
        """Raise if a column of text is written otherwise than in the first block."""
        for name, kind in self.kinds.items():
            here = _kind(frame[name]) if name in frame.columns else ""
            way, first = (w.columns.get(name, Written()).way for w in (writing, self.writing))
            if not kind or not here or (kind == here and way == first):
                continue
            path, at = self.scans[piece.file].path, _first_odd(frame[name], kind)
            where, value = self.place(piece, [at]), frame[name][at]
            what = f"has {value!r} in column {name!r} in {where.removesuffix(f' of {path}')}"
            first_rows = f"where the first rows of the table have {kind}"
            if kind == here:
                first_rows = f"which is not written as in the first rows of the table, {kind}, too"
            advice = "Write all values of a column in the same way."
            raise BadInput("", f"{path} {what}, {first_rows}", advice)

    def _with_all(self, frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
        """Return a block with columns of these names; those without any value may be absent."""
        import polars as pl

        empty = lambda: pl.Series([None] * frame.height, dtype=pl.String)
        return type(frame)(
            {name: frame.get_column(name) if name in frame.columns else empty() for name in names}
        )


@dataclass(frozen=True)
class Scan:
    """A table in a file or a folder of files that is read when it is asked about, in blocks.

    separator, decimal, na: as on the command line: the character between values of text, the mark
    before decimals, and more values that mean missing. covariates: for a fit, the columns to learn
    from (None: all that are nothing else). categories: columns whose numbers are names. complete:
    whether a fit leaves out rows without a treatment, an outcome or what else it names.
    """

    path: Path
    separator: str | None = None
    decimal: str | None = None
    na: tuple[str, ...] = ()
    covariates: tuple[str, ...] | None = None
    categories: tuple[str, ...] = ()
    complete: bool = False

    def source(self, schema: Schema | None = None) -> Source:
        """Return the table; its columns are taken for what they were in a fit, as a schema says."""
        if schema is None:
            words = list(self.categories)
            reading = Reading(self.separator, self.decimal, na=self.na, words=words)
            return scanned(self.path, reading)
        asked = reading_for(schema, self.na)
        asked = dataclasses.replace(asked, separator=self.separator, decimal=self.decimal)
        source = scanned(self.path, asked, numbers_of(schema))
        for name in schema.used:
            if name in source.doubts:
                raise source.doubts[name]
        return source

    def collect(self) -> pl.DataFrame:
        """Return the whole table as a frame in memory."""
        import polars as pl

        return pl.concat([block.frame for block in self.source().blocks()])


def scan(
    path: str | PathLike[str],
    *,
    separator: str | None = None,
    decimal: str | None = None,
    na: Collection[str] = (),
    covariates: Collection[str] | None = None,
    categories: Collection[str] = (),
    complete: bool = False,
) -> Scan:
    """Return a table in a file, or in a folder of files, as one that is never in memory as a whole.

    The files are .parquet, .feather, .arrow, .csv, .tsv or .txt; see `Scan` for the options.
    `model.fit(pairnet.scan("big/"), "y", treatment="t")` and `model.effect(pairnet.scan("big/"))`
    read them block by block.
    """
    own = None if covariates is None else tuple(covariates)
    return Scan(Path(path), separator, decimal, tuple(na), own, tuple(categories), complete)


def block_rows(features: int) -> int:
    """Return how many rows a block has: fewer where there are many encoded columns."""
    return max(1, min(BLOCK, MOST_NUMBERS // max(1, features)))


def reading_for(schema: Schema, na: Collection[str] = ()) -> Reading:
    """Return how a table is read whose columns are to be what they were in the fit."""
    of_kind = lambda kind: [str(column.name) for column in schema.columns if column.kind == kind]
    words, dates = of_kind("category"), of_kind("date")  # "true" may be one level among others
    known = schema.written
    every = sorted({*na, *known.na} - {""})
    return Reading(words=words, dates=dates, known=known, na=every)


def numbers_of(schema: Schema) -> set[str] | None:
    """Return the columns that must be numbers or dates; None where columns have no names."""
    kinds = {"number", "flag", "date"}
    named = {str(column.name) for column in schema.columns if column.kind in kinds}
    return named if schema.named else None


def scanned(
    path: Path, asked: Reading | None = None, typed: Collection[str] | None = None
) -> Source:
    """Return the table in a file or a folder as one that is read in blocks.

    typed: columns of text files whose values are numbers or dates (None: all that look so); others
    stay as they are written.
    """
    asked = asked or Reading()
    files = files_of(path)
    scans = tuple(_of_file(file, partial(format_of(file).scan, file, asked)) for file in files)
    scans = tuple(scan for scan in scans if scan.rows != 0)
    if not scans:
        raise BadInput("", f"{path} has column names and no rows")
    _check_one_schema(path, scans)
    quiet = dataclasses.replace(asked, say=_nothing)
    source = Source(path, scans, quiet, {}, PLAIN, {})
    return _settled(source, typed) if scans[0].is_spelled else source


def files_of(path: Path) -> list[Path]:
    """Return the files of a table, in order; raise if they are of several formats, or none."""
    if not path.exists():
        raise BadInput("", f"There is no file or folder at {path}")
    if not path.is_dir():
        _check_not_empty(path)
        return [path]
    try:
        found = sorted(entry for entry in path.iterdir() if not entry.name.startswith((".", "_")))
    except OSError as error:
        raise BadInput("", f"{path} cannot be read: {reason(error)}") from None
    if folders := [entry.name for entry in found if entry.is_dir()]:
        problem = f"{path} holds folders ({_few(folders)}): expected files of one table"
        raise BadInput("", problem, "Name one of the folders, or put all files into one.")
    files = [entry for entry in found if entry.name not in NOT_ROWS]
    if not files:
        problem = f"{path} is an empty folder: expected files of one table"
        raise BadInput("", problem, "Is it the right one?")
    by_format: dict[str, Path] = {}
    for file in files:
        by_format.setdefault(format_of(file).name, file)
    if len(by_format) > 1:
        some = _few([file.name for file in by_format.values()])
        problem = f"{path} holds files of several formats ({some}): expected one"
        raise BadInput("", problem, "Put files of one format into a folder of their own.")
    for file in files:
        _check_not_empty(file)
    return files


def _check_not_empty(file: Path) -> None:
    try:
        is_empty = file.stat().st_size == 0
    except OSError as error:
        raise BadInput("", f"{file} cannot be read: {reason(error)}") from None
    if is_empty:
        raise BadInput("", f"{file} is empty: expected a table with column names and rows")


def _check_one_schema(path: Path, scans: Sequence[AbstractScan]) -> None:
    """Raise if two files have other columns, or columns of other types."""
    first = scans[0]
    for scan in scans[1:]:
        if scan.types == first.types:
            continue
        lost = [f"{name!r} is only in the first" for name in first.types if name not in scan.types]
        new = [f"{name!r} is only in the second" for name in scan.types if name not in first.types]
        other = [
            f"{name!r} is {first.types[name]} in the first and {scan.types[name]} in the second"
            for name in first.types
            if name in scan.types and first.types[name] != scan.types[name]
        ]
        if not (lost or new or other):
            continue  # the same columns in another order
        differ = "; ".join([*lost, *new, *other][:MOST_NAMED])
        more = "; and others" * (len([*lost, *new, *other]) > MOST_NAMED)
        raise BadInput(
            "",
            f"{path} holds two kinds of tables, as {first.path.name} and {scan.path.name}: column "
            f"{differ}{more}",
            "Put files of another table into a folder of their own, or give all files the same "
            "columns and types.",
        )


def _settled(source: Source, typed: Collection[str] | None) -> Source:
    """Return a source of text files whose columns are written as in the first block."""
    scan, asked = source.scans[0], source.asked
    names = list(scan.types)
    as_text = set(asked.words) if typed is None else {*names} - {*typed}
    asked = dataclasses.replace(asked, words=sorted({*asked.words} | as_text))
    piece = source.pieces()[0]
    read = lambda reading: _of_file(scan.path, lambda: scan.read(piece.part, reading))
    first = understood(scan.path, read, asked, True)
    kinds = dict.fromkeys(first.frame.columns, "")
    kinds |= {column.name: _kind(column) for column in first.frame if column.name not in as_text}
    columns = {**asked.known.columns, **first.writing.columns}
    written = Writing(first.writing.decimal, first.writing.na, columns)
    decimal = asked.decimal or first.writing.decimal or "."
    words = sorted({*asked.words, *(name for name, kind in kinds.items() if kind == "text")})
    asked = dataclasses.replace(asked, decimal=decimal, known=written, words=words)
    doubts = {name: first.doubts[name] for name in first.doubts if name not in as_text}
    return Source(source.path, source.scans, asked, kinds, first.writing, doubts)


def _kind(column: pl.Series) -> str:
    """Return what a column holds, in a word; nothing if it has no values."""
    kind = column.dtype
    if column.null_count() == len(column):
        return ""
    if kind.is_numeric():
        return "numbers"
    if kind.is_temporal():
        return "dates"
    return {"Boolean": "true and false", "String": "text"}.get(str(kind), str(kind))


def _first_odd(column: pl.Series, kind: str) -> int:
    """Return the first row with a value that is not of a kind, or else the first with a value."""
    import polars as pl

    column = column.alias("")
    odd = column.is_not_null()
    if column.dtype == pl.String and kind == "numbers":
        odd &= column.cast(pl.Float64, strict=False).is_null()
    return (odd if odd.any() else column.is_not_null()).arg_max() or 0


def _of_file(path: Path, read: Any) -> Any:
    """Return what a function reads of a file; its errors are in words."""
    with in_words(path):
        return read()


def _nothing(text: str) -> None:
    """Say nothing."""


def _few(names: Sequence[str]) -> str:
    return listed([*names[:MOST_NAMED]]) + ", ..." * (len(names) > MOST_NAMED)
