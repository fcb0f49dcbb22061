"""Columns have whatever names people gave them: a name is never taken for a pattern."""

import numpy as np
import polars as pl
import pytest

from commands_helpers import TABLE, N, ask, fit
from pairnet.commands.asked import TableOptions
from pairnet.commands.choosing import chosen

pytestmark = pytest.mark.usefixtures("quick_methods")

NAMES = ["*", "^.*$", "^a.*$", "^(drug|health)$", "^[$", "", " ", "a b", "pl.all()"]
SHORT = [f"{1 + i % 28:02d}/{1 + i % 12:02d}/24" for i in range(N)]


def written(tmp_path, table, **options):
    table.write_csv(tmp_path / "table.csv", **options)
    return tmp_path / "table.csv"


def taken(path, treatment="drug", outcome="health", **asked):
    return chosen(TableOptions(path, treatment, outcome, **asked))


@pytest.mark.parametrize("name", NAMES)
def test_a_covariate_of_any_name_is_one_covariate(name, tmp_path):
    path = written(tmp_path, TABLE.rename({"city": name}))
    rows = taken(path)
    assert rows.x.columns == ["person", "age", "height", name]
    assert rows.x.to_series(3).to_list() == TABLE["city"].to_list()
    assert rows.schema.columns[3].levels == ("Oslo", "Rome")


@pytest.mark.parametrize("name", [name for name in NAMES if name.strip()])
def test_options_mean_the_column_of_that_name(name, tmp_path):
    path = written(tmp_path, TABLE.rename({"height": name}))
    assert taken(path, ignore=name).x.columns == ["person", "age", "city"]
    assert taken(path, covariates=f"age,{name}").x.columns == ["age", name]
    path = written(
        tmp_path, TABLE.with_columns(pl.Series("height", np.arange(N) % 3)).rename({"height": name})
    )
    assert taken(path, categories=name).schema.columns[2].levels == ("0", "1", "2")
    path = written(tmp_path, TABLE.rename({"drug": name}))
    assert taken(path, treatment=name).treatment.tolist() == TABLE["drug"].to_list()
    path = written(tmp_path, TABLE.rename({"health": name}))
    rows = taken(path, outcome=name)
    assert rows.x.columns == ["person", "age", "height", "city"]
    assert rows.outcome == pytest.approx(TABLE["health"].to_numpy())


@pytest.mark.parametrize("name", NAMES)
def test_dates_and_decimal_commas_are_read_in_columns_of_any_name(name, tmp_path):
    dates = taken(written(tmp_path, TABLE.with_columns(pl.Series(name, SHORT)))).schema.columns[-1]
    assert (dates.kind, dates.written(dates.low)) == ("date", "2024-01-01")
    doubtful = TABLE.with_columns(pl.Series(name, [f"0{1 + i % 9}/01/2024" for i in range(N)]))
    assert taken(written(tmp_path, doubtful)).schema.columns[-1].kind == "category"
    commas = {
        column: pl.col(column).cast(pl.String).str.replace(".", ",", literal=True)
        for column in ("age", "height", "health")
    }
    table = TABLE.with_columns(**commas).with_columns(
        pl.Series(name, [f"1.{100 + i},5" for i in range(N)])
    )
    path = written(tmp_path, table, separator=";")
    assert taken(path, separator=";", decimal=",").schema.columns[-1].low == 1100.5


def test_a_model_of_such_columns_is_fitted_and_asked(tmp_path, capsys):
    table = TABLE.rename({"age": "^.*$", "person": "*", "drug": "^a.*$"})
    path = written(tmp_path, table)
    said = fit(capsys, path, tmp_path, treatment="^a.*$")
    assert not said.code, said.err
    out = tmp_path / "e.csv"
    said = ask(capsys, "effect", tmp_path / "model", path, "--keep", "^.*$", "-o", out)
    assert not said.code, said.err
    effects = pl.read_csv(out)
    assert effects.columns[:4] == ["*", "^.*$", "^a.*$", "health"]
    assert effects.to_series(0).to_list() == TABLE["person"].to_list()
    assert effects.to_series(1).to_list() == pytest.approx(TABLE["age"].to_list())
