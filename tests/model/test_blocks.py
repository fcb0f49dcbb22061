"""Models asked about tables that are read in blocks: the answers of the same table in memory."""

import numpy as np
import polars as pl
import pytest

import pairnet
from pairnet import LinearTLearner
from pairnet.core.errors import BadInput, BadType
from pairnet.tables import source

N = 300
RNG = np.random.default_rng(0)
TABLE = pl.DataFrame(
    {
        "age": RNG.normal(50, 10, N).round(2),
        "where": [None if i == 7 else ("Oslo", "Rome")[i % 2] for i in range(N)],
        "day": [f"{i % 28 + 1}.12.2024" for i in range(N)],
    }
)


@pytest.fixture(scope="module")
def model():
    """A model of the table; dates are text that spells them."""
    treated = RNG.random(N) < 0.5
    X = TABLE.with_columns(pl.col("day").str.to_date("%d.%m.%Y"))
    y = X["age"].to_numpy() * (1 + treated) + RNG.normal(size=N)
    return LinearTLearner().fit(X, y, treatment=treated)


@pytest.fixture
def in_small_blocks(monkeypatch):
    monkeypatch.setattr(source, "BLOCK", 40)


@pytest.mark.usefixtures("in_small_blocks")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_effects_of_a_scan_are_those_of_its_table(ending, model, tmp_path):
    X = TABLE.with_columns(pl.col("day").str.to_date("%d.%m.%Y"))
    if ending == "csv":
        TABLE.write_csv(tmp_path / "t.csv")
    else:
        for part in range(3):
            X[100 * part : 100 * part + 100].write_parquet(tmp_path / f"{part}.parquet")
    big = pairnet.scan(tmp_path)
    found = model.effect(big, T0=False, T1=True)
    assert isinstance(found, pl.Series)
    assert np.allclose(found, model.effect(X, T0=False, T1=True), rtol=1e-12)
    assert np.allclose(model.effect(big), found)


@pytest.mark.usefixtures("in_small_blocks")
def test_what_is_wrong_with_a_row_says_which_of_the_whole_table(model, tmp_path):
    age = TABLE["age"].to_numpy().copy()
    age[123] = np.inf
    TABLE.with_columns(age=pl.Series(age)).write_csv(tmp_path / "t.csv")
    with pytest.raises(BadInput, match="in column 'age', the first at row 123"):
        model.effect(pairnet.scan(tmp_path / "t.csv"))
    TABLE.drop("age").write_csv(tmp_path / "t.csv")
    with pytest.raises(BadInput, match=r"missing \['age'\]"):
        model.effect(pairnet.scan(tmp_path / "t.csv"))
    with pytest.raises(BadInput, match="There is no file or folder at"):
        model.effect(pairnet.scan(tmp_path / "nowhere"))
    with pytest.raises(
        BadInput, match="T1 must be one treatment for all rows of a table in blocks"
    ):
        model.effect(pairnet.scan(tmp_path / "t.csv"), T1=[True] * N)


@pytest.mark.usefixtures("in_small_blocks")
def test_one_notice_tells_of_all_blocks(model, tmp_path):
    age = TABLE["age"].to_numpy().copy()
    age[[3, 290]] = 900, 1000
    TABLE.with_columns(age=pl.Series(age)).write_csv(tmp_path / "t.csv")
    with pytest.warns(UserWarning, match="column 'age' has 2 rows far outside .* far as 1000") as w:
        model.effect(pairnet.scan(tmp_path / "t.csv"))
    assert len(w) == 1


def test_what_needs_the_whole_table_says_how_to_get_it(model, tmp_path):
    TABLE.write_csv(tmp_path / "t.csv")
    big = pairnet.scan(tmp_path / "t.csv")
    with pytest.raises(BadType, match=r"X\.collect\(\)"):
        model.ate(big)
    whole = big.collect()
    assert whole["age"].to_list() == TABLE["age"].to_list()
