"""Numbers and dates that are spelled out as text, and what files say of them."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from checks import small
from pairnet.tables import Schema, files
from pairnet.tables.files import read_table
from pairnet.tables.formats import delimited
from tables_helpers import T, X, Y, column


def test_text_that_spells_numbers_or_dates_is_read_as_such():
    assert column([f"{i / 3:.2f}" for i in range(60)]).kind == "number"
    assert column([f"2024-05-{1 + i % 28:02d}" for i in range(60)]).kind == "date"
    assert column([f"2024-05-{1 + i % 28:02d} 12:30" for i in range(60)]).low % 1 == pytest.approx(
        12.5 / 24
    )
    assert column(pd.Categorical([f"0{i % 3}" for i in range(60)])).levels == ("00", "01", "02")
    assert column(pd.Categorical([i % 3 for i in range(60)])).levels == ("0", "1", "2")
    assert column([True, None] * 30).kind == "flag"
    assert column([3, None, 2.5] * 20).kind == "number"


def test_text_that_looks_like_numbers_or_dates_is_told_so(tmp_path):
    texts = {
        "price": [f"{i},{i % 7}5" for i in range(60)],
        "rate": [f"{i % 3},5" for i in range(60)],
        "seen": [f"{1 + i % 12:02d}/{1 + i % 28:02d}/2024" for i in range(60)],
        "born": [f"{1 + i % 3}.{1 + i % 2}.1980" for i in range(60)],
        "name": [f"Smith, {i}" for i in range(60)],
    }
    frame = pl.DataFrame(texts | {"other": np.linspace(0, 1, 60)})
    frame.write_csv(tmp_path / "table.csv")
    for table, of_frame in ((frame, True), (read_table(tmp_path / "table.csv"), False)):
        said = Schema.of(table).summary()
        assert max(map(len, said.splitlines())) <= 80
        flat = " ".join(said.split())
        in_file = (
            "price number 0 0.05 to 59.35",
            "rate number 0 0.5 to 2.5",
            "seen date 0 2024-01-01",
        )
        in_frame = (
            "price left out looks like numbers with commas ('0,05'): write them with a decimal point",
            "rate category 0 3 levels: '0,5', '1,5', '2,5' looks like numbers with commas ('0,5')",
            "seen left out looks like dates ('01/01/2024'): write them as 2024-12-31",
        )
        for part in (
            *(in_frame if of_frame else in_file),
            "born category 0 6 levels: 1.1.1980,",
            "looks like dates ('1.1.1980')",
            "name left out looks like an identifier or free text",
        ):
            assert part in flat
    assert read_table(tmp_path / "table.csv", dates=["born"])["born"].dtype == pl.Date


def test_lines_of_rows_are_those_of_an_editor(tmp_path):
    path = tmp_path / "table.csv"
    for text, lines in (
        ("a,b\n1,2\n3,4\n", [2, 3]),
        ('\n\na,"b\nc"\n"1\n\n1",2\n\n3,4', [5, 8, 9]),
        ("\ufeffa,b\r\n1,2\r\n3,4", [2, 3]),
    ):
        path.write_bytes(text.encode())
        assert files.lines_of(path, range(len(lines))) == lines
        assert read_table(path).height == len(lines)


@pytest.mark.parametrize("asked", [{"separator": ";"}, {"decimal": ","}])
def test_options_of_text_are_not_taken_for_other_files_and_ignored(asked, tmp_path):
    pl.DataFrame({"a": [1.5]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="--separator and --decimal are for text files"):
        read_table(tmp_path / "t.parquet", **asked)


def test_decimal_commas_and_points_between_thousands(tmp_path):
    lines = [
        "a;b;c;version;day",
        "1,5;1.234,5;1.234;1.000;03.05.2024",
        "2;999;950;1.001;25.05.2024",
        ";;;;",
    ]
    (tmp_path / "table.csv").write_text("\n".join(lines))
    found = read_table(tmp_path / "table.csv", ";", words=["version"], decimal=",")
    assert [found[name].to_list() for name in "abc"] == [
        [1.5, 2, None],
        [1234.5, 999, None],
        [1234, 950, None],
    ]
    assert found["version"].to_list() == ["1.000", "1.001", None]
    assert found["day"].dtype == pl.Date
    with pytest.raises(ValueError, match="Say --separator ';'.$"):
        read_table(tmp_path / "table.csv", decimal=",")


def test_numbers_as_text_are_told_of_an_outcome_and_not_of_declared_categories():
    with pytest.raises(
        ValueError,
        match=r"It holds numbers as text \('.*'\): make them numbers with y.astype\(float\)\.",
    ):
        small().fit(X, Y.astype(str), treatment=T)
    assert column(pd.Categorical([f"0{i % 3}" for i in range(60)])).hint() == ""


def test_dates_of_new_rows_are_read_only_where_day_and_month_are_sure(tmp_path):
    path = tmp_path / "new.csv"

    def read(*values):
        path.write_text("\n".join(["seen,n", *(f"{value},1" for value in values)]))
        return read_table(path, dates=["seen"])["seen"].to_list()

    assert read("03.05.2024", "", "04.05.2024") == [
        datetime.date(2024, 5, 3),
        None,
        datetime.date(2024, 5, 4),
    ]
    assert read("03/05/2024", "25/05/2024") == [datetime.date(2024, 5, day) for day in (3, 25)]
    assert read("2024-05-03") == [datetime.date(2024, 5, 3)]
    for values in (("03/05/2024",), ("", "03-05-2024", "04-05-2024"), ("03.05.2024", "3/5/2024")):
        with pytest.raises(
            ValueError, match=r"'seen' whose day and month could be .* Write .* as 2024-12-31"
        ):
            read(*values)


def test_a_few_words_among_numbers_are_an_error_that_says_where():
    values = [str(i % 50) for i in range(500)]
    values[7], values[90] = "n/a", "12,5"
    with pytest.raises(
        ValueError,
        match=r"Column 'a' holds numbers in 498 rows and text in 2: got 'n/a', '12,5' in rows 7, 90",
    ):
        column(values)
    assert column(pl.Series(values, dtype=pl.Categorical), kind=pl).kind == "category"


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2", "3", "x"], pl.String),
        (["1", "2", "3", "4.5"], pl.Float64),
        (["", "", "", "7"], pl.Int64),
    ],
)
def test_what_stands_late_in_a_long_file_still_says_of_which_kind_a_column_is(
    tmp_path, monkeypatch, values, kind
):
    monkeypatch.setattr(delimited, "FIRST_ROWS", 3)
    lines = ["value,day", *(f"{value},2024-01-02" for value in values)]
    (tmp_path / "late.csv").write_text("\n".join(lines))
    assert dict(read_table(tmp_path / "late.csv").schema) == {"value": kind, "day": pl.Date}


def test_years_of_two_digits_are_of_our_time(tmp_path):
    (tmp_path / "t.csv").write_text("day,x\n29.02.24,1\n25.03.71,2\n,3\n")
    found = read_table(tmp_path / "t.csv")["day"]
    assert found.to_list() == [datetime.date(2024, 2, 29), datetime.date(1971, 3, 25), None]


@pytest.mark.parametrize("separator", [",", ";"])
def test_decimal_points_are_not_taken_away_from_a_file_without_decimal_commas(tmp_path, separator):
    (tmp_path / "t.csv").write_text(
        f"price{separator}count\n1.234{separator}5\n21.519{separator}6\n"
    )
    with pytest.raises(
        ValueError, match="no number with a decimal comma, but points in column 'price', as '1.234'"
    ):
        read_table(tmp_path / "t.csv", separator, decimal=",")
    assert read_table(tmp_path / "t.csv", separator)["price"].to_list() == [1.234, 21.519]
