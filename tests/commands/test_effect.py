"""What `pairnet effect` says and writes."""

import numpy as np
import polars as pl
import pytest

import pairnet
from commands_helpers import TABLE, N, X, ask, fit

pytestmark = pytest.mark.usefixtures("quick_methods")


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "tsv"])
def test_effects_are_written_beside_the_columns_that_are_no_covariates(
    ending, home, said_of_fit, capsys
):
    out = home / f"effects.{ending}"
    said = ask(
        capsys,
        "effect",
        home / "model",
        home / "table.parquet",
        "--from",
        "no",
        "--to",
        "yes",
        "-o",
        out,
    )
    assert said.code == 0, said.err
    assert "Effects of yes against no for 140 rows: mean" in said.flat
    from pairnet.tables.files import read_table

    found = read_table(out)
    assert found.columns == ["person", "drug", "health", "effect", "lower", "upper", "evidence"]
    expected = pairnet.load(home / "model").effect(
        TABLE.select("age", "height", "city"), T0="no", T1="yes"
    )
    assert np.allclose(found["effect"], expected)
    assert (found["lower"] <= found["effect"]).all()
    assert not list(home.glob("*.part"))


def test_a_table_of_covariates_alone_has_effects_too(home, said_of_fit, tmp_path, capsys):
    TABLE.select("age", "height", "city").write_csv(tmp_path / "new.csv")
    said = ask(
        capsys,
        "effect",
        home / "model",
        tmp_path / "new.csv",
        "-o",
        tmp_path / "e.csv",
        "--no-evidence",
    )
    assert said.code == 0, said.err
    found = pl.read_csv(tmp_path / "e.csv")
    assert found.columns == ["effect", "lower", "upper"]
    assert found.height == N


def test_covariates_are_kept_where_asked_and_those_called_as_identifiers_always(
    home, said_of_fit, tmp_path, capsys
):
    shops = tmp_path / "shops.csv"
    TABLE.with_columns(shop_id=pl.Series(np.arange(N) % 4)).write_csv(shops)
    said = fit(capsys, shops, tmp_path, "--covariates", "age,shop_id", "--no-bootstrap")
    assert "shop_id number" in said.flat
    out = ("-o", tmp_path / "e.csv", "--no-evidence")
    assert ask(capsys, "effect", tmp_path / "model", shops, *out).code == 0
    kept = ["person", "height", "city", "drug", "health", "shop_id"]
    assert pl.read_csv(tmp_path / "e.csv").columns == [*kept, "effect"]
    asked = (
        "effect",
        home / "model",
        home / "table.parquet",
        "-o",
        tmp_path / "e.csv",
        "--no-evidence",
        "--keep",
    )
    for names, kept in (
        ("city,age", ["person", "age", "city", "drug", "health"]),
        ("all", TABLE.columns),
    ):
        assert ask(capsys, *asked, names).code == 0
        assert pl.read_csv(tmp_path / "e.csv").columns == [*kept, "effect", "lower", "upper"]
    assert "has no column 'ages' (--keep)" in ask(capsys, *asked, "ages").flat


def test_abstaining_leaves_rows_without_evidence_empty(home, said_of_fit, capsys):
    far = TABLE.with_columns(
        age=pl.when(pl.col("person") == "p0").then(1e3).otherwise(pl.col("age")), effect=pl.lit(7)
    )
    far.write_csv(home / "far.csv")
    said = ask(
        capsys, "effect", home / "model", home / "far.csv", "-o", home / "far.parquet", "--abstain"
    )
    assert said.code == 0, said.err
    found = pl.read_parquet(home / "far.parquet")
    assert found["evidence"][0] == "extrapolating"
    assert found["effect"][0] is None
    well = found["evidence"] == "well supported"
    assert well.any()
    assert (found["effect"].is_not_null() == well).all()
    assert (found["upper"].is_not_null() == well).all()
    mean = found["effect"].mean()
    assert (
        f"for the {well.sum()} of 140 rows that are well supported: mean {mean:.4g}, from"
        in said.flat
    )
    quick = ask(
        capsys,
        "effect",
        home / "model",
        home / "far.csv",
        "-o",
        home / "far.parquet",
        "--no-evidence",
    )
    assert "evidence" not in pl.read_parquet(home / "far.parquet").columns, quick.out
    both = ("--abstain", "--no-evidence")
    said = ask(
        capsys, "effect", home / "model", home / "far.csv", "-o", home / "bare.parquet", *both
    )
    assert pl.read_parquet(home / "bare.parquet").equals(found.drop("evidence"))
    assert "Rows that are not well supported were left empty." in said.flat


def test_the_effect_of_one_row_is_said_alone(home, said_of_fit, tmp_path, capsys):
    TABLE[:1].write_csv(tmp_path / "one.csv")
    asked = ("effect", home / "model", tmp_path / "one.csv", "-o", tmp_path / "e.csv")
    value = f"{pairnet.load(home / 'model').effect(TABLE.select('age', 'height', 'city')[:1], T0='no', T1='yes')[0]:.4g}"
    assert (
        f"Effect of yes against no for 1 row: {value}. lower, upper"
        in ask(capsys, *asked, "--no-evidence").flat
    )
    TABLE[:1].with_columns(age=pl.lit(1e3)).write_csv(tmp_path / "one.csv")
    assert (
        "No effects of yes against no: 1 row, none of them well supported."
        in ask(capsys, *asked, "--abstain").flat
    )


def test_words_that_look_like_numbers_or_flags_are_the_levels_they_were_in_fit(tmp_path, capsys):
    status = np.array(["true", "false", "unknown"])[np.arange(N) % 3]
    version = np.array(["1.0", "2.0", "beta", "gamma"])[np.arange(N) % 4]
    table = TABLE.with_columns(status=pl.Series(status), version=pl.Series(version))
    table.write_csv(tmp_path / "all.csv")
    rest = (pl.col("status") != "unknown") & pl.col("version").is_in(["1.0", "2.0"])
    table.filter(rest).write_csv(tmp_path / "some.csv")
    assert fit(capsys, tmp_path / "all.csv", tmp_path).code == 0
    effects = {}
    for name in ("all", "some"):
        said = ask(
            capsys,
            "effect",
            tmp_path / "model",
            tmp_path / f"{name}.csv",
            "-o",
            tmp_path / f"{name}_effects.csv",
        )
        assert "not seen in fit" not in said.flat
        effects[name] = pl.read_csv(tmp_path / f"{name}_effects.csv")
    both = effects["all"].join(effects["some"], on="person", suffix="_alone")
    assert both.height == table.filter(rest).height > 20
    assert np.allclose(both["effect"], both["effect_alone"])


def test_beside_a_mean_stands_what_rows_far_outside_the_fit_make_of_it(
    home, said_of_fit, tmp_path, capsys
):
    TABLE.with_columns(age=pl.Series([5e30, *X[1:, 0]])).write_csv(tmp_path / "slip.csv")
    asked = ("effect", home / "model", tmp_path / "slip.csv", "-o", tmp_path / "e.csv")
    said = ask(capsys, *asked, "--no-evidence")
    assert "column 'age' has 1 row far outside the range of fit" in said.flat
    assert "as far as 5e+30" in said.flat
    rest = pl.read_csv(tmp_path / "e.csv")["effect"][1:].mean()
    means = "of rows. Beware: 1 of them has numbers far outside those of the fit; without it the mean is"
    assert f"{means} {rest:.4g}." in said.flat
    assert "Beware" not in ask(capsys, *asked, "--abstain").flat  # such a row is not well supported
