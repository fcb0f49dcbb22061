import os
import subprocess
import sys

import numpy as np
import pytest

from checks import QUICK, SMALL
from commands_helpers import ask
from pairnet import PairNet, Plan, TARNet, __version__
from pairnet.bench.evaluate import evaluate
from pairnet.methods import methods
from pairnet.report.tables import comparison, verdict
from pairnet.studies import load, studies


def pairnet(*words, env=None, **options):
    command = [sys.executable, "-m", "pairnet.cli", *words]
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"} | (
        env or {}
    )
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=environment,
        **options,
    )


def test_version_and_list():
    assert pairnet("--version").stdout.strip() == f"pairnet {__version__}"
    assert all(name in pairnet("list").stdout for name in methods)
    said = pairnet("list", "--all").stdout
    assert all(name in said for name in (*methods, "confounded", "ihdp", "gp"))


def test_demo_prints_a_table_and_writes_a_picture(tmp_path, capsys, monkeypatch):
    whole = Plan.schedule
    monkeypatch.setattr(Plan, "schedule", lambda *asked: whole(*asked)._replace(longest=20))
    monkeypatch.chdir(tmp_path)
    said = ask(capsys, "demo", "--methods", "--realisations", "1")
    assert said.code == 0, said.err
    for words in (
        "TARNet",
        "PairNet",
        "PEHE out",
        "ATE error",
        "p-value",
        "seconds",
        "Picture: pairnet-demo.png",
    ):
        assert words in said.out
    assert (tmp_path / "pairnet-demo.png").read_bytes().startswith(b"\x89PNG")


def test_studies_are_listed_checked_and_not_fetched_twice(tmp_path):
    said = pairnet("data", env={"COLUMNS": "110"})
    assert said.returncode == 0, said.stderr
    for name in studies:
        assert name in said.stdout
    for words in ("672 + 75", "Apache-2.0", "made here", "STAND-IN"):
        assert words in said.stdout
    checked = pairnet("data", "check", "gp")
    assert "works" in checked.stdout
    (tmp_path / "ihdp").mkdir()
    for split in ("train", "test"):
        (tmp_path / "ihdp" / f"ihdp_npci_1-100.{split}.npz").write_bytes(b"not this")
    wrong = pairnet("data", "check", "ihdp", "--data", str(tmp_path))
    assert wrong.returncode == 2
    assert "cannot be read" in " ".join(wrong.stdout.split())
    assert "pairnet data get NAME --again" in wrong.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("demo", "--methods", "--study", "ihpd"), "Unknown study 'ihpd'"),
        (("demo", "--methods", "--study", "ihdp", "--data", "nowhere"), "not on this machine"),
        (("demo", "--methods", "--study", "gp"), "The demo runs on confounded or ihdp"),
        (("demo", "--methods", "--out", "picture.doc"), "must end in .png"),
        (("demo", "--methods", "--out", "nowhere/picture.png"), "does not exist"),
        (("demo", "--realisations", "0"), "Invalid value for '--realisations'"),
        (("demo", "--study", "ihdp"), "--study is for the comparison of methods"),
        (("demos",), "No such command"),
    ],
)
def test_mistakes_end_with_a_line_and_exit_code_2(words, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = ask(capsys, *words)
    assert said.code == 2
    assert message in said.err
    assert "Traceback" not in said.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("data", "get", "ihpd"), "Unknown study 'ihpd'"),
        (("data", "get", "gp"), "made by this package"),
        (("data", "check", "ihdp", "--data", "nowhere"), "pairnet data get ihdp"),
    ],
)
def test_mistakes_with_data_end_with_a_line_and_exit_code_2(words, message, tmp_path):
    said = pairnet(*words, cwd=tmp_path)
    assert said.returncode == 2
    assert message in said.stderr
    assert "Traceback" not in said.stderr
    assert not list(tmp_path.iterdir())


def test_ctrl_c_ends_with_a_line_and_its_own_exit_code():
    code = """
import sys
from pairnet import cli
from pairnet.report import data

def pressed():
    raise KeyboardInterrupt

data.listing = pressed
sys.argv = ["pairnet", "data"]
cli.main()
"""
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert said.returncode == 130
    assert said.stderr == "Interrupted; nothing was written.\n"


def test_the_demos_arithmetic():
    study = load("confounded", realisations=2, rows=300, test=30, covariates=3)
    methods_of_demo = (TARNet(**SMALL, plan=QUICK), PairNet(base=TARNet(**SMALL), plan=QUICK))
    results = [evaluate(method, study) for method in methods_of_demo]
    assert results[0].pehe_out.shape == (2,)
    truth = study.effect(study.test)
    assert np.allclose(
        results[1].pehe_out, np.sqrt(((truth - results[1].effect_out) ** 2).mean(axis=1))
    )
    table = comparison(study, results)
    assert table.row_count == 2
    assert "PairNet's mean PEHE out is" in verdict(results)
