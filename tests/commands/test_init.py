"""`pairnet init` says what columns are, asks for what is not said, and prints what to run."""

import io
import os
import shlex
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import pairnet.commands.init
from commands_helpers import TABLE, ask

ALL = ("--treatment", "drug", "--outcome", "health")


@pytest.fixture
def table(tmp_path):
    frame = TABLE.with_columns(
        pl.lit("Q1").alias("quarter"),
        (pl.col("health") * 2 + 1).alias("health_in_points"),
        pl.Series("visits_after", np.arange(TABLE.height) % 7),
        pl.when(pl.int_range(pl.len()) % 4 == 0).then(pl.col("age")).alias("weight"),
    )
    frame.write_csv(tmp_path / "our patients.csv")
    return tmp_path / "our patients.csv"


def typed(monkeypatch, text):
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_with_options_it_asks_nothing_and_says_what_looks_like_trouble(table, capsys):
    said = ask(capsys, "init", table, *ALL)
    assert said.code == 0, said.err
    assert "Treatment drug, 2 arms: no (" in said.flat
    assert "Outcome health, a number from" in said.flat
    for trouble in (
        "'person' looks like an identifier or free text",
        "'quarter' is the same in all rows",
        "'health_in_points' repeats the outcome exactly",
        "'visits_after' may have been measured after the treatment",
        "'weight' has no value in 105 of 140 rows",
    ):
        assert trouble in said.flat
    assert "Its name or number" not in said.out


def test_the_command_that_it_prints_is_one_that_fit_understands(
    table, capsys, tmp_path, quick_methods
):
    more = ("--ignore", "health_in_points,visits_after", "-o", tmp_path / "m o", "--na", "Q9")
    said = ask(capsys, "init", table, *ALL, *more)
    assert "may have been measured" not in said.out
    words = shlex.split(said.out.splitlines()[-1])
    assert words[:2] == ["pairnet", "fit"]
    fitted = ask(capsys, *words[1:], "--method", "quick", "--members", 2, "--quiet")
    assert fitted.code == 0, fitted.err
    assert fitted.out == ""
    assert (tmp_path / "m o" / "model.json").exists()


def test_answers_are_names_or_numbers_and_wrong_ones_are_asked_again(table, capsys, monkeypatch):
    typed(monkeypatch, "drugg\n99\n5\nhealth\n")
    said = ask(capsys, "init", table)
    assert said.code == 0, said.err
    assert "There is no column 'drugg'. Did you mean 'drug'?" in said.flat
    assert "There is no column '99'." in said.flat
    assert "It may be 5 drug, " in said.flat
    assert "--treatment drug --outcome health" in said.out


def test_where_nobody_answers_it_ends_and_says_which_option_to_say(table, capsys, monkeypatch):
    typed(monkeypatch, "drug\n")
    said = ask(capsys, "init", table)
    assert said.code == 2
    assert "--outcome must be said, as there is nobody to ask. It may be one of" in said.err
    assert "health" in said.err


def test_a_silent_pipe_is_not_waited_for(table, monkeypatch, capsys):
    monkeypatch.setattr(pairnet.commands.init, "PATIENCE", 0.05)
    reads, writes = os.pipe()
    with open(reads) as silent, open(writes, "w"):
        monkeypatch.setattr(sys, "stdin", silent)
        said = ask(capsys, "init", table)
    assert said.code == 2
    assert "--treatment must be said" in said.err


def test_without_any_standard_input_it_ends_too(table):
    command = [sys.executable, "-m", "pairnet.cli", "init", str(table)]
    said = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False
    )
    assert said.returncode == 2
    assert "--treatment must be said" in said.stderr


def test_columns_with_two_readings_are_named_before_anything_else(tmp_path, capsys):
    path = tmp_path / "t.csv"
    rows = "".join(f'"{i % 9 + 1},{i:03d}",{"ab"[i % 2]},{i}\n' for i in range(40))
    path.write_text("visits,drug,health\n" + rows)
    said = ask(capsys, "init", path, *ALL)
    assert said.code == 2
    assert "'visits' that can be read in two ways" in said.flat
    assert "To train a model" not in said.out
    assert "--ignore visits" in said.flat
    settled = ask(capsys, "init", path, *ALL, "--thousands", ",")
    assert settled.code == 0
    assert "--thousands , --treatment drug" in settled.out


def test_arms_without_an_untreated_name_need_both_sides(tmp_path, capsys):
    TABLE.with_columns(pl.col("drug").replace({"no": "red", "yes": "blue"})).write_csv(
        tmp_path / "t.csv"
    )
    said = ask(capsys, "init", tmp_path / "t.csv", *ALL)
    assert "later commands need --from and --to" in said.flat
