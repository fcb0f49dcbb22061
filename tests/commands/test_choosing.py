"""What commands take of a table: which columns, which rows, and errors that name the file's rows."""

import numpy as np
import polars as pl
import pytest

from pairnet.commands.asked import TableOptions
from pairnet.commands.choosing import check_names, chosen, names_in
from pairnet.tables import Schema

N = 40
TABLE = pl.DataFrame(
    {
        "age": np.linspace(20.25, 60.5, N),
        "zip": [f"0{i % 3}" for i in range(N)],
        "last, first": [f"name {i % 2}" for i in range(N)],
        "drug": [("no", "yes")[i % 2] for i in range(N)],
        "health": np.linspace(0, 1, N) ** 2,
    }
)


def take(folder, table=TABLE, ending="csv", **options):
    path = folder / f"table.{ending}"
    table.write_csv(path) if ending == "csv" else table.write_parquet(path)
    return chosen(TableOptions(path, **({"treatment": "drug", "outcome": "health"} | options)))


def without(column, *rows):
    values = TABLE[column].to_list()
    return TABLE.with_columns(
        pl.Series(column, [None if i in rows else v for i, v in enumerate(values)])
    )


def spoiled(table, column, row, text):
    values = table[column].cast(pl.String).to_list()
    values[row] = text
    return table.with_columns(pl.Series(column, values))


def test_covariates_are_all_columns_but_the_treatment_and_the_outcome(tmp_path):
    taken = take(tmp_path)
    assert taken.x.columns == ["age", "zip", "last, first"]
    assert taken.treatment.tolist() == TABLE["drug"].to_list()
    assert np.allclose(taken.outcome, TABLE["health"])
    assert taken.frame.shape == TABLE.shape


def test_columns_are_ignored_or_chosen_and_a_name_may_have_commas(tmp_path):
    assert take(tmp_path, ignore="zip , age").x.columns == ["last, first"]
    assert take(tmp_path, covariates="zip,age,zip").x.columns == ["zip", "age"]
    assert take(tmp_path, covariates="last, first").x.columns == ["last, first"]
    assert names_in(TABLE.columns, "age,,zip") == ["age", "zip"]
    assert names_in(TABLE.columns, "") == []


def test_numbers_that_are_names_are_declared(tmp_path):
    assert take(tmp_path).schema.columns[1].kind == "number"
    column = take(tmp_path, TABLE, "parquet", categories="zip").schema.columns[1]
    assert (column.kind, column.levels) == ("category", ("00", "01", "02"))


def test_rows_without_a_treatment_or_an_outcome_are_dropped(tmp_path):
    table = without("health", 3).with_columns(
        drug=pl.Series(["" if i == 5 else v for i, v in enumerate(TABLE["drug"])])
    )
    taken = take(tmp_path, table)
    rest = [i for i in range(N) if i not in (3, 5)]
    assert taken.x["age"].to_list() == TABLE["age"][rest].to_list()
    assert len(taken.treatment) == len(taken.outcome) == N - 2
    nan = TABLE.with_columns(health=pl.Series([np.nan, *TABLE["health"][1:]]))
    assert take(tmp_path, nan, "parquet").x.height == N - 1


def test_the_schema_is_that_of_the_rows_that_are_kept(tmp_path):
    taken = take(tmp_path, without("health", 0, N - 1))
    assert taken.schema == Schema.of(taken.x)
    assert (taken.schema.columns[0].low, taken.schema.columns[0].high) != (20.25, 60.5)


@pytest.mark.parametrize(
    ("ending", "where"),
    [("csv", "line 11 of the file"), ("parquet", r"row 9 \(the first row is 0\)")],
)
def test_errors_name_rows_as_they_are_in_the_file(ending, where, tmp_path):
    gaps = without("health", 2, 5)  # before the row that is wrong
    for table, message in (
        (spoiled(gaps, "age", 9, "soon"), "numbers in 37 rows and text in 1: got 'soon' in "),
        (spoiled(gaps, "age", 9, "inf"), "The table has infinite .* in column 'age', .* at "),
        (spoiled(gaps, "health", 9, "dead"), "'health' holds numbers in 37 .* got 'dead' in "),
    ):
        with pytest.raises(ValueError, match=message + where):
            take(tmp_path, table, ending)
    infinite = gaps.with_columns(
        health=pl.when(pl.int_range(N) == 9).then(np.inf).otherwise("health")
    )
    with pytest.raises(ValueError, match="--outcome has infinite values: .* the first at " + where):
        take(tmp_path, infinite, ending)


def test_values_of_rows_that_are_dropped_do_not_matter(tmp_path):
    assert take(tmp_path, spoiled(without("drug", 4), "age", 4, "soon")).x.height == N - 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"treatment": "health"}, "both name 'health': they must be different columns"),
        ({"treatment": "drugs"}, r"no column 'drugs' \(--treatment\).*Did you mean 'drug'\?"),
        ({"ignore": "ages"}, r"no column 'ages' \(--ignore\).* 'age'"),
        ({"categories": "nothing"}, r"no column 'nothing' \(--categories\). Its columns: age, "),
        ({"covariates": "age,drug"}, "--covariates names 'drug', which is the treatment or the"),
        ({"covariates": "age", "ignore": "age"}, "No covariates are left of .*: it needs columns"),
    ],
)
def test_columns_that_cannot_be_meant(options, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        take(tmp_path, **options)


def test_a_table_without_complete_rows(tmp_path):
    with pytest.raises(
        ValueError, match=r"No row of .* has both a treatment \('drug'\) and an out"
    ):
        take(tmp_path, without("health", *range(N)))


def test_a_long_list_of_columns_is_cut(tmp_path):
    wide = pl.DataFrame({f"column {i}": [1] for i in range(200)})
    with pytest.raises(ValueError, match="has no column 'age'") as error:
        check_names(wide, tmp_path, {"--keep": ["age"]})
    assert len(str(error.value)) < 400 + len(str(tmp_path))
