"""Tables as programs of many countries export them: no value is ever read as another one."""

from __future__ import annotations

import csv
import datetime
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import xlsxwriter

from attacks.oracle import Fault, Refused, about, asked
from pairnet.tables import Schema
from pairnet.tables.files import read_cells
from pairnet.tables.formats import Reading
from pairnet.tables.written.writing import Writing

# decimal mark, mark between thousands, separator of values, order of dates
COUNTRIES = (
    *((".", ",", ",", "%m/%d/%Y"), (".", "", ",", "%Y-%m-%d"), (".", ",", "\t", "%d-%b-%Y")),
    *((",", ".", ";", "%d.%m.%Y"), (",", " ", ";", "%d/%m/%Y"), (".", "’", ";", "%d.%m.%y")),
    *((",", "", "\t", "%d.%m.%Y %H:%M"), (".", ",", "|", "%b %d, %Y")),
)
UNITS = (("", ""), ("", ""), ("$", ""), ("", " €"), ("USD ", ""), ("", "%"))
GAPS = ("", "", "NA", "n/a", "-", ".", "#N/A", "\\N")


def exports(rng: Random, place: Path) -> str:
    """Write a table as some program would, and read it: values are right, in doubt, or text."""
    country, n = rng.choice(COUNTRIES), rng.randint(4, 40)
    gap = rng.choice(GAPS)
    columns, texts = {}, {}
    for name in ("first", "second", "third"):
        columns[name], texts[name] = rng.choice((_numbers, _numbers, _days))(rng, n, country, gap)
    if country[0] == ",":  # a file of points and whole numbers alone has decimal points
        columns["rate"] = [k + 0.25 for k in range(n)]
        texts["rate"] = [f"{k},25" for k in range(n)]
    columns["arm"] = texts["arm"] = [("none", "drug")[k % 2] for k in range(n)]
    ending = rng.choice((".csv", ".csv", ".txt", ".csv.gz", ".xlsx", ".json", ".jsonl"))
    file = place / f"table{ending}"
    has_lines = not ending.startswith(".json")
    title, total = has_lines and rng.random() < 0.3, has_lines and rng.random() < 0.3
    _write(file, texts, country[2], title, total)
    options = {"separator": country[2]} if ending in (".csv", ".csv.gz", ".txt") else {}
    said: list[str] = []
    with about(f"{file.name} of {country}", {name: values[:3] for name, values in texts.items()}):
        cells = asked(lambda: read_cells(file, Reading(**options, say=said.append)))
        if isinstance(cells, Refused):
            raise Fault(f"an export is refused: {cells.why}")
        _check_lines(cells.frame, n, title, total, " ".join(said))
        for name, values in columns.items():
            _check(name, values, cells.frame[name], cells.doubts, cells.writing)
        _check_again(rng, file, options, cells)
    return "answers"


def _numbers(rng: Random, n: int, country: tuple, gap: str) -> tuple[list[Any], list[str]]:
    """Return numbers, and how they are written in a country, with a unit or without."""
    decimal, thousands = country[:2]
    before, after = rng.choice(UNITS)
    digits, size = rng.choice((0, 0, 1, 2, 3)), 10 ** rng.randint(1, 7)
    values: list[Any] = [round(rng.uniform(-size, size), digits) for _ in range(n)]
    marks = str.maketrans({",": thousands, ".": decimal})
    texts = [before + f"{value:,.{digits}f}".translate(marks) + after for value in values]
    values = [value / 100 for value in values] if after == "%" else values
    return _with_gaps(rng, values, texts, gap)


def _days(rng: Random, n: int, country: tuple, gap: str) -> tuple[list[Any], list[str]]:
    start, width = datetime.date(2001, 1, 1), rng.choice((3, 300, 8000))
    values: list[Any] = [start + datetime.timedelta(rng.randint(0, width)) for _ in range(n)]
    return _with_gaps(rng, values, [value.strftime(country[3]) for value in values], gap)


def _with_gaps(
    rng: Random, values: list[Any], texts: list[str], gap: str
) -> tuple[list[Any], list[str]]:
    gone = [rng.random() < rng.choice((0.0, 0.1)) for _ in values]
    return (
        [None if missing else value for value, missing in zip(values, gone, strict=True)],
        [gap if missing else text for text, missing in zip(texts, gone, strict=True)],
    )


def _write(
    file: Path, texts: dict[str, list[str]], separator: str, title: bool, total: bool
) -> None:
    rows = [list(texts), *map(list, zip(*texts.values(), strict=True))]
    above, below = [["A title"], []] if title else [], [["Total", "", "1"]] if total else []
    if file.suffix == ".xlsx":
        book = xlsxwriter.Workbook(file)
        sheet = book.add_worksheet()
        for at, row in enumerate([*above, *rows, *below]):
            for place, text in enumerate(row):
                if text:
                    sheet.write_string(at, place, text)
        book.close()
    elif file.suffix in (".json", ".jsonl"):
        objects = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
        lines = "".join(json.dumps(one) + "\n" for one in objects)
        file.write_text(json.dumps(objects) if file.suffix == ".json" else lines)
    else:
        made = io.StringIO(newline="")
        writer = csv.writer(made, delimiter=separator, lineterminator="\n")
        writer.writerows([*above, *rows, *below])
        content = made.getvalue().encode()
        file.write_bytes(gzip.compress(content) if file.suffix == ".gz" else content)


def _check_lines(frame: pl.DataFrame, n: int, title: bool, total: bool, said: str) -> None:
    """Raise a fault if lines were left out without a word, or rows were."""
    if frame.height != n:
        raise Fault(f"{n} rows were read as {frame.height}: {said!r}")
    if (title, total) != ("above the names" in said, "below the rows" in said):
        raise Fault(f"a title or a total was left out without a word: {said!r}")


def _check(name: str, values: list[Any], found: pl.Series, doubts: Any, writing: Writing) -> None:
    """Raise a fault if a column holds other numbers or dates than were written."""
    if found.dtype == pl.String or name in doubts or found.dtype == pl.Null:
        return
    for value, there in zip(values, found.to_list(), strict=False):
        if isinstance(there, datetime.datetime):
            there = there.date()
        if value is None or there is None:
            same = value is there
        elif isinstance(value, float | int):
            same = isinstance(there, float | int) and abs(there - value) <= 1e-9 * (1 + abs(value))
        else:
            same = there == value
        if not same:
            raise Fault(f"column {name}: {value} was read as {there}; {writing.about(name)!r}")


def _check_again(rng: Random, file: Path, options: dict[str, Any], cells: Any) -> None:
    """Raise a fault if the file is read otherwise as rows to ask about."""
    names = [name for name in cells.frame.columns if name not in cells.doubts]
    schema = asked(lambda: Schema.of(cells.frame.select(names)))
    if isinstance(schema, Refused):
        return
    of_kind: Callable[[str], list[str]] = lambda kind: [
        str(column.name) for column in schema.columns if column.kind == kind
    ]
    known = Writing.from_json(json.loads(json.dumps(cells.writing.to_json())))
    again = asked(
        lambda: read_cells(
            file, Reading(**options, known=known, words=of_kind("category"), dates=of_kind("date"))
        )
    )
    if isinstance(again, Refused):
        raise Fault(f"the file of the fit is refused as new rows: {again.why}")
    for column in schema.columns:
        if column.kind in ("number", "date"):
            there, here = again.frame[str(column.name)], cells.frame[str(column.name)]
            if there.to_list() != here.to_list():
                raise Fault(f"column {column.name} is read otherwise as new rows")
