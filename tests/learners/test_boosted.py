"""Methods of boosted trees: steps, confounding, rows not seen, and life without LightGBM."""

import builtins
import functools
import sys

import lightgbm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import easy_problem
from commands_helpers import TABLE, ask, fit
from pairnet import (
    LinearSLearner,
    LinearTLearner,
    Stack,
    TreeDRLearner,
    TreeSLearner,
    TreeTLearner,
    TreeXLearner,
    load,
)
from pairnet.comparing import compare
from pairnet.core.types import Rows
from pairnet.inference.growing import Ranks
from pairnet.learners.boosted import in_values
from pairnet.learners.trees import Trees
from pairnet.report.model import model_report

X, T, Y, TAU = easy_problem(n=400)
FORMS = (TreeTLearner, TreeSLearner, TreeXLearner, TreeDRLearner)
every = pytest.mark.parametrize("kind", FORMS)
few = settings(max_examples=3, deadline=None)
SHORT = {"longest": 20}  # few trees, for what does not hang on how good they are


def rmse(values):
    return np.sqrt(np.mean(np.square(values)))


def confounded(n=3000, seed=0):
    """Return a table in which those who do badly anyway are treated: without the covariates the
    treatment seems to harm."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 4))
    risk = np.where(x[:, 0] > 0, 2.0, 0.0) + x[:, 1]
    chance = np.clip(0.15 + 0.35 * (x[:, 0] > 0) + 0.3 * (x[:, 1] > 0), 0.1, 0.9)
    t = (rng.random(n) < chance).astype(int)
    tau = np.where(x[:, 2] > 0.5, 2.0, 0.0)
    return x, t, -2 * risk + t * tau + rng.normal(size=n), tau


@every
def test_they_find_a_step_where_lines_cannot(kind):
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(2000, 3)), rng.integers(0, 2, 2000)
    tau = np.where((x[:, 0] > 0) & (x[:, 1] > 0), 3.0, 0.0)
    y = x[:, 2] + t * tau + 0.5 * rng.normal(size=2000)
    error = lambda method: rmse(method.fit(x, y, treatment=t).effect(x) - tau)
    assert error(kind()) < 0.6 * error(LinearTLearner())


@every
def test_confounding_is_taken_out(kind):
    x, t, y, tau = confounded()
    naive = y[t == 1].mean() - y[t == 0].mean()
    assert naive < -1
    method = kind().fit(x, y, treatment=t)
    assert abs(method.ate(x) - tau.mean()) < 0.25
    assert rmse(method.effect(x) - tau) < 0.6


@pytest.mark.parametrize("kind", [TreeXLearner, TreeDRLearner])
def test_each_of_three_arms_is_right_under_confounding(kind):
    x, t, y, tau = confounded()
    rng = np.random.default_rng(1)
    third = (t == 1) & (rng.random(len(t)) < 0.5)
    t, y = np.where(third, 2, t), y + 1.0 * third
    method = kind().fit(x, y, treatment=t)
    assert abs(method.ate(x, T0=0, T1=1) - tau.mean()) < 0.3
    assert abs(method.ate(x, T0=0, T1=2) - tau.mean() - 1) < 0.3
    assert abs(method.ate(x, T0=1, T1=2) - 1) < 0.3


def test_a_row_is_judged_by_trees_that_lack_it():
    """Outcomes without any reason: trees that knew a row would lean towards its outcome."""
    rng = np.random.default_rng(0)
    rows = Rows(rng.normal(size=(300, 5)), np.zeros(300), rng.normal(size=300), np.ones(300))
    method = TreeTLearner(least=2, leaves=16, patience=1000, longest=60)
    grown = method.grow(rows, 1, 0)
    assert grown.trees(rows.x) @ rows.y > 0
    assert np.corrcoef(grown.unseen, rows.y)[0, 1] < 0.1
    other = method.grow(Rows(rows.x, rows.t, rows.y + 100, rows.weight), 1, 0)
    assert np.allclose(other.unseen, grown.unseen + 100, atol=1e-4)


@pytest.mark.parametrize("yes_no", [False, True])
def test_few_rows_get_one_answer(yes_no):
    rng = np.random.default_rng(0)
    y = (rng.random(20) < 0.3).astype(float)
    rows = Rows(rng.normal(size=(20, 2)), np.zeros(20), y, rng.uniform(0.5, 2, 20))
    grown = TreeTLearner().grow(rows, 1, 0, yes_no=yes_no)
    level, odds = np.average(y, weights=rows.weight), grown.trees(rows.x)
    assert np.allclose(1 / (1 + np.exp(-odds)) if yes_no else odds, level)
    assert np.allclose(grown.unseen, level)


@every
def test_an_arm_without_any_yes_has_a_chance_near_zero(kind):
    method = kind().fit(X, np.where(T == 1, Y > 0, False), treatment=T)
    assert method.predict_outcome(X, treatment=0).mean() < 0.02
    assert method.effect(X).mean() > 0.2


@functools.cache
def short_one(kind):
    return kind(**SHORT).fit(X, Y, treatment=T)


@every
@few
@given(seed=st.integers(0, 1000))
def test_order_names_and_absent_rows_do_not_matter(kind, seed):
    reference = short_one(kind).effect(X)
    order = np.random.default_rng(seed).permutation(len(X))
    again = kind(**SHORT).fit(X[order], Y[order], treatment=np.array(["a", "b"])[T[order]])
    assert np.array_equal(again.effect(X, T0="a", T1="b"), reference)
    padded = kind(**SHORT).fit(
        np.vstack([X, X + 1]),
        np.r_[Y, Y * 9],
        treatment=np.r_[T, 1 - T],
        sample_weight=np.repeat([1.0, 0.0], len(X)),
    )
    assert np.array_equal(padded.effect(X), reference)


@every
def test_units_do_not_matter(kind):
    reference = short_one(kind)
    moved = kind(**SHORT).fit(X * [8, 0.25, 2] - 4, 1000 * Y + 5e4, treatment=T)
    assert np.allclose(moved.effect(X * [8, 0.25, 2] - 4), 1000 * reference.effect(X), atol=1)


def test_thresholds_lie_between_the_values_that_ranks_stand_for():
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(size=(500, 3)), 1)
    x[:, 2] = np.where(x[:, 2] > 0, np.nextafter(1.0, 2), 1.0)  # no number lies between these
    ranks = Ranks.of(x)
    assert np.array_equal(np.unique(ranks.rank[:, 2]), [1, 2])
    options = {"use_missing": False, "verbosity": -1, "min_data_in_leaf": 1}
    y = x[:, 0] + 3 * (x[:, 2] > 1) + 0.1 * rng.normal(size=500)
    booster = lightgbm.train(options, lightgbm.Dataset(ranks.rank, y), 20)
    trees = in_values(ranks, Trees.of_dump(booster.dump_model()))
    assert np.array_equal(trees(x), booster.predict(ranks.rank))


@every
def test_weights_count(kind):
    """Half of the rows have another effect: who weighs more decides."""
    rng = np.random.default_rng(0)
    x, t, other = rng.normal(size=(800, 2)), np.arange(800) % 2, np.arange(800) >= 400
    y = t * np.where(other, 5.0, 1.0) + 0.1 * rng.normal(size=800)
    method = kind().fit(x, y, treatment=t, sample_weight=np.where(other, 9.0, 1.0))
    assert abs(method.ate(x) - 4.6) < 0.3


def test_the_slope_of_a_dose_is_that_of_a_stretch():
    rng = np.random.default_rng(0)
    x, dose = rng.normal(size=(3000, 2)), rng.uniform(0, 10, 3000)
    y = 2 * dose + x[:, 0] + 0.5 * rng.normal(size=3000)
    method = TreeSLearner(treatment="dose").fit(x, y, treatment=dose)
    assert abs(method.marginal_effect(5.0, x).mean() - 2) < 0.7
    assert abs(method.dose_response(x, [1.0, 9.0]).mean(axis=0) @ [-1, 1] - 16) < 1.5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"leaves": 1}, "leaves must be a whole number from 2 to 64, got 1"),
        ({"leaves": 65}, "leaves must be a whole number from 2 to 64, got 65"),
        ({"least": 0}, "least must be a whole number, at least 1, got 0"),
        ({"patience": 0}, "patience must be a whole number, at least 1, got 0"),
        ({"learning_rate": 0.0}, "learning_rate must be above 0, and at most 1, got 0.0"),
        ({"clip": 0.5}, "clip must be above 0 and below 0.5, got 0.5"),
    ],
)
def test_hyperparameters_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        TreeDRLearner(**options).fit(X, Y, treatment=T)


def test_without_lightgbm_it_is_named_but_saved_models_answer(tmp_path, monkeypatch, capsys):
    fitted = short_one(TreeXLearner)
    fitted.save(tmp_path / "model")
    TABLE.write_csv(tmp_path / "table.csv")
    monkeypatch.setitem(sys.modules, "lightgbm", None)  # as if it was not there
    assert np.array_equal(load(tmp_path / "model").effect(X), fitted.effect(X))
    with pytest.raises(
        ImportError, match=r"LightGBM, which is not installed: pip install lightgbm"
    ):
        TreeXLearner().fit(X, Y, treatment=T)
    said = fit(capsys, tmp_path / "table.csv", tmp_path / "new", method="treexlearner")
    assert said.code == 2
    assert "Error: Boosted trees need LightGBM" in said.err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("problem", [ImportError, OSError("libgomp.so.1: cannot open")])
def test_without_lightgbm_a_stack_leaves_trees_out_with_a_notice(problem, monkeypatch):
    if problem is ImportError:
        monkeypatch.setitem(sys.modules, "lightgbm", None)
    else:
        find = builtins.__import__

        def failing(name, *others, **more):
            if name == "lightgbm":
                raise problem
            return find(name, *others, **more)

        monkeypatch.setattr(builtins, "__import__", failing)
    stack = Stack(members=2, learners=(TreeXLearner(), LinearTLearner(), LinearSLearner()))
    with pytest.warns(UserWarning, match=r"TreeXLearner\(\) is left out of the stack: .*LightGBM"):
        stack.fit(X, Y, treatment=T)
    assert "TreeXLearner()" not in {voice.learner for voice in stack.weights_}
    assert np.isfinite(stack.effect(X)).all()


@every
def test_arrays_of_other_trees_are_refused(kind, tmp_path):
    fitted = kind(**SHORT).fit(X, Y, treatment=T)
    forest = fitted.model_.predictor.members[0]
    first = next(iter(forest.trees))
    forest.trees[first].column[:] = 99
    fitted.save(tmp_path / "model")
    with pytest.raises(ValueError, match="its trees have columns or numbers that do not exist"):
        load(tmp_path / "model")
    del forest.trees[first]
    fitted.save(tmp_path / "model")
    with pytest.raises(ValueError, match="is missing"):
        load(tmp_path / "model")


@pytest.mark.parametrize("kind", [TreeXLearner, LinearSLearner])
def test_they_have_all_that_methods_have(kind, tmp_path, capsys):
    short = {"longest": 60} if kind is TreeXLearner else {}
    method = kind(members=5, bootstrap=True, calibration=0.2, **short).fit(X, Y, treatment=T)
    lower, upper = method.effect_interval(X)
    assert np.mean((lower <= TAU) & (upper >= TAU)) > 0.6
    low, high = method.ate_interval(X, kind="doubly robust")
    assert low < TAU.mean() < high
    assert (method.support(X[:20]).verdict == "well supported").mean() > 0.5
    assert np.mean(method.optimal_treatment(X) == (TAU > 0)) > 0.85
    assert kind.__name__ in model_report(method).html()
    TABLE.write_csv(tmp_path / "table.csv")
    name = kind.__name__.lower()
    said = fit(capsys, tmp_path / "table.csv", tmp_path, "--bootstrap", method=name)
    assert said.code == 0, said.err
    said = ask(
        capsys, "effect", tmp_path / "model", tmp_path / "table.csv", "-o", tmp_path / "e.csv"
    )
    assert said.code == 0, said.err


def test_they_are_compared_where_they_are_named():
    names = ["treexlearner", "linearslearner"]
    ranked = compare(names, X, Y, treatment=T, folds=2)
    assert [line.method for line in ranked.lines] == names[::-1]  # the table is linear
