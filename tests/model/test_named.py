"""Columns by their names in Python, frames with more columns, and arguments in other orders."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pairnet
from checks import easy_problem
from pairnet import LinearTLearner
from pairnet.comparing import compare
from pairnet.core.errors import BadInput

N = 120
X, T, Y, _ = easy_problem(N)
TABLE = pd.DataFrame(X, columns=["age", "edu", "re74"]).assign(
    treat=T, re78=Y, village=np.arange(N) // 4, times=1 + np.arange(N) % 3, chance=0.5
)
COVARIATES = ["age", "edu", "re74"]
FRAMES = {"pandas": TABLE, "polars": pl.DataFrame(TABLE.to_dict("list"))}


def fit(X, y, **options):
    return LinearTLearner().fit(X, y, **options)


@pytest.mark.parametrize("kind", list(FRAMES))
def test_columns_by_name_are_the_columns_themselves_and_no_covariates(kind):
    frame = FRAMES[kind][["age", "treat", "edu", "re78", "re74"]]
    by_name = fit(frame, "re78", treatment="treat")
    itself = fit(TABLE[COVARIATES], TABLE["re78"], treatment=TABLE["treat"])
    assert by_name.feature_names_in_.tolist() == COVARIATES
    assert np.array_equal(by_name.effect(frame), itself.effect(TABLE[COVARIATES]))
    assert by_name.model_.names == {"treatment": "treat", "outcome": "re78"}
    assert by_name.score(frame, "re78", treatment="treat") == itself.score(
        TABLE[COVARIATES], TABLE["re78"], treatment=TABLE["treat"]
    )


def test_weights_groups_and_chances_may_be_named_too():
    named = {"sample_weight": "times", "groups": "village", "propensity": "chance"}
    by_name = fit(TABLE, "re78", treatment="treat", **named)
    columns = {role: TABLE[name] for role, name in named.items()}
    itself = fit(TABLE[COVARIATES], TABLE["re78"], treatment=TABLE["treat"], **columns)
    assert by_name.feature_names_in_.tolist() == COVARIATES
    assert np.array_equal(by_name.training_.clusters, itself.training_.clusters)
    assert np.array_equal(by_name.effect(TABLE), itself.effect(TABLE))


def test_some_columns_may_be_named_and_others_passed():
    some = fit(TABLE[[*COVARIATES, "treat"]], Y, treatment="treat")
    assert some.feature_names_in_.tolist() == COVARIATES
    assert np.array_equal(some.effect(TABLE), fit(TABLE[COVARIATES], Y, treatment=T).effect(TABLE))


def test_frames_to_ask_about_may_have_more_columns_but_not_fewer(tmp_path):
    model = fit(TABLE.drop(columns=["chance"]), "re78", treatment="treat", groups="village")
    model.save(tmp_path / "model")
    loaded = pairnet.load(tmp_path / "model")
    order = ["re74", "new", "treat", "age", "times", "edu"]
    assert np.array_equal(loaded.effect(TABLE.assign(new="x")[order]), model.effect(TABLE))
    with pytest.raises(BadInput, match=r"missing \['age'\]; not seen in fit \['treat', 're78'"):
        model.effect(TABLE.drop(columns="age"))
    with pytest.raises(BadInput, match="must have the 4 columns of the fit, got 8"):
        model.effect(TABLE.to_numpy())  # without names a column more may be any column


def test_methods_are_compared_by_the_names_of_columns():
    ask = lambda X, y, t: compare([LinearTLearner()], X, y, treatment=t, folds=1)
    by_name = ask(TABLE[[*COVARIATES, "treat", "re78"]], "re78", "treat")
    assert str(by_name) == str(ask(TABLE[COVARIATES], TABLE["re78"], TABLE["treat"]))


@pytest.mark.parametrize(
    ("X", "named", "message"),
    [
        (TABLE, ("re87", "treat"), "y names the column 're87', which X .* Did you mean 're78'"),
        (TABLE, ("re78", "drug"), "treatment names the column 'drug', which X does not have"),
        (TABLE, ("re78", "re78"), "y and treatment name the same column of X: 're78'"),
        (X, ("re78", T), "y is the text 're78', which could name a column, but X has no column na"),
        (TABLE[["re78", "treat"]], ("re78", "treat"), "X must hold at least one covariate beside"),
    ],
)
def test_names_that_name_nothing_are_told(X, named, message):
    y, treatment = named
    with pytest.raises(BadInput, match=message):
        fit(X, y, treatment=treatment)


@pytest.mark.parametrize("places", [(X, T, Y), (X, Y, T), (X, T, Y, None)])
def test_three_arguments_by_place_are_told_in_our_words(places):
    message = r"fit takes two arguments by place, .* Name the treatment: fit\(X, y, treatment=t\)"
    with pytest.raises(TypeError, match=message):
        LinearTLearner().fit(*places)
