"""File formats: each reads what it writes, and a new one is one value in the registry."""

import datetime

import polars as pl
import pytest

from pairnet.commands.options import TableArgument
from pairnet.core.errors import BadInput
from pairnet.tables.files import check_ending, is_text, lines_of, read_table, write_table
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


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_reads_what_it_writes(ending, tmp_path):
    path = tmp_path / f"table{ending.upper()}"
    write_table(FRAME, path)
    assert read_table(path).equals(FRAME)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", list(formats))
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
        assert lines_of(path, [0, 2]) == ([2, 4] if known.is_text else None)


def test_no_two_formats_have_an_ending_and_the_help_names_all():
    assert len(set(ENDINGS)) == len(ENDINGS)
    (argument,) = TableArgument.__metadata__
    assert all(ending in argument.help for ending in ENDINGS)


def test_an_unknown_ending_lists_those_there_are(tmp_path):
    wanted = (
        r"table\.xlsx must end in \.csv, \.tsv, \.parquet, \.feather or \.arrow: the ending says"
    )
    for ask in (check_ending, is_text, read_table, lambda path: write_table(FRAME, path)):
        with pytest.raises(BadInput, match=wanted):
            ask(tmp_path / "table.xlsx")


class JsonLines(AbstractFormat):
    """One JSON object a line."""

    name = "jsonl"
    endings = (".jsonl",)

    def read(self, path, reading):
        return pl.read_ndjson(path)

    def write(self, frame, file):
        frame.write_ndjson(file)


def test_a_format_is_added_by_one_value(tmp_path):
    path, frame = tmp_path / "table.jsonl", FRAME.select("name", "amount")
    with pytest.raises(BadInput, match="must end in"):
        read_table(path)
    with formats.having(JsonLines()):
        write_table(frame, path)
        assert path.read_text().startswith('{"name":"a","amount":1.5}\n')
        assert read_table(path).equals(frame)
        with pytest.raises(BadInput, match="--separator and --decimal are for text files"):
            read_table(path, separator=";")
        with pytest.raises(BadInput, match=r"must end in .*\.feather, \.arrow or \.jsonl: the"):
            read_table(tmp_path / "table.xlsx")
        path.write_text("neither JSON nor lines")
        with pytest.raises(BadInput, match="table.jsonl cannot be read as jsonl: "):
            read_table(path)
    with pytest.raises(BadInput, match="must end in"):
        read_table(path)
