"""Fits of tables that are read in blocks: what they learn is what the whole table would teach."""

import numpy as np
import polars as pl
import pytest

import pairnet
from pairnet import LinearTLearner, PairNet, Plan
from pairnet.core import spool
from pairnet.core.errors import BadInput
from pairnet.model import streamed
from pairnet.tables import gathered

ROWS = 1200


def table(rows: int = ROWS) -> pl.DataFrame:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(rows, 2))
    t = rng.integers(0, 2, rows)
    gap = np.where(rng.random(rows) < 0.1, np.nan, x[:, 1])
    return pl.DataFrame(
        {
            "first": x[:, 0],
            "gap": pl.Series(gap).fill_nan(None),
            "region": rng.choice(["north", "south", "far"], rows, p=[0.6, 0.395, 0.005]),
            "since": np.datetime64("2020-01-01") + rng.integers(0, 900, rows),
            "member": rng.random(rows) < 0.3,
            "arm": np.array(["no", "yes"])[t],
            "spend": x[:, 0] + t * (1 + x[:, 1]) + rng.normal(size=rows),
        }
    )


@pytest.fixture
def folder(tmp_path):
    """Return a folder of three files that hold the table."""
    whole = table()
    for part in range(3):
        whole[part * 400 : (part + 1) * 400].write_parquet(tmp_path / f"part{part}.parquet")
    return tmp_path


@pytest.fixture
def small_blocks(monkeypatch):
    """Make blocks and samples so small that several are needed."""
    monkeypatch.setattr(gathered, "BLOCK", 150)
    monkeypatch.setattr(gathered, "SAMPLE", 300)


def of(X) -> LinearTLearner:
    return LinearTLearner().fit(X, "spend", treatment="arm")


def test_a_fit_in_blocks_gives_the_effects_of_a_fit_in_memory(folder):
    whole, blocks = of(table()), of(pairnet.scan(folder))
    X = table().drop("arm", "spend")
    assert blocks.schema_ == whole.schema_
    assert blocks.effect(X).to_numpy() == pytest.approx(whole.effect(X).to_numpy(), abs=2e-5)
    assert blocks.ate(X) == pytest.approx(whole.ate(X), abs=2e-5)


def test_counts_ranges_levels_and_gaps_are_those_of_all_rows(folder, small_blocks):
    whole, blocks = of(table()).schema_, of(pairnet.scan(folder)).schema_
    exact = lambda schema: [
        [getattr(column, name, None) for name in ("name", "kind", "low", "high", "missing")]
        + [getattr(column, name, None) for name in ("levels", "rare")]
        for column in schema.columns
    ]
    assert exact(blocks) == exact(whole)
    assert "far" in str(exact(blocks))  # a level of few rows


def test_the_size_of_blocks_changes_nothing(folder, monkeypatch):
    monkeypatch.setattr(gathered, "SAMPLE", 300)
    found = []
    for size in (100, 1000):
        monkeypatch.setattr(gathered, "BLOCK", size)
        model = of(pairnet.scan(folder))
        found.append((model.schema_, model.effect(table().drop("arm", "spend")).to_numpy()))
    assert found[0][0] == found[1][0]
    assert (found[0][1] == found[1][1]).all()


def test_many_numbers_lie_in_a_nameless_file(folder, monkeypatch, tmp_path_factory):
    """Networks learn from it, the same each time, and nothing is left of it."""
    place = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("PAIRNET_CACHE", str(place))
    monkeypatch.setattr(spool, "IN_MEMORY", 0)
    made = []
    keep = lambda *sizes: made.append(spool.spooled(*sizes)) or made[-1]
    monkeypatch.setattr(streamed, "spooled", keep)
    method = PairNet(plan=Plan(longest=20, patience=10), members=1)
    fit = lambda: method.fit(pairnet.scan(folder), "spend", treatment="arm").effect(table())
    first, second = fit().to_numpy(), fit().to_numpy()
    assert spool.is_in_file(made[0])
    assert (first == second).all()
    assert np.corrcoef(first, table()["gap"].fill_null(0.0))[0, 1] > 0.3  # as the true effect
    assert not [path for path in place.iterdir() if path.is_file()]


def test_a_disk_without_room_is_told_before_anything_is_learned(folder, monkeypatch):
    monkeypatch.setattr(spool, "IN_MEMORY", 0)
    monkeypatch.setattr(spool, "SPARE", 2**62)
    with pytest.raises(BadInput, match="MiB are free"):
        of(pairnet.scan(folder))


def test_weights_clusters_and_rows_without_a_treatment(folder):
    rng = np.random.default_rng(0)
    whole = table().with_columns(
        weight=pl.Series(rng.integers(0, 3, ROWS)), village=pl.Series(rng.integers(0, 40, ROWS))
    )
    whole.write_parquet(folder / "only.parquet")
    asked = {"treatment": "arm", "sample_weight": "weight", "groups": "village"}
    blocks = LinearTLearner().fit(pairnet.scan(folder / "only.parquet"), "spend", **asked)
    memory = LinearTLearner().fit(whole, "spend", **asked)
    X = whole.drop("arm", "spend", "weight", "village")
    assert blocks.effect(X).to_numpy() == pytest.approx(memory.effect(X).to_numpy(), abs=2e-5)
    assert len(blocks.training_) == len(memory.training_) == (whole["weight"] > 0).sum()
    assert len(np.unique(blocks.training_.clusters)) == 40

    some = table().with_columns(
        pl.when(pl.int_range(ROWS) < 100).then(None).otherwise(pl.col("arm")).alias("arm")
    )
    some.write_parquet(folder / "gaps.parquet")
    path = folder / "gaps.parquet"
    with pytest.raises(BadInput, match="missing values"):
        of(pairnet.scan(path))
    complete = pairnet.scan(path, complete=True, covariates=["first", "gap"])
    model = LinearTLearner().fit(complete, "spend", treatment="arm")
    assert len(model.training_) == ROWS - 100
    assert model.schema_.names == ("first", "gap")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("spend", "arms"), "Did you mean 'arm'"),
        (("arm", "arm"), "name the same column"),
        (([1.0], "arm"), "must name a column of a table that is read in blocks"),
    ],
)
def test_columns_that_cannot_be_meant_are_told(folder, asked, said):
    with pytest.raises(BadInput, match=said):
        LinearTLearner().fit(pairnet.scan(folder), asked[0], treatment=asked[1])


def test_a_value_beyond_float32_is_told(folder):
    table().with_columns(first=pl.lit(1e300)).write_parquet(folder / "part3.parquet")
    with pytest.raises(BadInput, match="values beyond"):
        of(pairnet.scan(folder))


def test_a_block_without_any_row_that_takes_part_is_passed_over(folder, small_blocks):
    gone = pl.int_range(ROWS) < 400  # all of the first file, and so some whole blocks
    some = table().with_columns(arm=pl.when(gone).then(None).otherwise(pl.col("arm")))
    for part in range(3):
        some[part * 400 : (part + 1) * 400].write_parquet(folder / f"part{part}.parquet")
    model = of(pairnet.scan(folder, complete=True))
    whole = of(table()[400:])
    X = table()[400:].drop("arm", "spend")
    assert len(model.training_) == 800
    assert model.training_.row.min() == 400
    assert model.ate(X) == pytest.approx(whole.ate(X), abs=0.02)  # the sample fills gaps


def test_a_table_without_any_row_that_takes_part_is_told(folder):
    none = table().with_columns(arm=pl.lit(None, dtype=pl.String))
    for part in range(3):
        none[part * 400 : (part + 1) * 400].write_parquet(folder / f"part{part}.parquet")
    with pytest.raises(BadInput, match=r"has a value in each of 'spend' and 'arm'"):
        of(pairnet.scan(folder, complete=True))
