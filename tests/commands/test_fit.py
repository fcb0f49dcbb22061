"""What `pairnet fit` says and writes."""

import polars as pl
import pytest

import pairnet
from checks import easy_dose_problem
from commands_helpers import TABLE, N, Quick, Y, fit

pytestmark = pytest.mark.usefixtures("quick_methods")


def test_fit_shows_the_columns_and_ends_with_a_summary_and_the_next_commands(home, said_of_fit):
    flat = " ".join(said_of_fit.split())
    for part in (
        "140 rows, 6 columns.",
        "Dropped 2 rows without a treatment or an outcome; 138 are left.",
        "person left out looks like an identifier or free text: 138 different values in 138 rows",
        "city category 0 2 levels: Oslo, Rome",
        "Quick was trained on 138 rows",
        "Treatment drug, 2 arms: no (",
        "Average effect on health of yes against no:",
        "(95 % interval",
        "Loss on rows held out of training:",
        "--from no --to yes -o effects.csv",
        "pairnet report",
    ):
        assert part in flat
    assert all(len(line) <= 80 for line in said_of_fit.splitlines() if str(home) not in line)
    model = pairnet.load(home / "model")
    assert model.schema_.left_out[0].name == "person"
    assert model.training_.summary["rows"] == 138


def test_what_repeats_the_answer_and_empty_columns_are_noted(tmp_path, capsys):
    treated = (TABLE["drug"] == "yes").cast(pl.Int64)
    told = {"health": treated, "copy": 3 - 2 * treated, "empty": pl.lit(None, pl.Float64)}
    TABLE.with_columns(**told).write_csv(tmp_path / "table.csv")
    said = fit(capsys, tmp_path / "table.csv", tmp_path, "--ignore", "person,city")
    assert said.code == 0, said.err
    assert "Note: The outcome follows from the treatment exactly" in said.flat
    assert (
        "Note: The covariate 'copy' repeats the outcome exactly. Leave it out with --ignore"
        in said.flat
    )
    assert "empty left out has no values at all" in said.flat
    assert "person" not in said.out.split("Covariates:")[1].split("Next:")[0]


def test_covariates_with_decimal_commas_are_noted_after_the_table(tmp_path, capsys):
    TABLE.with_columns(pl.col("age").cast(pl.String).str.replace(".", ",", literal=True)).write_csv(
        tmp_path / "t.csv"
    )
    said = fit(capsys, tmp_path / "t.csv", tmp_path)
    assert said.code == 0, said.err
    assert (
        "Note: Not used as numbers, since they have commas: 'age'. Say --decimal ','"
        in " ".join(said.err.split())
    )
    said = fit(
        capsys, tmp_path / "t.csv", tmp_path, "--decimal", ",", "--members", 1
    )  # values with commas are quoted
    assert "age number 0" in said.flat
    assert "commas" not in said.flat


def test_rows_that_are_dropped_have_no_say_in_what_an_outcome_is(tmp_path, capsys):
    lived = pl.Series("lived", [("0", "1")[int(y > 0)] for y in Y])
    table = TABLE.with_columns(lived).with_columns(
        lived=pl.when(pl.col("person") == "p3").then(pl.lit("lost")).otherwise("lived"),
        drug=pl.when(pl.col("person") == "p3").then(None).otherwise("drug"),
    )
    table.write_csv(tmp_path / "t.csv")
    said = fit(capsys, tmp_path / "t.csv", tmp_path, "--ignore", "health,person", outcome="lived")
    assert said.code == 0, said.err


def test_a_first_column_without_a_name_and_one_member_are_fine(tmp_path, capsys):
    TABLE.with_row_index("").write_csv(tmp_path / "from_pandas.csv")
    said = fit(
        capsys,
        tmp_path / "from_pandas.csv",
        tmp_path,
        "--no-bootstrap",
        "--covariates",
        "age,age,height",
    )
    assert said.code == 0, said.err
    assert "its interval needs" in said.flat
    assert "pairnet effect" in said.out


def test_a_dose_that_is_another_in_every_row_is_no_leak(tmp_path, capsys):
    x, t, y, _ = easy_dose_problem(N)
    pl.DataFrame({"age": x[:, 0], "mg": t, "bp": y}).write_csv(tmp_path / "t.csv")
    said = fit(
        capsys, tmp_path / "t.csv", tmp_path, treatment="mg", outcome="bp", method="quickdose"
    )
    assert said.code == 0, said.err
    assert "exactly" not in said.flat


def test_ctrl_c_ends_a_fit_and_leaves_the_older_model_alone(home, said_of_fit, capsys, monkeypatch):
    import signal

    before = (home / "model" / "model.json").read_bytes()
    monkeypatch.setattr(Quick, "fit", lambda *_, **__: signal.raise_signal(signal.SIGINT))
    said = fit(capsys, home / "table.csv", home)
    assert said.code == 130
    assert "Interrupted; nothing was written." in said.err
    assert (home / "model" / "model.json").read_bytes() == before
