"""What `pairnet refute` says and keeps, and what reports show of it."""

import polars as pl
import pytest

import pairnet
from commands_helpers import TABLE, N, ask
from pairnet.report.model.refutation import known
from pairnet.report.model.subject import subject_of

BEFORE = pl.Series("before", [float(k % 7) for k in range(N)])


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """A folder with a table, and a model of it that does not know how people were before."""
    folder = tmp_path_factory.mktemp("clinic")
    gone = pl.DataFrame({name: [None] for name in TABLE.columns}, schema=TABLE.schema)
    table = pl.concat([gone, TABLE]).with_columns(before=pl.concat([pl.Series([1.0]), BEFORE]))
    table.write_csv(folder / "table.csv")
    model = pairnet.LinearTLearner(members=5, bootstrap=True)
    model.fit(TABLE.select("age", "height", "city"), TABLE["health"], treatment=TABLE["drug"])
    model.save(folder / "model")
    return folder


def test_what_was_found_is_said_and_kept_for_reports(clinic, capsys):
    before = ask(capsys, "report", clinic / "model", "-o", clinic / "before.html")
    assert before.code == 0, before.err
    assert "Attempts to refute" not in (clinic / "before.html").read_text()
    said = ask(
        capsys, "refute", clinic / "model", clinic / "table.csv", "--quick", "--repeats", 3,
        "--negative-controls", "before",
    )  # fmt: skip
    assert said.code == 0, said.err
    assert "placebo treatment" in said.flat
    assert "negative control before" in said.flat
    assert "of yes against no" in said.flat
    assert "Kept in" in said.flat
    kept = pairnet.load(clinic / "model").refutation_
    assert f": {kept.grade}" in said.flat
    assert kept["negative control before"].verdict == "holds"
    after = ask(capsys, "report", clinic / "model", "-o", clinic / "after.html")
    assert after.code == 0, after.err
    page = (clinic / "after.html").read_text()
    assert "Attempts to refute the effect" in page
    assert "negative control before" in page
    method = pairnet.load(clinic / "model")
    assert known(subject_of(method)).grade == kept.grade
    assert known(subject_of(method, T0="yes", T1="no")) is None  # another comparison


def test_a_report_refutes_if_it_is_asked_to_and_leaves_the_model_alone(clinic, capsys, tmp_path):
    model = pairnet.LinearTLearner(members=5, bootstrap=True)
    model.fit(TABLE.select("age", "city"), TABLE["health"], treatment=TABLE["drug"])
    model.save(tmp_path / "model")
    said = ask(capsys, "report", tmp_path / "model", "-o", tmp_path / "page.html", "--refute")
    assert said.code == 0, said.err
    assert "own method, placebo" in (tmp_path / "page.html").read_text()
    assert pairnet.load(tmp_path / "model").refutation_ is None


def test_wrong_use_fails_in_the_words_of_options(clinic, capsys):
    model, table = clinic / "model", clinic / "table.csv"
    said = ask(capsys, "refute", model, table, "--negative-controls", "befor", "--quick")
    assert said.code == 2
    assert "has no column 'befor' (--negative-controls)" in said.flat
    assert "Did you mean 'before'?" in said.flat
    said = ask(capsys, "refute", model, "--negative-controls", "before", "--quick")
    assert said.code == 2
    assert "--negative-controls must name columns" in said.flat
    pl.read_csv(table)[5:90].write_csv(clinic / "part.csv")
    said = ask(
        capsys, "refute", model, clinic / "part.csv", "--negative-controls", "before", "--quick"
    )
    assert said.code == 2
    assert "must be the table of the fit" in said.flat
    assert ask(capsys, "refute", model, "--repeats", 1).code == 2
    assert ask(capsys, "refute", clinic / "nothing").code == 2
    said = ask(capsys, "refute", model, "--from", "never", "--quick")
    assert said.code == 2
    assert "never" in said.flat
