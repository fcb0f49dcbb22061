"""Files as people have them: what each program exports opens as a person expects, or is refused."""

import dataclasses
import json

import polars as pl
import pytest

from exports_by_hand import (
    DE,
    GAPS,
    OPENED,
    REFUSED,
    THOUSANDS,
    TRUTH,
    US,
    lines,
    of_qualtrics,
    workbook,
)
from pairnet.core.errors import BadInput
from pairnet.tables import Schema
from pairnet.tables.files import lines_of, read_cells, read_table
from pairnet.tables.formats import Reading
from pairnet.tables.written.writing import Writing


def opened(tmp_path, ending, write, options):
    """Return the table, and all that is said of it."""
    path = tmp_path / f"table{ending}"
    write(path)
    said = []
    cells = read_cells(path, Reading(**options, say=said.append))
    for doubt in cells.doubts.values():
        raise doubt
    said += [column.about() for column in cells.writing.columns.values()]
    return cells.frame, said


@pytest.mark.parametrize("case", list(OPENED))
def test_an_export_opens_as_a_person_expects_and_what_was_made_of_it_is_said(case, tmp_path):
    ending, write, options, words = OPENED[case]
    frame, said = opened(tmp_path, ending, write, options)
    assert frame.height == TRUTH.height
    for name in TRUTH.columns:
        wanted, found = TRUTH[name], frame[name]
        missing = found.is_null()
        allowed = [at for at, gap in GAPS.items() if gap == name]
        assert set(missing.arg_true()) <= set(allowed)
        wanted, found = wanted.filter(~missing), found.filter(~missing)
        if wanted.dtype == pl.Date:
            found = found.cast(pl.Datetime).cast(pl.Date)
        elif wanted.dtype.is_numeric():
            assert found.dtype.is_numeric()
            assert found.to_list() == pytest.approx(wanted.to_list(), abs=1e-9)
            continue
        assert found.cast(pl.String).to_list() == wanted.cast(pl.String).to_list()
    for word in words:
        assert word in " ".join(said)
    assert said or not words


@pytest.mark.parametrize("case", list(REFUSED))
def test_what_has_two_readings_or_none_is_refused_with_the_cure(case, tmp_path, capfd):
    ending, write, options, message = REFUSED[case]
    with pytest.raises(BadInput) as error:
        opened(tmp_path, ending, write, options)
    assert all(part in str(error.value) for part in message.split(" ... "))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("options", "first"), [({"thousands": ","}, 1001), ({"decimal": ","}, 1.001)]
)
def test_an_option_settles_which_of_two_readings_is_meant(options, first, tmp_path):
    (tmp_path / "t.csv").write_text(THOUSANDS)
    frame = read_table(tmp_path / "t.csv", **options)
    assert frame["visits"][1] == pytest.approx(first + (1000 if first > 1000 else 1))


def test_other_columns_settle_what_one_leaves_open(tmp_path):
    for other, first in (("22,407.58", 1234), ("0,5", 1.234), ("12.5", 1234)):
        (tmp_path / "t.csv").write_text(f'a,b,c\n"1,234","{other}",x\n"2,345",,y\n')
        cells = read_cells(tmp_path / "t.csv", Reading())
        assert not cells.doubts
        assert cells.frame["a"][0] == first
    (tmp_path / "t.csv").write_text('a,b,c\n"1,234","0,5",12.5\n"2,345",,\n')
    cells = read_cells(tmp_path / "t.csv", Reading())  # both marks stand in the file
    assert list(cells.doubts) == ["a"]
    assert cells.frame["b"][0] == 0.5


def test_points_are_thousands_where_the_file_has_decimal_commas(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1.234;0,5\n2.345;0,25\n")
    assert read_table(tmp_path / "t.csv", ";")["a"].to_list() == [1234, 2345]
    (tmp_path / "t.csv").write_text("a;b\n1.234;5\n2.345;7\n")
    assert read_table(tmp_path / "t.csv", ";")["a"].to_list() == [1.234, 2.345]


@pytest.mark.parametrize(
    "values",
    [
        ["$5", "€6", "$7"],  # two units
        ["(1)", "(2)", "(3)"],  # answers, not negative numbers
        ["18.3%", "5", "7"],  # shares beside numbers
        ["030 123", "040 456"],
        ["A1", "B2"],
        ["1.2.3", "1.2.4"],
        ["31.02.2024", "30.02.2024"],
        ["1-2", "3-4"],
        ["5 kg", "6 kg"],
        ["ABC 5", "XYZ 6"],
    ],
)
def test_what_is_no_number_and_no_date_stays_text(values, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps({"a": value}) + "\n" for value in values))
    assert read_table(path)["a"].to_list() == values


def test_words_for_missing_are_missing_everywhere_or_beside_numbers_alone(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("city,age,arm\nOslo,30,-\nN/A,-,drug\n#N/A,.,-\nRome,40,drug\n")
    frame = read_table(path)
    assert frame["city"].to_list() == ["Oslo", None, None, "Rome"]
    assert frame["age"].to_list() == [30, None, None, 40]
    assert frame["arm"].to_list() == ["-", "drug", "-", "drug"]
    assert read_table(path, na=["-", "30"])["arm"].null_count() == 2
    assert read_table(path, na=["-", "30"])["age"].to_list() == [None, None, None, 40]
    TRUTH.write_parquet(tmp_path / "t.parquet")
    assert (
        read_table(tmp_path / "t.parquet", na=["Oslo", "20"])["age"].null_count()
        == (TRUTH["age"] == 20).sum()
    )


def written(tmp_path, content, ending=".csv", **options):
    path = tmp_path / f"t{ending}"
    content(path) if callable(content) else path.write_text(content)
    return read_cells(path, Reading(**options))


@pytest.mark.parametrize(("ways", "separator"), [(US, ","), (DE, ";")])
def test_new_rows_are_read_as_the_rows_of_the_fit_were(ways, separator, tmp_path):
    first = written(tmp_path, lines(separator, **ways), separator=separator)
    schema = Schema.of(first.frame)
    schema = dataclasses.replace(schema, written=first.writing.of(schema.names))
    known = Schema.from_json(json.loads(json.dumps(schema.to_json()))).written
    assert known == schema.written
    assert known.decimal == ("," if separator == ";" else ".")
    one = "1,234" if separator == ";" else "1.234"  # which alone has two readings
    day = "03.05.2023" if separator == ";" else "03/05/2023"
    new = f"income{separator}seen\n{one}{separator}{day}\n"
    cells = written(tmp_path, new, separator=separator, known=known, dates=["seen"])
    assert cells.frame["income"].to_list() == [1.234]
    assert str(cells.frame["seen"][0]) == ("2023-05-03" if separator == ";" else "2023-03-05")
    other = "1.234" if separator == ";" else '"1,234"'
    cells = written(
        tmp_path, f"income{separator}x\n{other}{separator}5\n", separator=separator, known=known
    )
    assert cells.frame["income"].to_list() == [1234]


def test_a_plain_table_has_nothing_to_remember(tmp_path):
    cells = written(tmp_path, lines())
    assert not cells.writing
    assert "written" not in Schema.of(cells.frame).to_json()


@pytest.mark.parametrize(
    "value",
    [
        [],
        {"decimal": "."},
        {"decimal": "x", "na": [], "columns": {}},
        {"decimal": ".", "na": [5], "columns": {}},
        {"decimal": ".", "na": [], "columns": {"a": 5}},
        {"decimal": ".", "na": [], "columns": {"a": {"way": {"order": "x"}, "missing": []}}},
        {"decimal": ".", "na": [], "columns": {"a": {"way": {"decimal": "."}, "missing": []}}},
        {"decimal": ".", "na": [], "columns": {"a": {"shown": ["5"], "missing": []}}},
        {
            "decimal": ".",
            "na": [],
            "columns": {
                "a": {"way": {"decimal": ".", "thousands": ".", "unit": ""}, "missing": []}
            },
        },
    ],
)
def test_a_way_of_writing_that_cannot_be_is_refused(value):
    with pytest.raises(ValueError, match=r"."):
        Writing.from_json(value)


def test_rows_of_a_sheet_are_named_as_the_spreadsheet_does(tmp_path):
    path = tmp_path / "t.xlsx"
    workbook(above=[["Campaign export"], []])(path)
    assert lines_of(path, [0, 5]) == [4, 9]
    (tmp_path / "t.csv").write_text("A title,,\n\na,b,c\n1,2,3\n4,5,6\n")
    assert lines_of(tmp_path / "t.csv", [0, 1]) == [4, 5]


def test_lines_are_counted_past_questions_below_the_names(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(of_qualtrics(lines()))
    first = lines_of(path, [0, 5])
    assert [path.read_text().splitlines()[line - 1][:5] for line in first] == ["C-000", "C-005"]


def test_times_with_their_distance_from_utc_are_times_of_utc(tmp_path):
    (tmp_path / "t.csv").write_text(
        "a,b\n2023-01-03 10:15:00 +0100,1\n2023-06-03T10:15:00+02:00,2\n"
    )
    times = read_table(tmp_path / "t.csv")["a"]
    assert [f"{time:%H:%M}" for time in times] == ["09:15", "08:15"]


def test_there_are_enough_exports():
    assert len(OPENED) >= 50
    assert len(REFUSED) >= 25


@pytest.mark.parametrize(
    "content",
    [
        "a,b,c\n1,2,3\nOslo\n",  # a word alone, and no footer below or above it
        "a,b,c\n1,2,3\n4,,\n",  # a last row with gaps
        "a,b,c\nTotal,1,2\nTotal,3,4\n",  # a level
        'a,b,c\n1,2,"x\nTotal"\n',  # inside a text
        "2019,2020,2021\n1,2,3\n",
    ],
)
def test_rows_are_not_taken_for_titles_or_totals(content, tmp_path):
    (tmp_path / "t.csv").write_text(content)
    said = []
    read_cells(tmp_path / "t.csv", Reading(say=said.append))
    assert said == []
