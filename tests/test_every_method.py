"""The contract of every method. A new method joins by being registered."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from checks import easy_problem, small_version
from pairnet.data import load
from pairnet.methods import methods
from pairnet.training import Plan
from pairnet.training.compiling import traces
from pairnet.types import Rows

X, T, Y, TAU = easy_problem()


@pytest.fixture(params=list(methods), scope="module")
def kind(request):
    return methods[request.param]


@pytest.fixture(scope="module")
def fitted(kind):
    return small_version(kind).fit(X, Y, treatment=T)


def test_parameters_can_be_read_set_and_cloned(kind):
    method = small_version(kind, members=3)
    assert method.get_params()["members"] == 3
    copy = clone(method)
    assert copy is not method
    assert repr(copy) == repr(method)
    assert copy.set_params(seed=5).seed == 5
    assert method.seed == 0


def test_effects_have_one_finite_value_a_row(fitted):
    effect = fitted.effect(X[:7])
    assert effect.shape == (7,)
    assert np.isfinite(effect).all()
    assert np.array_equal(fitted.predict(X[:7]), effect)
    assert np.isclose(fitted.ate(X), fitted.effect(X).mean())


def test_swapping_the_arms_flips_the_sign_and_an_arm_against_itself_is_zero(fitted):
    assert np.allclose(fitted.effect(X, T0=0, T1=1), -fitted.effect(X, T0=1, T1=0))
    assert np.all(fitted.effect(X, T0=1, T1=1) == 0)
    mixed = fitted.effect(X, T0=np.zeros(len(X), int), T1=T)
    assert np.allclose(mixed, np.where(T == 1, fitted.effect(X), 0))


def test_the_effect_is_the_difference_of_the_outcomes(fitted):
    difference = fitted.predict_outcome(X, treatment=1) - fitted.predict_outcome(X, treatment=0)
    assert np.allclose(fitted.effect(X), difference, atol=1e-4)


def test_outcomes_are_at_the_right_level(fitted):
    assert abs(np.mean(Y - fitted.predict_outcome(X, treatment=T))) < 1e-4


def test_it_beats_a_constant_effect(fitted):
    new_x, _, _, new_tau = easy_problem(seed=1)
    error = np.sqrt(np.mean((fitted.effect(new_x) - new_tau) ** 2))
    assert error < 0.6 * new_tau.std()


def test_its_score_is_better_than_that_of_shuffled_outcomes(fitted):
    shuffled = np.random.default_rng(0).permutation(Y)
    assert fitted.score(X, Y, treatment=T) > fitted.score(X, shuffled, treatment=T)


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(kind, fitted):
    again = small_version(kind).fit(X, Y, treatment=T)
    other = small_version(kind, seed=1).fit(X, Y, treatment=T)
    assert np.array_equal(fitted.effect(X), again.effect(X))
    assert not np.array_equal(fitted.effect(X), other.effect(X))


def test_a_second_fit_or_another_number_traces_nothing(kind, fitted):
    before = dict(traces)
    plan = Plan(patience=40, longest=100, warm_up=10, learning_rate=2e-3)
    small_version(kind, plan=plan).fit(X[::-1] * 3, Y + 1, treatment=T[::-1]).effect(X)
    assert dict(traces) == before


def test_members_are_averaged_and_kept(kind):
    method = small_version(kind, members=3).fit(X, Y, treatment=T)
    each = method.member_effects(X)
    assert each.shape == (3, len(X))
    assert len({row.tobytes() for row in each}) == 3
    assert np.allclose(method.effect(X), each.mean(axis=0))


def test_replications_fitted_together_are_fitted_as_if_alone(kind):
    study = load("confounded", realisations=3, rows=120, test=20, covariates=4)
    method = small_version(kind)
    rows = study.part(study.train)
    together = method.fit_replications(rows, study.treatment).effect(rows.x, np.zeros(()), np.ones(()))
    alone = Rows(*(leaf[:1] for leaf in (rows.x, rows.t, rows.y, rows.weight)))
    first = method.fit_replications(alone, study.treatment).effect(alone.x, np.zeros(()), np.ones(()))
    assert np.array_equal(together[:1], first)
    assert not np.allclose(together[0], together[1])


def test_three_arms_with_names(kind):
    x, t, y, tau = easy_problem(n=450, arms=3)
    names = np.array(["control", "half", "whole"])[t]
    method = small_version(kind).fit(x, y, treatment=names)
    half = method.effect(x, T0="control", T1="half")
    whole = method.effect(x, T0="control", T1="whole")
    assert np.allclose(method.effect(x, T0="half", T1="whole"), whole - half, atol=1e-4)
    assert np.corrcoef(half, tau)[0, 1] > 0.8
    assert np.corrcoef(whole, 2 * tau)[0, 1] > 0.8
    with pytest.raises(ValueError, match="expected one of 'control', 'half', 'whole', got 0"):
        method.effect(x)


def test_binary_outcomes_have_the_right_sign_and_stay_inside_their_bounds(kind):
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(600, 2)), rng.integers(0, 2, 600)
    y = rng.random(600) < np.where(t == 1, 0.6, 0.15) + 0.1 * np.tanh(x[:, 0])
    method = small_version(kind).fit(x, y, treatment=t)
    effect = method.effect(x)
    assert np.all(np.abs(effect) <= 1)
    assert 0.3 < effect.mean() < 0.6
    outcome = method.predict_outcome(x, treatment=0)
    assert np.all((outcome >= 0) & (outcome <= 1))
    assert abs(outcome.mean() - 0.15) < 0.1


def test_before_fit_it_says_so(kind):
    with pytest.raises(NotFittedError, match="Call fit"):
        small_version(kind).effect(X)


def test_published_hyperparameters_are_the_papers(kind):
    method = kind.published()
    assert method.plan == Plan.published()
    assert (method.base if hasattr(method, "base") else method).l2 == 1.0
