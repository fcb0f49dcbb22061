"""The contract of every method. A new method joins by being registered."""

import jax
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from checks import easy_problem, small_version
from pairnet.methods import methods
from pairnet.training import Plan
from pairnet.training.compiling import traces
from pairnet.treatments import Arms
from pairnet.types import Rows

X, T, Y, TAU = easy_problem()


@pytest.fixture(params=list(methods), scope="module")
def kind(request):
    yield methods[request.param]
    jax.clear_caches()  # a process can hold only so many compiled programs


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
    fitted.effect(X)  # the first reading may be traced
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
    tables = [easy_problem(seed=seed) for seed in range(3)]
    x, t, y = (np.stack([np.asarray(table[k], float) for table in tables]) for k in range(3))
    method = small_version(kind)
    together = method.fit_replications(Rows(x, t, y, np.ones(t.shape)), Arms((0, 1)))
    alone = method.fit_replications(Rows(x[:1], t[:1], y[:1], np.ones((1, 300))), Arms((0, 1)))
    for ours, theirs in zip(jax.tree.leaves(together.networks), jax.tree.leaves(alone.networks), strict=True):
        assert np.array_equal(ours[:1], theirs)  # to the last bit
    effects = together.effect(x, np.zeros(()), np.ones(()))
    assert np.allclose(effects[:1], alone.effect(x[:1], np.zeros(()), np.ones(())), atol=1e-5)
    assert not np.allclose(effects[0], effects[1])


def test_three_arms_with_names(kind):
    x, t, y, tau = easy_problem(n=300, arms=3)
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
    x, t = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    y = rng.random(300) < np.where(t == 1, 0.6, 0.15) + 0.1 * np.tanh(x[:, 0])
    method = small_version(kind).fit(x, y, treatment=t)
    effect = method.effect(x)
    assert np.all(np.abs(effect) <= 1)
    assert 0.3 < effect.mean() < 0.6
    outcome = method.predict_outcome(x, treatment=0)
    assert np.all((outcome >= 0) & (outcome <= 1))
    assert abs(outcome.mean() - 0.15) < 0.1


def test_hard_tables_give_finite_effects(kind):
    """Eight treated of 300, told apart by a covariate (so propensities go to 0 and 1), duplicate rows, a constant."""
    x = np.repeat(X[:150], 2, axis=0)
    x[:, 2] = 1.0
    t = (np.arange(300) >= 292).astype(int)
    x[:, 0] = np.where(t == 1, 5.0, x[:, 0])
    method = small_version(kind).fit(x, Y, treatment=t)
    assert np.isfinite(method.effect(x)).all()
    assert np.isfinite(method.predict_outcome(x, treatment=1)).all()


def test_thirty_rows_are_enough(kind):
    method = small_version(kind, plan=Plan(patience=10, longest=20, warm_up=5)).fit(
        X[:30], Y[:30], treatment=np.arange(30) % 2
    )
    assert np.isfinite(method.effect(X)).all()


def test_before_fit_it_says_so(kind):
    with pytest.raises(NotFittedError, match="Call fit"):
        small_version(kind).effect(X)


def test_published_hyperparameters_are_the_papers(kind):
    method = kind.published()
    assert method.plan == Plan.published()
    assert (method.base if hasattr(method, "base") else method).l2 == 1.0
