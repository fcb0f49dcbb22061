"""`pairnet demo` does the main job, shows what to type, and holds the answers against the truth."""

import re
import shlex

import numpy as np
import polars as pl
import pytest

from commands_helpers import ask
from pairnet.bench.customers import customers
from pairnet.cli import app
from pairnet.commands import demo as module
from pairnet.core.errors import BadInput


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "ROWS", 400)
    monkeypatch.setattr(module, "NEW", 120)
    return tmp_path


def quick(words):
    """Do what a command line says, with one linear model in place of a stack."""
    swapped = shlex.join(map(str, words)).replace("--preset fast", "--method lineartlearner")
    app(shlex.split(swapped), standalone_mode=False)


def test_it_shows_the_commands_does_them_and_says_how_near_the_answer_is(in_folder, capsys):
    module.demo(False, None, 0, {}, quick)
    said = capsys.readouterr().out
    typed = [line for line in said.splitlines() if line.startswith("$ pairnet ")]
    assert [line.split()[2] for line in typed] == ["fit", "effect", "report"]
    flat = " ".join(said.split())
    made = customers(400, 0)
    assert f"Average effect in the table: {made.effect.mean():.2f} in truth" in flat
    effects = pl.read_csv("pairnet-demo/effects.csv")
    truth = customers(120, 0, first=401).effect
    error = np.sqrt(np.mean((effects["effect"].to_numpy() - truth) ** 2))
    assert f"effects are off by {error:.2f}" in flat
    holds = ((effects["lower"] <= pl.Series(truth)) & (pl.Series(truth) <= effects["upper"])).mean()
    assert f"{100 * holds:.0f} % of the 95 % intervals hold the true effect" in flat
    for name in ("report.html", "effects.csv", "customers.csv"):
        assert f"pairnet-demo/{name}" in said.partition("To open:")[2]
        assert (in_folder / "pairnet-demo" / name).stat().st_size > 1000
    module.demo(False, None, 0, {}, quick)  # again, into its own folder


def test_a_folder_of_somebody_else_is_left_alone(in_folder, capsys):
    (in_folder / "mine").mkdir()
    (in_folder / "mine" / "customers.csv").write_text("precious")
    with pytest.raises(BadInput, match="which holds files that are not of a demonstration"):
        module.demo(False, in_folder / "mine", 0, {}, quick)
    assert (in_folder / "mine" / "customers.csv").read_text() == "precious"
    said = ask(capsys, "demo", "-o", in_folder / "mine" / "customers.csv")
    assert said.code == 2
    assert "must be a folder" in said.err


def test_the_table_hides_the_effect_from_a_plain_comparison():
    table, effect = customers(4000)
    spend, had = table["spend"].to_numpy(), (table["discount"] == "yes").to_numpy()
    assert spend[had].mean() - spend[~had].mean() < 0 < effect.mean()
    assert 0.3 < had.mean() < 0.7
    assert effect.std() > 0.5 * effect.mean()
    again = customers(4000)
    assert again.table.equals(table)
    assert not customers(4000, seed=1).table.equals(table)
    first, later = customers(5), customers(5, first=6)
    assert not set(first.table["customer"]) & set(later.table["customer"])
    assert table["age"].null_count() > 0
    assert all(re.fullmatch(r"C\d{5}", one) for one in table["customer"])
