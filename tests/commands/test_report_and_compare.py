"""`pairnet report` and `pairnet compare` as people type them."""

import hashlib
import re
import shutil

import numpy as np
import polars as pl
import pytest

import pairnet
from checks import QUICK
from commands_helpers import TABLE, N, T, X, Y, ask, fit
from pairnet import PairNet, TARNet, VCNet
from pairnet.compare.ranking import compare

pytestmark = pytest.mark.usefixtures("quick_methods")


def test_report_writes_a_page_and_says_the_answer(home, said_of_fit, capsys):
    asked = ("--from", "no", "--to", "yes", "--by", "city")
    said = ask(capsys, "report", home / "model", "-o", home / "report.html", *asked)
    assert said.code == 0, said.err
    assert "What does drug = yes instead of no do to health?" in said.flat
    assert "Report:" in said.out
    page = (home / "report.html").read_text()
    assert "The effect of drug on health" in page
    assert "Evidence: who was compared with whom" in page
    assert "Effects by city, as asked" in page


def test_a_page_names_the_file_its_hash_and_the_commands(home, said_of_fit, capsys):
    said = ask(capsys, "report", home / "model", "-o", home / "origin.html", "--to", "yes")
    assert said.code == 0, said.err
    page = (home / "origin.html").read_text()
    (file,) = {path for path in home.iterdir() if f"<td>{path.name}, " in unbroken(page)}
    assert hashlib.sha256(file.read_bytes()).hexdigest() in unbroken(page)
    assert f"pairnet fit {file} --treatment drug" in page
    assert f"pairnet report {home / 'model'} -o {home / 'origin.html'} --to yes" in page


def unbroken(page):
    return re.sub(r' class="\w+"|<wbr>', "", page)


def test_several_models_share_a_page(home, said_of_fit, tmp_path, capsys):
    shutil.copytree(home / "model", tmp_path / "again")
    asked = ("-o", tmp_path / "both.html", "--from", "no", "--to", "yes")
    said = ask(capsys, "report", home / "model", tmp_path / "again", *asked)
    assert said.code == 0, said.err
    page = (tmp_path / "both.html").read_text()
    assert '<h2 id="model">' in page
    assert '<h2 id="again">' in page
    said = ask(capsys, "report", home / "model", home / "model", *asked)
    assert said.code == 2
    assert "is named twice" in said.flat


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("report",), "pairnet report model/"),
        (("report", "model", "-o", "report.pdf"), "must end in .html"),
        (("report", "model", "-o", "nowhere/report.html"), "does not exist"),
        (("report", "model", "--to", "maybe"), "--to names no arm"),
        (("report", "model", "--goal", "most"), "goal must be"),
        (("report", "model", "--by", "town"), "--by must name covariates of the model"),
        (("report", "table.csv"), "table.csv"),
        (
            ("compare", "table.csv", "--treatment", "drugs", "--outcome", "health"),
            "Did you mean 'drug'?",
        ),
        (
            (
                "compare",
                "table.csv",
                "--treatment",
                "drug",
                "--outcome",
                "health",
                "--methods",
                "quik",
            ),
            "Did you mean 'quick'",
        ),
    ],
)
def test_mistakes_with_report_and_compare_end_with_a_line(
    home, said_of_fit, capsys, monkeypatch, words, message
):
    monkeypatch.chdir(home)
    said = ask(capsys, *words)
    assert said.code == 2
    assert message in said.flat
    assert not (home / "report.pdf").exists()


def test_compare_ranks_methods(home, capsys):
    asked = ("--treatment", "drug", "--outcome", "health", "--methods", "quick", "--folds", 1)
    said = ask(capsys, "compare", home / "table.parquet", *asked)
    assert said.code == 0, said.err
    assert "Held-out losses over 47 rows" in said.flat
    assert "quick has the smallest held-out pair loss" in said.flat


def test_compare_takes_the_kind_and_advice_names_options(home, tmp_path, capsys):
    steps = TABLE.with_columns(mg=pl.Series(np.arange(N) % 12))
    steps.write_csv(tmp_path / "steps.csv")
    asked = (
        "compare",
        tmp_path / "steps.csv",
        "--treatment",
        "mg",
        "--outcome",
        "health",
        "--folds",
        1,
        "--methods",
    )
    said = ask(capsys, *asked, "quick,quickdose")
    assert said.code == 2
    assert "Set --kind arms or --kind dose for all of them, or leave some methods out." in said.flat
    assert (
        "Use --method vcnet, drnet or pairnet."
        in ask(capsys, *asked, "quick", "--kind", "dose").flat
    )
    assert ask(capsys, *asked, "quick", "--kind", "doses").code == 2


@pytest.mark.parametrize("kind", ["arms", "dose"])
def test_no_advice_for_python_is_left_on_the_command_line(kind, tmp_path):
    from pairnet.commands.wording import worded

    words = np.array([f"w{i}" for i in range(N)])
    for ask_python in (
        lambda: PairNet(treatment=kind, plan=QUICK).fit(X, Y, treatment=words),
        lambda: PairNet(treatment=kind, plan=QUICK).fit(X, np.full(N, "a"), treatment=T),
        lambda: TARNet(treatment="dose").fit(X, Y, treatment=Y),
        lambda: VCNet(treatment="arms").fit(X, Y, treatment=T),
        lambda: compare(["tarnet", "vcnet"], X, Y, treatment=np.arange(N) % 12, kind="auto"),
        lambda: pairnet.load(tmp_path),
    ):
        with pytest.raises(ValueError, match=".") as error:
            ask_python()
        said = worded(error.value)
        assert not re.search(r"[A-Z]\w+Net\(|treatment=|^[yX] |schema_", said), said


def test_a_file_with_decimal_commas_is_read_by_all_commands(home, said_of_fit, tmp_path, capsys):
    text = TABLE.write_csv(separator=";", float_precision=6).replace(".", ",")
    (tmp_path / "table.csv").write_text(text)
    said = fit(
        capsys, tmp_path / "table.csv", tmp_path, "--separator", ";", method="lineartlearner"
    )
    assert "Numbers are read with decimal commas." in said.flat, said.err
    read = ("--separator", ";", "--decimal", ",")
    said = fit(capsys, tmp_path / "table.csv", tmp_path, *read)
    assert said.code == 0, said.err
    assert "age number 0" in said.flat
    assert "table.csv --separator ';' --decimal , --from no --to yes" in said.flat
    asked = (
        "effect",
        tmp_path / "model",
        tmp_path / "table.csv",
        "-o",
        tmp_path / "e.csv",
        "--no-evidence",
    )
    assert ask(capsys, *asked, *read).code == 0
    expected = pairnet.load(tmp_path / "model").effect(
        TABLE.select("age", "height", "city"), T0="no", T1="yes"
    )
    assert np.allclose(pl.read_csv(tmp_path / "e.csv")["effect"], expected, atol=1e-4)
    assert ask(capsys, *asked, "--separator", ";").code == 0  # as in the fit
    again = pl.read_csv(tmp_path / "e.csv")["effect"]
    assert np.allclose(again, expected, atol=1e-4)
    said = ask(capsys, *asked, "--separator", ";", "--decimal", ".")
    assert said.code == 2
    assert "must hold numbers in column 'age', as in fit: got" in said.flat
    asked = ("--treatment", "drug", "--outcome", "health", "--methods", "quick", "--folds", 1)
    assert ask(capsys, "compare", tmp_path / "table.csv", *asked, *read).code == 0
    assert (
        "--decimal must be '.' or ','"
        in ask(capsys, "compare", tmp_path / "table.csv", *asked, "--decimal", ";").flat
    )
