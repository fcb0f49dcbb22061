"""Effects at X where the fit also had controls W: the mean over the W of rows like it."""

import copy

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from pairnet import LinearSLearner, LinearTLearner, Stack
from pairnet.integrations.controls import shares
from pairnet.integrations.econml import EconMLAdapter

ROWS = 1500


def a_study(tau, seed=0):
    """X leans on W; W drives treatment and outcome. Returns X, W, t, y."""
    rng = np.random.default_rng(seed)
    W = rng.normal(size=(ROWS, 2))
    X = np.column_stack([W[:, 0] + rng.normal(size=ROWS), rng.normal(size=ROWS)])
    t = (rng.random(ROWS) < 1 / (1 + np.exp(-1.5 * W[:, 0]))).astype(int)
    return X, W, t, 2 * W[:, 0] + t * tau(X, W) + 0.3 * rng.normal(size=ROWS)


def off(found, truth):
    return np.sqrt(np.mean((found - truth) ** 2))


def test_controls_take_their_confounding_away():
    learner = LinearTLearner()
    X, W, t, y = a_study(lambda X, W: 1 + X[:, 1])
    without = EconMLAdapter(learner).fit(y, t, X=X).ate(X)
    model = EconMLAdapter(learner).fit(y, t, X=X, W=W)
    truth = 1 + X[:, 1]
    assert without - truth.mean() > 0.8
    assert model.ate(X) == pytest.approx(truth.mean(), abs=0.1)
    assert off(model.effect(X), truth) < 0.1
    assert model.effect(X[:7]).shape == (7,)


def test_where_effects_hang_on_controls_they_are_averaged_over_those_of_rows_like_it():
    X, W, t, y = a_study(lambda X, W: 1 + W[:, 0])
    model = EconMLAdapter(LinearTLearner()).fit(y, t, X=X, W=W)
    new = np.random.default_rng(1).normal(size=(300, 2)) * [np.sqrt(2), 1]
    truth = 1 + new[:, 0] / 2  # E[W | X], for normal columns
    assert off(model.effect(new), truth) < 0.25 * truth.std()
    assert model.ate(X) == pytest.approx(1 + W[:, 0].mean(), abs=0.1)


def test_where_effects_do_not_hang_on_controls_the_answer_is_the_models_own():
    X, W, t, y = a_study(lambda X, W: 1 + X[:, 1])
    model = EconMLAdapter(LinearTLearner()).fit(y, t, X=X, W=W)
    lines = model.model_.model_.predictor.members[0].lines
    lines[:, 3:] = 0  # no outcome hangs on W
    own = (lines[1] - lines[0])[1:3] @ X[:50].T + (lines[1] - lines[0])[0]
    sign = 1 if model.model_.treatment_.labels == (0, 1) else -1
    np.testing.assert_allclose(model.effect(X[:50]), sign * own, rtol=1e-5, atol=1e-5)


def test_without_any_covariate_effects_are_the_average_over_all_controls():
    _, W, t, y = a_study(lambda X, W: 1 + W[:, 1])
    model = EconMLAdapter(LinearTLearner(members=5, bootstrap=True)).fit(y, t, W=W)
    assert model.effect().shape == (1,)
    assert model.const_marginal_effect().shape == (1, 1)
    assert model.ate() == pytest.approx(1 + W[:, 1].mean(), abs=0.1)
    low, high = model.ate_interval()
    assert low < model.ate() < high


def test_intervals_go_with_the_effects():
    X, W, t, y = a_study(lambda X, W: 1 + W[:, 0])
    adapters = [LinearTLearner(members=5, bootstrap=True), Stack(learners=[LinearTLearner()])]
    for learner in adapters:
        model = EconMLAdapter(learner).fit(y, t, X=X, W=W)
        low, high = model.effect_interval(X[:20])
        wide, wider = model.effect_interval(X[:20], alpha=0.01)
        assert (wide < low).all()
        assert (low < model.effect(X[:20])).all()
        assert (model.effect(X[:20]) < high).all()
        assert (high < wider).all()


def test_doses_with_controls():
    X, W, t, _ = a_study(lambda X, W: 0)
    dose = t + np.random.default_rng(2).uniform(0, 3, ROWS)
    y = 2 * W[:, 0] + dose * (1 + X[:, 1])
    learner = LinearSLearner(treatment="dose", members=3, bootstrap=True)
    model = EconMLAdapter(learner).fit(y, dose, X=X, W=W)
    truth = 1 + X[:9, 1]
    assert off(model.marginal_effect(2.0, X[:9]), truth) < 0.05
    assert off(model.effect(X[:9], T0=1, T1=np.full(9, 3.0)), 2 * truth) < 0.1
    low, high = model.marginal_effect_interval(2.0, X[:9])
    assert (low < high).all()
    with pytest.raises(ValueError, match="const_marginal_effect is for arms.*marginal_effect"):
        model.const_marginal_effect(X)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_with_words_and_arrays_beside_frames(frame):
    X, W, t, y = a_study(lambda X, W: 1 + X[:, 1])
    sex = np.where(W[:, 1] > 0, "f", "m")
    known = {"a": X[:, 0], "b": X[:, 1]}
    model = EconMLAdapter(LinearTLearner())
    of_frame = model.fit(y, t, X=frame(known), W=frame({"c": W[:, 0], "sex": sex})).effect(X[:5])
    assert model.cate_feature_names() == ["a", "b"]
    beside = EconMLAdapter(LinearTLearner()).fit(y, t, X=frame(known), W=W)
    assert beside.model_.feature_names_in_.tolist() == ["a", "b", "W0", "W1"]
    assert off(of_frame, 1 + X[:5, 1]) < 0.2
    assert off(beside.effect(frame(known)[:5]), 1 + X[:5, 1]) < 0.2


def test_rows_of_another_index_are_matched_by_place_as_pandas_would_not():
    X, W, t, y = a_study(lambda X, W: 1 + X[:, 1])
    moved = pd.DataFrame(W, columns=["c", "d"], index=range(10, 10 + ROWS))
    with pytest.warns(UserWarning, match="W and X have different indexes"):
        model = EconMLAdapter(LinearTLearner()).fit(
            y, t, X=pd.DataFrame(X, columns=["a", "b"]), W=moved
        )
    plain = EconMLAdapter(LinearTLearner()).fit(y, t, X=X, W=W)
    np.testing.assert_allclose(model.effect(X[:5]), plain.effect(X[:5]), rtol=1e-5)


def test_the_order_of_rows_at_one_place_does_not_matter():
    """Where X takes few values, rows at a place are taken by lots, not by their outcomes."""
    X, W, t, y = a_study(lambda X, W: 1 + W[:, 0])
    flag = (X[:, :1] > 0).astype(float)
    model = EconMLAdapter(LinearTLearner()).fit(y, t, X=flag, W=W)
    said = model.effect(np.array([[0.0], [1.0]]))
    truth = [1 + W[flag[:, 0] == value, 0].mean() for value in (0, 1)]
    np.testing.assert_allclose(said, truth, atol=0.25)
    assert said[1] - said[0] > 0.7


@pytest.mark.parametrize("width", [1, 3, 70])
def test_shares_add_up_to_one_and_find_the_height_of_a_line(width):
    rng = np.random.default_rng(0)
    near, weight = rng.normal(size=(4, 2000, width)), rng.uniform(0.5, 2, (4, 2000))
    x = 0.5 * np.ones((4, width)) / np.sqrt(width)
    share = shares(x, near, weight)
    np.testing.assert_allclose(share.sum(axis=1), 1)
    line = np.einsum("nk,nk->n", share, near.sum(axis=2))
    if width <= 3:
        np.testing.assert_allclose(line, x.sum(axis=1), atol=0.05)
    far = shares(x + 1e6, near, weight)
    assert np.abs(far).sum(axis=1).max() < 10


WRONG = {
    "neither": (dict(), {}, "X must hold covariates .or W controls.: X and W are both None"),
    "rows": (
        dict(X=np.ones((6, 1)), W=np.ones((5, 1))),
        {},
        "W must have the rows of X: expected 6, got 5",
    ),
    "names": (
        dict(X=pd.DataFrame({"a": range(6)}), W=pd.DataFrame({"a": range(6)})),
        {},
        "W has columns that X has, too: .'a'.",
    ),
    "inference": (
        dict(X=np.ones((6, 1)), inference="bootstrap"),
        {},
        "inference must be None or 'auto'.*bootstrap=True",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_use_is_told_in_words(case):
    passed, _, message = WRONG[case]
    with pytest.raises(ValueError, match=message):
        EconMLAdapter(LinearTLearner()).fit(np.arange(6.0), [0, 1] * 3, **passed)


def test_wrong_questions_are_told_in_words():
    X, W, t, y = a_study(lambda X, W: 1 + X[:, 1])
    with pytest.raises(ValueError, match="not fitted. Call fit"):
        EconMLAdapter(LinearTLearner()).effect(X)
    with pytest.raises(ValueError, match="model must be a method of pairnet, as PairNet"):
        EconMLAdapter("pairnet").fit(y, t, X=X)
    model = EconMLAdapter(LinearTLearner()).fit(y, t, X=X, W=W)
    with pytest.raises(ValueError, match="X must have the 2 columns of the fit, got 4"):
        model.effect(np.hstack([X, W]))
    with pytest.raises(ValueError, match="X must be as in fit, got None"):
        model.effect()
    with pytest.raises(
        ValueError, match="T1 names no arm of this model: expected one of 0, 1, got 2"
    ):
        model.effect(X, T1=2)
    with pytest.raises(ValueError, match="interval needs members that were trained on resampled"):
        model.effect_interval(X)
    three = EconMLAdapter(LinearTLearner()).fit(
        y, np.array(["a", "b", "c"])[t + (X[:, 0] > 1)], X=X
    )
    assert three.const_marginal_effect(X[:4]).shape == (4, 2)
    with pytest.raises(
        ValueError, match="T0 names no arm of this model: expected one of 'a', 'b', 'c', got 0"
    ):
        three.effect(X)


def test_an_adapter_is_a_value_that_can_be_copied():
    X, W, t, y = a_study(lambda X, W: 1 + X[:, 1])
    model = EconMLAdapter(LinearTLearner(members=2, bootstrap=True))
    assert clone(model).model.members == 2
    fitted = model.fit(y, t, X=X, W=W)
    assert "model_" not in model.model.__dict__  # the method that was passed stays as it was
    np.testing.assert_array_equal(copy.deepcopy(fitted).effect(X[:5]), fitted.effect(X[:5]))
    assert fitted.score(y, t, X=X, W=W) > EconMLAdapter(model.model).fit(y, t, X=X).score(y, t, X=X)


def test_members_may_be_asked_about_doses_and_arms_row_by_row():
    X, W, t, y = a_study(lambda X, W: 1 + X[:, 1])
    model = EconMLAdapter(LinearTLearner()).fit(y, t, X=X, W=W)
    own = model.effect(X[:6], T0=np.zeros((6, 1), int), T1=np.array([0, 1, 1, 0, 1, 0]))
    both = model.effect(X[:6])
    np.testing.assert_allclose(own, np.where([0, 1, 1, 0, 1, 0], both, 0), atol=1e-6)
