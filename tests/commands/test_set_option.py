"""`--set` as people type it, on `pairnet fit` and `pairnet compare`, with tiny networks."""

import sys

import polars as pl
import pytest

import pairnet
from checks import easy_problem
from pairnet import cli

X, T, Y, _ = easy_problem(80)
TINY = ("phi=4", "mu=3", "plan.patience=10", "plan.longest=20", "plan.warm_up=1")


def run(capsys, *words):
    before, sys.argv = sys.argv, ["pairnet", *map(str, words)]
    try:
        with pytest.raises(SystemExit) as end:
            cli.main()
    finally:
        sys.argv = before
    out, err = capsys.readouterr()
    return end.value.code or 0, " ".join((out + err).split())


@pytest.fixture
def asked(tmp_path):
    table = pl.DataFrame({"age": X[:, 0], "size": X[:, 1], "drug": T, "health": Y})
    table.write_csv(tmp_path / "table.csv")
    return (tmp_path / "table.csv", "--treatment", "drug", "--outcome", "health")


def with_set(*texts):
    return [word for text in texts for word in ("--set", text)]


def test_fit_sets_hyperparameters_and_keeps_them_with_the_model(asked, tmp_path, capsys):
    tiny = [f"base.{text}" if text[0] in "pm" and "plan" not in text else text for text in TINY]
    settings = with_set(*tiny, "base=cfrnet", "base.balance=0.5", "space=covariates", "codes=2")
    words = ("-o", tmp_path / "m", "--method", "pairnet", "--members", 2)
    code, text = run(capsys, "fit", *asked, *words, *settings)
    assert code == 0, text
    model = pairnet.load(tmp_path / "m")
    assert (model.base.phi, model.base.balance, model.space) == ((4,), 0.5, "covariates")
    assert (model.plan.patience, model.members, model.bootstrap) == (10, 2, True)
    assert model.codes == 2
    assert model.predict(X[:, :2]).shape == (80,)


def test_fit_refuses_settings_that_cannot_be_before_it_reads_the_table(asked, tmp_path, capsys):
    for settings, message in (
        (["l3=1"], "Error: Unknown hyperparameter 'l3' of TARNet. Known: "),
        (["l2=much"], "Error: --set l2 must be none or a number for TARNet, got 'much'."),
        (["members=3"], "Error: --set members is not needed, since there is an option of its own."),
        (["l2"], "Error: --set must be NAME=VALUE, as l2=0.1, got 'l2'."),
    ):
        words = ("no table.csv", *asked[1:], "-o", tmp_path / "m", "--method", "tarnet")
        code, text = run(capsys, "fit", *words, *with_set(*settings))
        assert (code, message in text) == (2, True), text
        assert not (tmp_path / "m").exists()


def test_compare_sets_what_methods_have(asked, capsys):
    words = ("compare", *asked, "--folds", 1, "--methods", "tarnet,knn")
    code, text = run(capsys, *words, *with_set(*TINY, "neighbours=2"))
    assert code == 0, text
    assert "neighbours=2 is set for knn only." in text
    assert "phi" not in text
    assert "has the smallest held-out pair loss" in text or "No method predicts" in text
    code, text = run(capsys, *words, *with_set("neighbors=2"))
    assert code == 2
    assert "Unknown hyperparameter 'neighbors' of TARNet or KNN." in text
    assert "Did you mean 'neighbours'?" in text
    assert "Say --kind." in run(capsys, *words, *with_set("treatment=arms"))[1]
