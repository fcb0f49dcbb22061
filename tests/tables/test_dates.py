"""Dates: words among them, years of other ages, and years of two digits."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pairnet.core.errors import BadInput
from pairnet.tables import Schema
from pairnet.tables.files import read_table
from pairnet.tables.values import of_array
from tables_helpers import column

N = 300
ISO = [f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(N)]


def in_file(tmp_path, dates, **options):
    path = tmp_path / "table.csv"
    pl.DataFrame({"seen": dates, "other": np.linspace(0, 1, len(dates))}).write_csv(path)
    return Schema.of(read_table(path, **options)).columns[0]


def year(text_of_column):
    return int(str(text_of_column)[:4])


@pytest.mark.parametrize("kind", [pd, pl])
def test_one_word_among_dates_is_an_error_that_says_where(kind):
    spoiled = [*ISO[:7], "soon", *ISO[8:]]
    with pytest.raises(
        BadInput, match=r"'a' holds dates in 299 rows and text in 1: got 'soon' in row 7"
    ):
        column(spoiled, kind=kind)
    declared = (
        pd.Series(spoiled, dtype="category")
        if kind is pd
        else pl.Series(spoiled, dtype=pl.Categorical)
    )
    assert column(declared, kind=kind).kind == "left out"  # names, most of them different
    with pytest.raises(BadInput, match="holds dates in 299 rows"):
        column([*map(datetime.date.fromisoformat, ISO[:-1]), "soon"], kind=pd)


def test_words_of_which_few_are_dates_are_words():
    words = [("soon", "later", "never")[i % 3] for i in range(N)]
    assert column([*ISO[:20], *words[20:]]).kind == "category"


def test_a_word_among_dates_of_new_rows_is_named_alone():
    schema = Schema.of(pd.DataFrame({"a": ISO}))
    with pytest.raises(
        BadInput, match=r"must hold dates in column 'a', as in fit: got 'soon' in row 1 \("
    ):
        schema.encode(pd.DataFrame({"a": ["2024-01-01", "soon", "2024-01-02"]}))


@pytest.mark.parametrize("first", [1, 24, 99, 1066, 9999])
def test_a_year_of_four_digits_is_that_year(first, tmp_path):
    dates = [f"{first:04d}-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(N)]
    read = in_file(tmp_path, dates)
    assert (read.kind, year(read.written(read.low))) == ("date", first)
    assert year(read.written(column(dates).low)) == first
    spelled = [f"{1 + i % 28:02d}/{1 + i % 12:02d}/{first:04d}" for i in range(N)]
    assert year(read.written(in_file(tmp_path, spelled).low)) == first


def test_years_of_two_and_four_digits_may_stand_in_one_column(tmp_path):
    dates = [f"{1 + i % 28:02d}.{1 + i % 12:02d}.{('24', '1924', '0024')[i % 3]}" for i in range(N)]
    read = in_file(tmp_path, dates)
    assert [year(read.written(value)) for value in (read.low, read.high)] == [24, 2024]


def test_a_year_of_two_digits_that_may_stand_first_is_left_as_text_with_a_hint(tmp_path):
    year_first = [f"{23 + i % 2}/{1 + i % 12:02d}/{1 + i % 28:02d}" for i in range(N)]
    about = in_file(tmp_path, year_first).about()
    assert "looks like dates ('2" in about
    assert "write them as 2024-12-31" in about
    day_first = [f"{1 + i % 28:02d}/{1 + i % 12:02d}/{23 + i % 2}" for i in range(N)]
    assert year(in_file(tmp_path, day_first).written(in_file(tmp_path, day_first).low)) == 2023


def test_dates_beyond_microseconds_are_that_day():
    days = np.asarray([[10**9], [2 * 10**9]], "M8[D]")
    for unit in ("D", "h", "s"):
        assert of_array(days[:, 0].astype(f"M8[{unit}]")).values.tolist() == [1e9, 2e9]


@pytest.mark.parametrize("zone", ["Z", "+02:00", "-11:30"])
def test_dates_with_a_time_zone_are_that_moment_in_files(zone, tmp_path):
    read = in_file(tmp_path, [f"{day}T10:00:00{zone}" for day in ISO])
    moment = datetime.datetime.fromisoformat(f"{min(ISO)}T10:00:00{zone}")
    assert read.low == moment.timestamp() / 86400
