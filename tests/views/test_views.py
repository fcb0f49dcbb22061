"""Views: pseudo-outcomes and weights against numbers worked by hand."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from pairnet.core.outcomes import Gaussian
from pairnet.core.types import Outputs, Rows, number
from pairnet.views import (
    DoublyRobust,
    ImputedEffect,
    InversePropensity,
    LeaveOut,
    Nuisance,
    OnlyArms,
    RegressionAdjusted,
    Robinson,
    fold_of,
)


def known_problem(n=4000, seed=0):
    """Return rows of known outcome models, propensity and effect, the effect, and the models."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    e = 1 / (1 + np.exp(-x[:, 0]))
    t = (rng.random(n) < e).astype(np.float32)
    tau = 1 + x[:, 1]
    y = x[:, 0] + t * tau + 0.5 * rng.normal(size=n)
    rows = Rows(*(jnp.asarray(v, jnp.float32) for v in (x, t, y, np.ones(n))))

    def mu(x, t):
        return Outputs(y=x[0] + t * (1 + x[1]), z=x)

    def pi(x, t):
        return Outputs(y=jnp.zeros(()), z=x, propensity=jnp.stack([jnp.zeros(()), x[0]]))

    return rows, tau, {"mu": mu, "pi": pi}


def wrong_mu(x, t):
    return Outputs(y=0.7 * x[1] - t, z=x)


def wrong_pi(x, t):
    return Outputs(y=jnp.zeros(()), z=x, propensity=jnp.asarray([0.3, -0.2]))


NUISANCE = Nuisance(Gaussian(), ("mu",), ("pi",), number(0.01))


def slope(pseudo, x, weight=None):
    """The regression of a pseudo-outcome on (1, x): what a second stage would learn."""
    w = np.sqrt(np.ones(len(x)) if weight is None else np.asarray(weight))
    design = np.c_[np.ones(len(x)), np.asarray(x)]
    return np.linalg.lstsq(design * w[:, None], np.asarray(pseudo) * w, rcond=None)[0]


@pytest.mark.parametrize(
    "wrong", [{}, {"mu": wrong_mu}, {"pi": wrong_pi}], ids=["both right", "wrong mu", "wrong pi"]
)
def test_doubly_robust_effects_are_right_if_either_model_is(wrong):
    rows, _, fitted = known_problem(40_000)
    pseudo = DoublyRobust(NUISANCE, number(1))(rows, fitted | wrong).y
    assert np.allclose(slope(pseudo, rows.x), [1, 0, 1], atol=0.1)


def test_doubly_robust_effects_are_wrong_if_both_models_are():
    rows, _, fitted = known_problem(40_000)
    pseudo = DoublyRobust(NUISANCE, number(1))(rows, fitted | {"mu": wrong_mu, "pi": wrong_pi}).y
    assert not np.allclose(slope(pseudo, rows.x), [1, 0, 1], atol=0.25)


def test_the_weighted_regression_of_robinson_is_the_r_loss():
    rows, _, fitted = known_problem(500)
    average = lambda x, t: Outputs(y=x[0] + jax.nn.sigmoid(x[0]) * (1 + x[1]), z=x)
    view = Robinson(NUISANCE, number(1))(rows, fitted | {"mu": average})
    e = np.clip(jax.nn.sigmoid(rows.x[:, 0]), 0.01, 0.99)
    m = np.asarray(jax.vmap(average)(rows.x, rows.t).y)
    for tau in (0.0, 1.3, np.asarray(rows.x[:, 1])):
        r_loss = np.sum(((rows.y - m) - (rows.t - e) * tau) ** 2)
        assert np.isclose(np.sum(view.weight * (view.y - tau) ** 2), r_loss, rtol=1e-3)
    assert np.allclose(slope(view.y, rows.x, view.weight), [1, 0, 1], atol=0.25)


def test_robinson_leaves_other_arms_alone():
    rows, _, fitted = known_problem(100)
    rows = eqx.tree_at(lambda r: r.t, rows, jnp.arange(100.0) % 3)
    three = lambda x, t: Outputs(y=jnp.zeros(()), z=x, propensity=jnp.zeros(3))
    view = Robinson(NUISANCE, number(2))(rows, fitted | {"pi": three})
    assert np.all((np.asarray(view.weight) > 0) == (np.asarray(rows.t) != 1))


def test_imputed_effects_of_the_x_learner_are_observed_minus_modelled():
    rows, _, fitted = known_problem(200)
    treated, control = (
        ImputedEffect(NUISANCE, number(1), number(side))(rows, fitted) for side in (0, 1)
    )
    mine = np.asarray(rows.t) == 1
    x = np.asarray(rows.x)
    assert np.allclose(treated.y[mine], (rows.y - x[:, 0])[mine], atol=1e-5)
    assert np.allclose(control.y[~mine], (x[:, 0] + 1 + x[:, 1] - rows.y)[~mine], atol=1e-5)
    assert np.array_equal(treated.weight > 0, mine)
    assert np.array_equal(control.weight > 0, ~mine)
    adjusted = RegressionAdjusted(NUISANCE, number(1))(rows, fitted)
    assert np.allclose(adjusted.y, np.where(mine, treated.y, control.y))


def test_cross_fitting_asks_only_models_that_have_not_seen_the_row():
    rows, _, _ = known_problem(60)
    fold = np.asarray(fold_of(rows, 3))
    assert sorted(np.bincount(fold.astype(int)).tolist()) == [20, 20, 20]
    shares = [np.mean(np.asarray(rows.t)[fold == k]) for k in range(3)]
    assert np.ptp(shares) < 0.06  # each fold holds the arms in their shares
    for k in range(3):
        left = LeaveOut(OnlyArms(number(0), number(1)), number(k), 3)(rows, {})
        assert np.array_equal(np.asarray(left.weight) == 0, fold == k)
    names = ("mu.0", "mu.1", "mu.2")
    tell = {
        name: (lambda x, t, k=k: Outputs(y=jnp.asarray(float(k)), z=x))
        for k, name in enumerate(names)
    }
    asked = Nuisance(Gaussian(), names, (), number(0.01)).mean(rows, tell, 0.0)
    assert np.array_equal(asked, fold)


def test_ipw_with_a_constant_propensity_is_tarnet():
    rows, _, fitted = known_problem(300)
    share = float(rows.t.mean())
    constant = lambda x, t: Outputs(
        y=jnp.zeros(()), z=x, propensity=jnp.log(jnp.asarray([1 - share, share]))
    )
    view = InversePropensity(Nuisance(Gaussian(), (), ("pi",), number(0.01)))
    assert np.allclose(view(rows, {"pi": constant}).weight, 1, atol=1e-5)
    weight = np.asarray(view(rows, fitted).weight)
    e = np.clip(jax.nn.sigmoid(rows.x[:, 0]), 0.01, 0.99)
    expected = np.where(rows.t == 1, share / e, (1 - share) / (1 - e))
    assert np.allclose(weight, expected, rtol=1e-4)
