"""The contract of every method. A new method joins by being registered."""

import jax
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import programs
from checks import CASES, easy_problem
from pairnet import load
from pairnet.core.treatments import Arms, Dose
from pairnet.core.types import Rows
from pairnet.methods import methods
from pairnet.training import Plan
from pairnet.training.compiling import traces

X, T, Y, TAU = easy_problem()


@pytest.fixture(params=list(CASES), scope="module")
def case(request):
    """A method, with an easy problem of the kind that it takes."""
    yield CASES[request.param]
    programs.let_go()


@pytest.fixture(params=[name for name, case in CASES.items() if not case.is_dose], scope="module")
def arms_case(request):
    """A method that compares arms."""
    yield CASES[request.param]
    programs.let_go()


@pytest.fixture(scope="module")
def table(case):
    return case.problem()


@pytest.fixture(scope="module")
def fitted(case, table):
    x, t, y, _ = table
    return case.make().fit(x, y, treatment=t)


def test_parameters_can_be_read_set_and_cloned(case):
    method = case.make(members=3)
    assert method.get_params()["members"] == 3
    copy = clone(method)
    assert copy is not method
    assert repr(copy) == repr(method)
    assert copy.set_params(seed=5).seed == 5
    assert method.seed == 0


def test_effects_have_one_finite_value_a_row(fitted, table):
    x = table[0]
    effect = fitted.effect(x[:7])
    assert effect.shape == (7,)
    assert np.isfinite(effect).all()
    assert np.array_equal(fitted.predict(x[:7]), effect)
    assert np.isclose(fitted.ate(x), fitted.effect(x).mean())


def test_swapping_the_treatments_flips_the_sign_and_one_against_itself_is_zero(fitted, table):
    x, t, _, _ = table
    first, second = fitted.treatment_.contrast
    assert np.array_equal(fitted.effect(x), fitted.effect(x, T0=first, T1=second))
    assert np.allclose(fitted.effect(x), -fitted.effect(x, T0=second, T1=first))
    assert np.all(fitted.effect(x, T0=second, T1=second) == 0)
    by_row = fitted.effect(x, T0=np.full(len(x), first), T1=t)
    one_by_one = [fitted.effect(x[i : i + 1], T0=first, T1=t[i])[0] for i in range(5)]
    assert np.allclose(by_row[:5], one_by_one, atol=1e-5)


def test_the_effect_is_the_difference_of_the_outcomes(fitted, table):
    x = table[0]
    first, second = (fitted.predict_outcome(x, treatment=t) for t in fitted.treatment_.contrast)
    assert np.allclose(fitted.effect(x), second - first, atol=1e-4)


def test_outcomes_under_several_treatments_are_those_under_each(fitted, table):
    """For all rows the same ones, or others by row."""
    x, t = table[0][:6], fitted.treatment_.encode(table[1], "treatment")
    predictor, by_row = fitted.model_.predictor, t[:18].reshape(6, 3)
    each = np.stack([predictor.outcome(x, by_row[:, k]) for k in range(3)], axis=-1)
    assert np.allclose(predictor.curve(x, by_row), each, atol=1e-4)
    assert np.allclose(predictor.curve(x[:1], by_row[0]), each[:, :1], atol=1e-4)


def test_outcomes_are_at_the_right_level(fitted, table):
    x, t, y, _ = table
    assert abs(np.mean(y - fitted.predict_outcome(x, treatment=t))) < 1e-4


def test_it_beats_a_constant_effect(case, fitted):
    new_x, _, _, new_tau = case.problem(seed=1)
    error = np.sqrt(np.mean((fitted.effect(new_x) - new_tau) ** 2))
    assert error < 0.6 * new_tau.std()


def test_its_score_is_better_than_that_of_shuffled_outcomes(fitted, table):
    x, t, y, _ = table
    shuffled = np.random.default_rng(0).permutation(y)
    assert fitted.score(x, y, treatment=t) > fitted.score(x, shuffled, treatment=t)


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others(case, fitted, table):
    x, t, y, _ = table
    again = case.make(**case.chances).fit(x, y, treatment=t)
    other = case.make(seed=1, **case.chances).fit(x, y, treatment=t)
    first = case.make(**case.chances).fit(x, y, treatment=t) if case.chances else fitted
    assert np.array_equal(first.effect(x), again.effect(x))
    assert not np.array_equal(first.effect(x), other.effect(x))


def test_a_second_fit_or_another_number_traces_nothing(case, fitted, table):
    x, t, y, _ = table
    fitted.effect(x)  # the first reading may be traced
    before = dict(traces)
    plan = Plan(patience=40, longest=100, warm_up=10, learning_rate=2e-3)
    case.make(plan=plan).fit(x[::-1] * 3, y + 1, treatment=t[::-1]).effect(x)
    assert dict(traces) == before


def test_members_are_averaged_and_kept(case, table):
    x, t, y, _ = table
    method = case.make(**({"members": 3} | case.chances)).fit(x, y, treatment=t)
    each = method.member_effects(x)
    assert each.shape == (3, len(x))
    assert len({row.tobytes() for row in each}) == 3
    assert np.allclose(method.effect(x), each.mean(axis=0))


def test_replications_fitted_together_are_fitted_as_if_alone(case):
    tables = [case.problem(seed=seed) for seed in range(3)]
    x, t, y = (np.stack([np.asarray(table[k], float) for table in tables]) for k in range(3))
    treatment = Dose(10.0, 60.0) if case.is_dose else Arms((0, 1))
    t = treatment.place(t) if case.is_dose else t
    method = case.make()
    together = method.fit_replications(Rows(x, t, y, np.ones(t.shape)), treatment)
    alone = method.fit_replications(Rows(x[:1], t[:1], y[:1], np.ones((1, 300))), treatment)
    if case.is_network:
        networks = (jax.tree.leaves(fits.networks) for fits in (together, alone))
        for ours, theirs in zip(*networks, strict=True):
            assert np.array_equal(ours[:1], theirs)  # to the last bit
    effects = together.effect(x, np.zeros(()), np.ones(()))
    assert np.allclose(effects[:1], alone.effect(x[:1], np.zeros(()), np.ones(())), atol=1e-5)
    assert not np.allclose(effects[0], effects[1])


def test_three_arms_with_names(arms_case):
    x, t, y, tau = easy_problem(n=300, arms=3)
    names = np.array(["control", "half", "whole"])[t]
    method = arms_case.make().fit(x, y, treatment=names)
    half = method.effect(x, T0="control", T1="half")
    whole = method.effect(x, T0="control", T1="whole")
    assert np.allclose(method.effect(x, T0="half", T1="whole"), whole - half, atol=1e-4)
    assert np.corrcoef(half, tau)[0, 1] > 0.8
    assert np.corrcoef(whole, 2 * tau)[0, 1] > 0.8
    with pytest.raises(ValueError, match="which arms to compare, of 'control', 'half', 'whole'"):
        method.effect(x)


def test_binary_outcomes_have_the_right_sign_and_stay_inside_their_bounds(case):
    rng = np.random.default_rng(0)
    n = 600 if case.is_network else 1200  # what is no network is quick
    x, t = rng.normal(size=(n, 3)), rng.random(n) if case.is_dose else rng.integers(0, 2, n)
    y = rng.random(n) < 0.15 + 0.45 * t + 0.1 * np.tanh(x[:, 0])
    method = case.make().fit(x, y, treatment=t)
    effect = method.effect(x)
    assert np.all(np.abs(effect) <= 1)
    assert (0.2 if case.is_dose else 0.3) < effect.mean() < 0.6
    asked = 0.5 if case.is_dose else 0  # the middle of the doses, or the first arm
    outcome = method.predict_outcome(x, treatment=asked)
    assert np.all((outcome >= 0) & (outcome <= 1))
    assert abs(outcome.mean() - (0.15 + 0.45 * asked)) < 0.1


def test_hard_tables_give_finite_effects(case):
    """Eight treated of 300, told apart by a covariate (so propensities go to 0 and 1), duplicate
    rows, a constant."""
    x = np.repeat(X[:150], 2, axis=0)
    x[:, 2] = 1.0
    t = (np.arange(300) >= 292).astype(int)
    x[:, 0] = np.where(t == 1, 5.0, x[:, 0])
    method = case.make().fit(x, Y, treatment=t)
    assert np.isfinite(method.effect(x)).all()
    assert np.isfinite(method.predict_outcome(x, treatment=1)).all()


def test_thirty_rows_are_enough(case, table):
    x, _, y, _ = table
    t = np.linspace(10, 60, 30) if case.is_dose else np.arange(30) % 2
    method = case.make(plan=Plan(patience=10, longest=20, warm_up=5)).fit(
        x[:30], y[:30], treatment=t
    )
    assert np.isfinite(method.effect(x)).all()


def test_it_comes_back_from_a_folder(fitted, table, tmp_path):
    fitted.save(tmp_path / "model")
    with methods.having(type(fitted)):  # a method of somebody else must be made known
        loaded = load(tmp_path / "model")
    assert repr(loaded) == repr(fitted)
    assert np.array_equal(loaded.effect(table[0]), fitted.effect(table[0]))


def test_before_fit_it_says_so(case, table):
    with pytest.raises(NotFittedError, match="Call fit"):
        case.make().effect(table[0])


def test_published_hyperparameters_are_the_papers(case):
    if not case.is_network:
        pytest.skip("the paper has no such method")
    base = case.fixed.get("base")
    method = case.kind.published(**({} if base is None else {"base": type(base)()}))
    assert method.plan == Plan.published("dose" if case.is_dose else "arms")
    assert (method.base if hasattr(method, "base") else method).l2 == 1.0
