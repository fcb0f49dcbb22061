"""--json says as facts what the words say, and --quiet says nothing; errors go where they go."""

import json

import numpy as np
import polars as pl
import pytest

from commands_helpers import TABLE, N, ask, fit


@pytest.fixture(scope="module")
def told(home, said_of_fit):
    return said_of_fit


def test_fit_tells_programs_what_it_tells_people(home, tmp_path, capsys, quick_methods):
    said = fit(capsys, home / "table.csv", tmp_path, "--json")
    assert said.code == 0, said.err
    facts = json.loads(said.out)
    assert facts["command"] == "fit"
    assert facts["rows"] + facts["dropped_rows"] == N
    assert facts["dropped_rows"] == 2
    assert (facts["treatment"], facts["outcome"]) == ("drug", "health")
    assert {one["name"]: one["used"] for one in facts["covariates"]} == {
        "person": False,
        "age": True,
        "height": True,
        "city": True,
    }
    (average,) = facts["averages"]
    assert (average["from"], average["to"], average["target"]) == ("no", "yes", "all")
    assert average["lower"] < average["average"] < average["upper"]
    (support,) = facts["support"]
    assert (
        sum(support[name] for name in ("well supported", "thin", "extrapolating"))
        <= support["rows"]
    )
    assert facts["notes"] == [note for note in facts["notes"] if note]
    words = fit(capsys, home / "table.csv", tmp_path / "again")
    assert f"{average['average']:.4g} (95 % interval {average['lower']:.4g} to" in words.flat


def test_effect_and_policy_tell_programs_what_they_wrote(home, told, tmp_path, capsys):
    out = tmp_path / "effects.csv"
    said = ask(
        capsys,
        "effect",
        home / "model",
        home / "table.csv",
        "-o",
        out,
        "--json",
        "--target",
        "treated",
    )
    facts = json.loads(said.out)
    effects = pl.read_csv(out)["effect"].to_numpy()
    assert facts["rows"] == len(effects) == facts["with_effect"]
    assert np.isclose(facts["mean"], effects.mean())
    assert np.isclose(facts["quantiles"]["0.9"], np.quantile(effects, 0.9))
    assert sum(facts["evidence"].values()) == len(effects)
    assert facts["average"]["target"] == "treated"
    assert facts["written"] == str(out)
    assert facts["columns"][-4:] == pl.read_csv(out).columns[-4:]
    plan = ask(
        capsys,
        "policy",
        home / "model",
        home / "table.csv",
        "-o",
        tmp_path / "plan.csv",
        "--cost",
        1,
        "--json",
    )
    facts = json.loads(plan.out)
    assert sum(facts["plan"].values()) == len(effects)
    assert np.isclose(facts["spent"], pl.read_csv(tmp_path / "plan.csv")["spent"].sum())


def test_compare_tells_programs_the_ranking(home, capsys):
    words = ("--treatment", "drug", "--outcome", "health", "--folds", 1)
    said = ask(
        capsys,
        "compare",
        home / "table.csv",
        *words,
        "--methods",
        "linearslearner,lineartlearner",
        "--json",
    )
    facts = json.loads(said.out)
    losses = [one["loss"] for one in facts["methods"]]
    assert losses == sorted(losses)
    assert {one["method"] for one in facts["methods"]} == {"linearslearner", "lineartlearner"}
    assert facts["conclusion"]


def test_quiet_says_nothing_and_does_the_same(home, told, tmp_path, capsys):
    words = ("effect", home / "model", home / "table.csv", "-o")
    loud, quiet = (
        ask(capsys, *words, tmp_path / "a.csv"),
        ask(capsys, *words, tmp_path / "b.csv", "-q"),
    )
    assert loud.out
    assert (quiet.code, quiet.out) == (0, "")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_mistakes_are_on_standard_error_whoever_asks(home, told, tmp_path, capsys):
    words = ("effect", home / "model", "-o", tmp_path / "e.csv")
    for more in ("--json", "--quiet"):
        said = ask(capsys, *words, tmp_path / "nowhere.csv", more)
        assert (said.code, said.out) == (2, "")
        assert "Error: There is no file at" in said.err
    both = ask(capsys, *words, home / "table.csv", "--json", "--quiet")
    assert both.code == 2
    assert "--quiet and --json exclude each other" in both.err
    assert not (tmp_path / "e.csv").exists()


def test_what_is_no_number_is_null(tmp_path, capsys, home, told):
    TABLE.head(3).with_columns(age=pl.lit(1e6)).write_csv(tmp_path / "odd.csv")
    said = ask(
        capsys,
        "effect",
        home / "model",
        tmp_path / "odd.csv",
        "-o",
        tmp_path / "e.csv",
        "--abstain",
        "--json",
    )
    facts = json.loads(said.out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert facts["with_effect"] == 0
    assert facts["mean"] is None
    assert any("unlike" in note or "outside" in note for note in facts["notes"])
