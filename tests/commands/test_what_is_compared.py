"""Which treatments commands compare, where somebody says so and where nobody does."""

import polars as pl
import pytest

import pairnet
from checks import easy_dose_problem
from commands_helpers import TABLE, ask, fit

pytestmark = pytest.mark.usefixtures("quick_methods")


def test_a_dose_is_asked_by_numbers_and_all_commands_compare_the_same_where_nobody_says(
    tmp_path, capsys
):
    from pairnet.report.model.subject import subject_of as view

    x, t, y, _ = easy_dose_problem(80)
    pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "mg": t, "y": y}).write_csv(tmp_path / "doses.csv")
    asked = dict(treatment="mg", outcome="y", method="quickdose")
    said = fit(
        capsys, tmp_path / "doses.csv", tmp_path, "--no-bootstrap", "--kind", "dose", **asked
    )
    assert said.code == 0, said.err
    low, high = view(pairnet.load(tmp_path / "model")).labels  # what a report compares
    assert f"Treatment mg, a dose from 10 to 60, mostly {low:g} to {high:g}." in said.flat
    assert f"Average effect on y of {high:g} against {low:g}:" in said.flat
    assert f"--from {low:g} --to {high:g}" in said.flat
    out = ("-o", tmp_path / "e.csv")
    said = ask(
        capsys,
        "effect",
        tmp_path / "model",
        tmp_path / "doses.csv",
        "--from",
        "20",
        "--to",
        "30.5",
        *out,
    )
    assert said.code == 0, said.err
    assert "Effects of 30.5 against 20" in said.flat
    assert "No intervals: the model was fitted without --bootstrap" in said.flat
    assert (
        ask(capsys, "effect", tmp_path / "model", tmp_path / "doses.csv", "--to", "much", *out).code
        == 2
    )
    said = ask(
        capsys,
        "effect",
        tmp_path / "model",
        tmp_path / "doses.csv",
        "--from",
        "70",
        "--to",
        "70.0",
        *out,
    )
    assert "--from and --to must differ for there to be an effect, got '70' twice" in said.flat
    said = ask(capsys, "effect", tmp_path / "model", tmp_path / "doses.csv", "--no-evidence", *out)
    assert f"Effects of {high:g} against {low:g}" in said.flat


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--from", "maybe", "--to", "yes"),
            "--from names no arm of this model: expected one of no, yes, got 'maybe'",
        ),
        (
            ("--from", "no", "--to", "no"),
            "--from and --to must differ for there to be an effect, got 'no' twice",
        ),
        (
            ("-o", "effects.dta"),
            "must end in .csv, .tsv, .txt, .csv.gz, .csv.zst, .tsv.gz, .parquet,",
        ),
        (("-o", "nowhere/effects.csv"), "does not exist"),
        (("--alpha", "5"), "alpha must be the share"),
    ],
)
def test_bad_questions_end_with_a_line(words, message, home, said_of_fit, capsys):
    more = () if "-o" in words else ("-o", home / "bad.csv")
    said = ask(capsys, "effect", home / "model", home / "table.csv", *words, *more)
    assert said.code == 2
    assert message in said.flat
    assert not (home / "bad.csv").exists()


def test_a_sign_that_would_be_a_guess_is_asked_for_by_all_commands(tmp_path, capsys):
    """Neither apples nor pears are called as untreated ones are: nobody guesses which is which."""
    arms = pl.Series("drug", ["apple", "pear"])[(TABLE["drug"] == "yes").cast(pl.Int8)]
    TABLE.with_columns(arms).write_csv(tmp_path / "t.csv")
    said = fit(capsys, tmp_path / "t.csv", tmp_path)
    assert said.code == 0, said.err
    assert "No average effect is shown: no arm has a name that means untreated" in said.flat
    assert "--from apple --to pear" in said.flat
    model, effects = tmp_path / "model", tmp_path / "e.csv"
    wanted = "--from and --to must say which arms to compare, of 'apple', 'pear'"
    for words in (("effect", model, tmp_path / "t.csv", "-o", effects), ("report", model)):
        said = ask(capsys, *words)
        assert said.code == 2
        assert wanted in said.flat, said.err
        assert "--from apple, --to pear" in said.flat
    both = ("--from", "apple", "--to", "pear")
    said = ask(capsys, "effect", model, tmp_path / "t.csv", "-o", effects, *both)
    assert "of pear against apple" in said.flat, said.err
    said = ask(capsys, "effect", model, tmp_path / "t.csv", "-o", effects, "--from", "pear")
    assert "of apple against pear" in said.flat, said.err
