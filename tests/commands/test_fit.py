"""What `pairnet fit` says and writes."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pairnet
from checks import easy_dose_problem
from commands_helpers import TABLE, N, Quick, Y, ask, fit
from pairnet.commands.fit import in_words
from pairnet.evidence.support import DISAGREE, VERDICTS, NearestRows, Support
from pairnet.tables import opened

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
        "Support: of 138 rows, ",
        " are well supported (rows like them had either treatment)",
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


def test_decimal_commas_are_read_and_said_and_noted_where_files_have_types(tmp_path, capsys):
    table = TABLE.with_columns(pl.col("age").cast(pl.String).str.replace(".", ",", literal=True))
    table.write_csv(tmp_path / "t.csv")  # values with commas are quoted
    table.write_parquet(tmp_path / "t.parquet")
    said = fit(capsys, tmp_path / "t.csv", tmp_path, method="lineartlearner")
    assert said.code == 0, said.err
    first = table["age"][0]
    assert f"'{first}' is read as {first.replace(',', '.')}" in said.flat
    assert "age number 0" in said.flat
    said = fit(capsys, tmp_path / "t.parquet", tmp_path, method="lineartlearner")
    assert said.code == 0, said.err
    noted = "Note: Not used as numbers, since they have commas: 'age'. Write them with a decimal"
    assert noted in " ".join(said.err.split())


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


def test_columns_that_give_the_answer_away_are_noted_and_rows_without_support_counted(
    tmp_path, capsys
):
    rng = np.random.default_rng(0)
    treated, before = np.arange(400) % 2, rng.normal(size=400)
    change = treated + rng.normal(size=400)
    told = {"drug": treated, "health": change, "before": before, "after": before + change}
    told["size"] = np.where(treated, 1 + rng.random(400), -rng.random(400))
    pl.DataFrame(told).write_csv(tmp_path / "t.csv")
    said = fit(capsys, tmp_path / "t.csv", tmp_path)
    assert said.code == 0, said.err
    assert (
        "Note: The covariates 'before' and 'after' together predict the outcome almost perfectly "
        "on rows not seen. One of them may have been measured after the treatment, or made from "
        "the outcome: then leave that one out with --ignore, or effects say nothing." in said.flat
    )
    assert "Note: The covariate 'size' predicts the treatment almost perfectly" in said.flat
    assert "Support: of 400 rows, " in said.flat
    assert "the average effect is mostly guessed, too" in said.flat
    assert "`pairnet effect --abstain` leaves rows empty" in said.flat
    leaks = pairnet.load(tmp_path / "model").leaks()
    assert [leak.columns for leak in leaks] == [("before", "after"), ("size",)]
    out = ("-o", tmp_path / "e.csv", "--from", 0, "--to", 1)
    said = ask(capsys, "effect", tmp_path / "model", tmp_path / "t.csv", *out)
    assert "Effects of rows that extrapolate are guesses of the model" in said.flat
    assert "--abstain leaves them empty" in said.flat


def test_the_support_of_many_rows_is_that_of_a_sample_and_says_so():
    three = np.repeat(VERDICTS, [1990, 7, 3])
    none = np.zeros((2000, 1))
    nobody = NearestRows(none.astype(int), none, none, none)
    support = Support(nobody, nobody, np.ones(2000), three, opened(none))
    assert in_words(support, 30_000) == (
        "of 2,000 rows drawn by lot, 1,990 are well supported (rows like them had either "
        "treatment), 7 thin, and 3 extrapolating (hardly any like them had one of the two)."
    )
    doubted = np.where(np.arange(2000) == np.flatnonzero(three == VERDICTS[0])[0], DISAGREE, three)
    said = in_words(Support(nobody, nobody, np.ones(2000), doubted, opened(none)), 30_000)
    assert "1,989 are well supported" in said
    assert said.endswith("On 1 more the learners disagree: by more than the effect itself.")


def test_weights_clusters_chances_and_the_target_are_options(tmp_path, capsys):
    table = TABLE.with_columns(
        pl.Series("village", [f"v{row // 5}" for row in range(N)]),
        pl.Series("times", [1 + row % 3 for row in range(N)]),
        pl.Series("lot", [0.4 + 0.2 * (row % 2) for row in range(N)]),
    ).drop("person")
    table.write_csv(tmp_path / "table.csv")
    known = ("--clusters", "village", "--weights", "times", "--propensity", "lot")
    linear = {"method": "lineartlearner"}
    said = fit(capsys, tmp_path / "table.csv", tmp_path, *known, "--target", "treated", **linear)
    assert said.code == 0, said.err
    assert "Average effect on health of yes against no among the treated:" in said.flat
    assert "village" not in said.out
    memory = pairnet.load(tmp_path / "model").training_
    assert len(np.unique(memory.clusters)) == N // 5
    assert sorted(set(memory.design[:, 1].round(3))) == [0.4, 0.6]
    assert np.ptp(memory.weight) > 0
    by_arm = ("--propensity", "no=0.4,yes=0.6", "--ignore", "village,times,lot")
    assert fit(capsys, tmp_path / "table.csv", tmp_path, *by_arm, **linear).code == 0
    design = pairnet.load(tmp_path / "model").training_.design
    assert np.unique(design.round(3)).tolist() == [0.4, 0.6]
    for wrong, message in {
        ("--propensity", "chance"): "has no column 'chance' (--propensity)",
        ("--propensity", "40"): "--propensity must lie between 0 and 1, got 40",
        ("--clusters", "city"): "--clusters must hold at least 5 different groups, got 2",
        ("--weights", "city"): "--weights must be numbers",
        ("--weights", "times", "--covariates", "age,times"): "'times', which is no covariate",
    }.items():
        said = fit(capsys, tmp_path / "table.csv", tmp_path, *wrong, **linear)
        assert said.code == 2
        assert message in said.flat


def test_the_average_of_a_target_is_said_of_other_rows_too(home, said_of_fit, tmp_path, capsys):
    words = (home / "model", home / "table.csv", "-o", tmp_path / "out.csv")
    said = ask(capsys, "effect", *words, "--target", "overlap")
    assert said.code == 0, said.err
    assert "of yes against no among those who might have had either:" in said.flat


def test_a_folder_is_fitted_in_blocks_and_its_next_commands_work(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    whole = pl.DataFrame({"age": rng.normal(size=300), "arm": rng.choice(["no", "yes"], 300)})
    whole = whole.with_columns(spend=whole["age"] + 2.0 * (whole["arm"] == "yes").cast(pl.Float64))
    Path("big").mkdir()
    for part in range(2):
        whole[150 * part : 150 * (part + 1)].write_parquet(f"big/{part}.parquet")
    columns = ("--treatment", "arm", "--outcome", "spend", "--method", "lineartlearner")
    said = ask(capsys, "fit", "big", *columns, "-o", "model")
    assert said.code == 0, said.err
    assert "is read in blocks" in said.out
    assert "300 rows" in said.out
    said = ask(capsys, "effect", "model", "big", "-o", "effects/")
    assert said.code == 0, said.err
    found = pl.read_parquet("effects/part-*.parquet")
    assert found["effect"].mean() == pytest.approx(2, abs=0.01)


def test_what_is_for_whole_files_is_refused_for_a_folder(tmp_path, capsys):
    pl.DataFrame({"x": [1.0], "t": [0], "y": [1.0]}).write_parquet(tmp_path / "0.parquet")
    columns = ("--treatment", "t", "--outcome", "y", "--thousands", ",")
    said = ask(capsys, "fit", tmp_path, *columns, "-o", tmp_path / "model")
    assert said.code == 2
    assert "--thousands" in said.err
    assert "read in blocks" in said.err
