"""File formats: each reads what it writes, and a new one is one value in the registry."""

import datetime
import re
import sys

import polars as pl
import pytest

from pairnet.commands.options import TableArgument
from pairnet.core.errors import BadInput, NotInstalled
from pairnet.tables.files import (
    check_ending,
    check_writes,
    is_text,
    lines_of,
    place_of,
    read_table,
    write_table,
)
from pairnet.tables.formats import AbstractFormat, formats

FRAME = pl.DataFrame(
    {
        "name": ["a", None, "c, d"],
        "amount": [1.5, -2.0, None],
        "count": [1, 2, 3],
        "yes": [True, False, True],
        "day": [datetime.date(2024, 5, 31), None, datetime.date(1999, 12, 1)],
    }
)
ENDINGS = [ending for each in formats.values() for ending in each.endings]
WRITTEN = [ending for each in formats.values() if each.writes for ending in each.endings]


@pytest.mark.parametrize("ending", WRITTEN)
def test_every_format_reads_what_it_writes(ending, tmp_path):
    path = tmp_path / f"table{ending.upper()}"
    write_table(FRAME, path)
    assert read_table(path).equals(FRAME)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", [each.name for each in formats.values() if each.writes])
def test_every_format_answers_for_itself(name, tmp_path):
    known = formats[name]
    for ending in known.endings:
        path = tmp_path / f"table{ending}"
        write_table(FRAME, path)
        start = path.read_bytes()[:100]
        owners = {
            other
            for other in formats
            for begin in formats[other].begins
            if start[: len(begin)] == begin
        }
        assert owners == ({name} if known.begins else set())
        assert is_text(path) == known.is_text
        assert check_ending(path) == ending
        has_lines = known.is_text or known.has_sheets
        assert lines_of(path, [0, 2]) == ([2, 4] if has_lines else None)
        assert place_of(path) == (("row", "sheet") if known.has_sheets else ("line", "file"))


def test_no_two_formats_have_an_ending_and_the_help_names_all():
    assert len(set(ENDINGS)) == len(ENDINGS)
    (argument,) = TableArgument.__metadata__
    assert all(ending in argument.help for ending in ENDINGS)


def test_an_unknown_ending_lists_those_there_are(tmp_path):
    for ask in (
        check_ending,
        is_text,
        read_table,
        check_writes,
        lambda path: write_table(FRAME, path),
    ):
        written = ask not in (check_ending, is_text, read_table)
        *some, last = map(re.escape, WRITTEN if written else ENDINGS)
        wanted = rf"table\.pdf must end in {', '.join(some)} or {last}: the ending says"
        with pytest.raises(BadInput, match=wanted):
            ask(tmp_path / "table.pdf")


@pytest.mark.parametrize("ending", sorted({*ENDINGS} - {*WRITTEN}))
def test_what_cannot_be_written_is_told_before_the_work(ending, tmp_path):
    for ask in (check_writes, lambda path: write_table(FRAME, path)):
        with pytest.raises(BadInput, match=r"must end in \.csv, .* or \.ndjson: the ending says"):
            ask(tmp_path / f"table{ending}")


@pytest.mark.parametrize(
    ("ending", "package", "install"),
    [
        (".xlsx", "fastexcel", "fastexcel"),
        (".dta", "pyreadstat", "'pairnet[files]'"),
        (".csv.zst", "zstandard", "'pairnet[files]'"),
    ],
)
def test_a_package_that_is_missing_is_told_in_one_line(
    ending, package, install, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, package, None)
    path = tmp_path / f"table{ending}"
    path.write_bytes(b"x")
    with pytest.raises(NotInstalled) as error:
        read_table(path)
    assert str(error.value).endswith(f"{package}, which is not installed: pip install {install}.")


def test_a_package_for_writing_is_asked_for_before_the_work(tmp_path, monkeypatch):
    for ending, package in ((".xlsx", "xlsxwriter"), (".csv.zst", "zstandard")):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(NotInstalled, match=package):
            check_writes(tmp_path / f"table{ending}")


class JsonLines(AbstractFormat):
    """One JSON object a line."""

    name = "rows"
    endings = (".rows",)

    def read(self, path, reading):
        return pl.read_ndjson(path)

    def write(self, frame, file):
        frame.write_ndjson(file)


def test_a_format_is_added_by_one_value(tmp_path):
    path, frame = tmp_path / "table.rows", FRAME.select("name", "amount")
    with pytest.raises(BadInput, match="must end in"):
        read_table(path)
    with formats.having(JsonLines()):
        write_table(frame, path)
        assert path.read_text().startswith('{"name":"a","amount":1.5}\n')
        assert read_table(path).equals(frame)
        with pytest.raises(BadInput, match="--separator and --decimal are for text files"):
            read_table(path, separator=";")
        with pytest.raises(BadInput, match=r"must end in .*\.arrow, .* or \.rows: the"):
            read_table(tmp_path / "table.pdf")
        path.write_text("neither JSON nor lines")
        with pytest.raises(BadInput, match="table.rows cannot be read as rows: "):
            read_table(path)
    with pytest.raises(BadInput, match="must end in"):
        read_table(path)
