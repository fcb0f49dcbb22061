"""Columns of files that cannot be a treatment, an outcome or a category are refused at once."""

import datetime
import decimal

import polars as pl
import pytest

from commands_helpers import TABLE, N, fit
from pairnet.commands.asked import TableOptions
from pairnet.commands.choosing import chosen
from pairnet.core.errors import BadInput

pytestmark = pytest.mark.usefixtures("quick_methods")

KINDS = {
    "dates": [datetime.date(2024, 1, 1 + i % 2) for i in range(N)],
    "times": [datetime.time(i % 2) for i in range(N)],
    "time spans": [datetime.timedelta(i % 2) for i in range(N)],
    "bytes": [b"a" if i % 2 else b"b" for i in range(N)],
    "lists": [[i % 2] for i in range(N)],
    "records": [{"a": i % 2} for i in range(N)],
}


def with_column(tmp_path, values):
    path = tmp_path / "table.parquet"
    TABLE.with_columns(new=pl.Series(values)).write_parquet(path)
    return path


@pytest.mark.parametrize("case", list(KINDS))
def test_what_a_model_cannot_store_is_refused_before_training(case, tmp_path, capsys):
    path = with_column(tmp_path, KINDS[case])
    for role, message in (
        ("treatment", "The treatment must be numbers, booleans or text, got"),
        ("outcome", "The outcome must be numbers, booleans or two labels, got"),
    ):
        said = fit(capsys, path, tmp_path, **{role: "new"})
        assert said.code == 2
        assert message in said.flat
        assert "Quick" not in said.err  # no training was shown
        assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("case", ["lists", "time spans"])
def test_a_category_of_such_values_is_refused_with_its_name(case, tmp_path):
    path = with_column(tmp_path, KINDS[case])
    with pytest.raises(BadInput, match=r"--categories names column 'new', which holds values of"):
        chosen(TableOptions(path, "drug", "health", categories="new"))


def test_dates_that_are_declared_to_be_names_are_arms(tmp_path):
    path = with_column(tmp_path, KINDS["dates"])
    rows = chosen(TableOptions(path, "new", "health", categories="new"))
    assert set(rows.treatment.tolist()) == {"2024-01-01", "2024-01-02"}


NUMBERS = {
    "decimals": [decimal.Decimal(i % 2) / 2 for i in range(N)],
    "integers of 128 bits": pl.Series([2**100 * (i % 2) for i in range(N)], dtype=pl.Int128),
}


@pytest.mark.parametrize("case", list(NUMBERS))
def test_numbers_of_every_width_are_numbers(case, tmp_path):
    path = with_column(tmp_path, NUMBERS[case])
    wanted = [float(value) for value in NUMBERS[case]]
    assert chosen(TableOptions(path, "new", "health")).treatment.tolist() == wanted
    assert chosen(TableOptions(path, "drug", "new")).outcome.tolist() == wanted
    assert chosen(TableOptions(path, "drug", "health")).schema.columns[-1].kind == "number"
