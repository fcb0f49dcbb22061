"""Tables of any library, opened: rows are taken, and answers come back as the library has them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pairnet.tables import Schema, opened
from pairnet.tables.opening import is_lazy

COLUMNS = {"age": [30.0, 40.0, 50.0], "city": ["Oslo", None, "Rome"]}
PANDAS = pd.DataFrame(COLUMNS, index=["a", "b", "c"])
POLARS = pl.DataFrame(COLUMNS)
ARRAY = np.array([[30.0, 1.0], [40.0, 2.0], [50.0, 3.0]])
VALUES = np.array([1.5, 2.5])


@pytest.mark.parametrize("table", [PANDAS, POLARS, ARRAY, ARRAY.tolist(), tuple(ARRAY.tolist())])
def test_every_table_has_rows_and_columns(table):
    table = opened(table)
    assert (table.rows, table.width) == (3, 2)
    assert table.column(0).values.tolist() == [30, 40, 50]
    assert opened(table) is table


def test_frames_have_names_where_all_are_text_and_arrays_have_none():
    assert opened(PANDAS).names == opened(POLARS).names == ("age", "city")
    assert opened(ARRAY).names is None
    assert opened(pd.DataFrame(ARRAY)).names is None  # 0 and 1 are places
    assert opened(pd.DataFrame(ARRAY, columns=["age", 1])).names is None
    assert Schema.of(pd.DataFrame(ARRAY, columns=["age", 1])).named is False


def test_only_an_array_of_numbers_is_taken_at_its_word():
    assert [opened(table).plain for table in (ARRAY, ARRAY.astype(bool), PANDAS, POLARS)] == [
        True,
        True,
        False,
        False,
    ]
    mixed = opened([[30, "Oslo"], [40, "Rome"]])
    assert not mixed.plain
    assert mixed.column(0).values.tolist() == [30, 40]  # no text is made of a number beside one
    assert mixed.column(1).words == ("Oslo", "Rome")


@pytest.mark.parametrize("rows", [np.array([True, False, True]), np.array([0, 2])])
def test_rows_are_taken_with_their_index(rows):
    some = opened(PANDAS).take(rows)
    assert some.rows == 2
    assert some.native().equals(PANDAS.iloc[[0, 2]])
    assert list(some.native().index) == ["a", "c"]
    assert opened(POLARS).take(rows).native().equals(POLARS[[0, 2]])
    assert np.array_equal(opened(ARRAY).take(rows).native(), ARRAY[[0, 2]])


def test_rows_are_taken_in_the_order_that_is_asked_for():
    order = np.array([2, 0, 2])
    assert list(opened(PANDAS).take(order).native().index) == ["c", "a", "c"]
    assert opened(POLARS).take(order).native()["age"].to_list() == [50, 30, 50]
    assert opened(ARRAY).take(order).native()[:, 0].tolist() == [50, 30, 50]


def test_a_table_comes_back_as_it_came():
    assert opened(PANDAS).native() is PANDAS
    assert isinstance(opened(POLARS).native(), pl.DataFrame)
    assert opened(POLARS).native().equals(POLARS)
    assert opened(ARRAY).native() is ARRAY


def test_one_value_a_row_is_a_series_of_the_library_with_the_index_of_the_rows():
    of_pandas = opened(PANDAS).take(np.array([2, 0])).series(VALUES, "effect")
    assert of_pandas.equals(pd.Series(VALUES, index=["c", "a"], name="effect"))
    assert of_pandas.name == "effect"
    of_polars = opened(POLARS[:2]).series(VALUES, "effect")
    assert isinstance(of_polars, pl.Series)
    assert (of_polars.name, of_polars.to_list()) == ("effect", [1.5, 2.5])
    assert opened(ARRAY).series(VALUES, "effect") is VALUES


def test_columns_beside_a_table_are_a_frame_of_its_library():
    columns = {"effect": VALUES, "partner": np.array(["x", None], object)}
    of_pandas = opened(PANDAS[1:]).like(columns)
    assert list(of_pandas.index) == ["b", "c"]
    assert of_pandas["effect"].tolist() == [1.5, 2.5]
    assert of_pandas["partner"].iloc[0] == "x"
    assert of_pandas["partner"].isna().tolist() == [False, True]
    of_polars = opened(POLARS[:2]).like(columns)
    assert of_polars.equals(pl.DataFrame({"effect": VALUES, "partner": ["x", None]}))
    of_array = opened(ARRAY[:2]).like(columns)
    assert isinstance(of_array, pd.DataFrame)
    assert list(of_array.index) == [0, 1]


class Sparse:
    def toarray(self):
        raise AssertionError("nobody asked for it")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, 2.0], [3.0]], "its rows have different lengths"),
        ([1.0, 2.0], r"expected 2 dimensions, got shape \(2,\).*X.reshape\(-1, 1\)"),
        (np.zeros((2, 2, 2)), r"expected 2 dimensions, got shape \(2, 2, 2\)"),
        (3.0, r"got shape \(\)"),
        (np.zeros((0, 2)), r"X must hold at least one row, got shape \(0, 2\)"),
        (np.zeros((2, 0)), "X must hold at least one covariate, got 0 columns"),
        (POLARS[:0], r"at least one row, got shape \(0, 2\)"),
        (PANDAS[[]], "at least one covariate, got 0 columns"),
        (ARRAY + 1j, "^Complex data not supported: X must hold real numbers"),
        (
            pd.DataFrame(ARRAY, columns=["age", "age"]),
            "X has several columns of the same name: 'age'. Rename or drop them",
        ),
    ],
)
def test_what_is_no_table_is_told(X, message):
    with pytest.raises(ValueError, match=message):
        opened(X)


class Plan:
    """What some library may call lazy, and nobody knows how to collect."""

    def collect(self): ...


class Relation:
    """A table of a library that only hands over its rows as Arrow, as DuckDB's relations do."""

    columns = POLARS.columns

    def __arrow_c_stream__(self, requested_schema=None):
        return POLARS.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (Sparse(), r"X is a sparse matrix.*Call X\.toarray\(\) first"),
        (Plan(), r"X holds no rows yet: expected a data frame.*Call X\.collect\(\) first"),
    ],
)
def test_what_is_of_a_type_that_holds_no_rows_is_told(X, message):
    with pytest.raises(TypeError, match=message):
        opened(X)


@pytest.mark.parametrize(
    ("X", "what"), [(POLARS.lazy(), "lazy frame"), (Relation(), "Relation")], ids=["lazy", "arrow"]
)
def test_rows_that_are_elsewhere_are_collected_and_that_is_said(X, what):
    with pytest.warns(UserWarning, match=rf"X is a {what}: its .*rows? were collected"):
        table = opened(X)
    assert table.names == tuple(POLARS.columns)
    assert table.rows == POLARS.height
    assert table.native().equals(POLARS)


@pytest.mark.bridge("duckdb")
def test_relations_of_duckdb_are_collected():
    import duckdb

    frame = POLARS
    with pytest.warns(UserWarning, match="DuckDBPyRelation: its"):
        table = opened(duckdb.sql("select * from frame"))
    assert table.names == tuple(POLARS.columns)
    assert table.rows == frame.height


@pytest.mark.bridge("pyarrow")
def test_arrow_tables_are_opened_as_they_come():
    import pyarrow

    table = opened(POLARS.to_arrow())
    assert table.names == tuple(POLARS.columns)
    assert isinstance(table.native(), pyarrow.Table)


def test_a_plan_of_what_to_read_is_told_from_a_frame():
    assert is_lazy(POLARS.lazy())
    assert not any(map(is_lazy, (POLARS, PANDAS, ARRAY)))
