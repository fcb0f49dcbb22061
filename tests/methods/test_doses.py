"""Doses: the networks' shape in t, partners in a window, the estimator's questions, and the
metrics."""

import warnings
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import LONGER, QUICK, SMALL, easy_dose_problem, easy_problem, embedded, rows
from pairnet import DRNet, PairNet, Plan, TARNet, VCNet
from pairnet.bench.evaluate import evaluate
from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Dose
from pairnet.core.types import Batch, Embedded, Outputs, Rows, ask, number
from pairnet.losses import BatchPair, Factual, Independence, Propensity, Targeted
from pairnet.metrics import dose_pehe, dose_pehe_by_row, mise, policy_error
from pairnet.networks import Binned, Varying
from pairnet.networks.base import Located
from pairnet.pairing import Apart, Neighbours, Window
from pairnet.report.figures import dose_figure
from pairnet.studies import load
from pairnet.training import program
from pairnet.training.spaces import Covariates

X, T, Y, TAU = easy_dose_problem()
DOSES = jnp.linspace(0, 1, 201)
x = jr.normal(jr.key(1), (4,))


# Networks


def response(network, doses=DOSES):
    return np.asarray(jax.vmap(lambda t: network(x, t).y)(doses))


def test_varying_with_weights_set_by_hand_is_a_quadratic_spline_of_the_dose():
    network = Varying(4, phi=(3,), mu=(), key=jr.key(0))
    c = jnp.asarray([1.0, -2.0, 3.0, -4.0, 5.0])
    network = eqx.tree_at(
        lambda n: (n.head[0].weight, n.head[0].bias), network, (jnp.zeros((3, 5, 1)), c[:, None])
    )
    t = np.asarray(DOSES)
    spline = (
        1 - 2 * t + 3 * t**2 - 4 * np.maximum(t - 1 / 3, 0) ** 2 + 5 * np.maximum(t - 2 / 3, 0) ** 2
    )
    assert np.allclose(response(network), spline, atol=1e-5)
    scaled = eqx.tree_at(
        lambda n: n.head[0].weight, network, jnp.ones((3, 1, 1)) * c[None, :, None]
    )
    z = network(x, jnp.zeros(())).z
    assert np.allclose(response(scaled), spline * (1 + float(z.sum())), atol=1e-4)


@pytest.mark.parametrize(("degree", "knots"), [(1, (0.5,)), (2, (1 / 3, 2 / 3)), (3, ())])
def test_varying_is_continuous_and_as_smooth_as_its_basis(degree, knots):
    network = Varying(4, phi=(8,), mu=(6,), degree=degree, knots=knots, key=jr.key(0))
    assert len(network.basis(jnp.zeros(()))) == degree + 1 + len(knots)
    slope = jax.grad(lambda t: network(x, t).y)
    for knot in knots:
        before, after = jnp.float32(knot - 1e-4), jnp.float32(knot + 1e-4)
        assert abs(network(x, before).y - network(x, after).y) < 1e-3
        assert (abs(slope(before) - slope(after)) < 1e-2) == (degree > 1)


def test_binned_is_continuous_inside_its_bins_and_every_dose_has_one():
    network = Binned(4, bins=5, phi=(8,), mu=(6,), key=jr.key(0))
    inside = response(network, jnp.linspace(0.2, 0.3999, 50))
    assert np.abs(np.diff(inside)).max() < 0.02
    assert (
        abs(network(x, jnp.float32(0.39999)).y - network(x, jnp.float32(0.4)).y) > 0.02
    )  # a new head
    assert np.allclose(network(x, jnp.ones(())).y, network(x, jnp.float32(0.99999)).y, atol=1e-3)
    assert np.isfinite(response(network, jnp.asarray([-0.1, 0.0, 1.0, 1.1]))).all()
    others = eqx.tree_at(lambda n: n.heads[-1].bias, network, network.heads[-1].bias.at[4].add(7.0))
    moved = response(others) - response(network)
    assert np.allclose(moved, np.where(np.asarray(DOSES) >= 0.8, 7, 0), atol=1e-4)  # t = 1 included


@pytest.mark.parametrize("doses", [(0.0, 1.0), (-0.3, 1.3), (0.0, 0.3), (0.5, 0.5)], ids=str)
def test_many_rows_sorted_by_their_bins_are_answered_as_one_by_one(doses):
    made = jax.vmap(
        lambda key: Located(Binned(4, bins=5, phi=(8,), mu=(6,), key=key), jnp.float32(3))
    )
    networks = made(jr.split(jr.key(0), 2))  # two replications
    many = jr.normal(jr.key(1), (23, 4)), jr.permutation(jr.key(2), jnp.linspace(*doses, 23))
    one_by_one = lambda network, x, t: jax.vmap(network)(x, t)

    @jax.jit
    def answers(networks):
        loss = lambda way: lambda network: jnp.sum(jnp.sin(way(network, *many).y))
        return [
            jax.vmap(lambda n, w=way: (w(n, *many), jax.grad(loss(w))(n)))(networks)
            for way in (ask, one_by_one)
        ]

    ours, theirs = answers(networks)
    assert ours[0].y.shape == (2, 23)
    for mine, other in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        assert np.allclose(mine, other, atol=1e-5)


def test_an_epoch_of_varying_builds_no_weights_row_by_row():
    network = Varying(25, key=jr.key(0))
    n, widest = 5000, 200 * 100

    def loss(network, x, t):
        return jnp.mean(jax.vmap(network)(x, t).y ** 2)

    shapes = jax.ShapeDtypeStruct((n, 25), jnp.float32), jax.ShapeDtypeStruct((n,), jnp.float32)
    used = jax.jit(jax.grad(loss)).lower(network, *shapes).compile().memory_analysis()
    assert (
        used.temp_size_in_bytes < 4 * n * widest / 5
    )  # one float32 matrix a row would be five times that


# Partners


def draw(r, pairs=3, width=0.05, by_rank=False, temperature=1.0, seed=0):
    points = embedded(r)
    window = Window(
        Neighbours(pairs, number(temperature), number(0.0), False), number(width), by_rank
    )
    return window.draw(points, points, jr.key(seed))


def dosed(n, seed=0, power=1.0):
    r = rows(n, seed=seed)
    return eqx.tree_at(lambda v: v.t, r, jr.uniform(jr.key(seed), (n,)) ** power)


def test_partners_have_doses_near_one_random_dose_and_are_never_the_row_itself():
    r = dosed(400)
    partners = draw(r, width=0.05)
    theirs = np.asarray(r.t)[np.asarray(partners.index)]
    assert np.all(partners.weight == 1)
    assert np.ptp(theirs, axis=1).max() <= 0.1
    assert np.all(np.asarray(partners.index) != np.arange(400)[:, None])
    assert all(len(set(row)) == 3 for row in np.asarray(partners.index).tolist())


def test_partners_cover_all_doses_alike_where_doses_are_rare_too():
    r = dosed(2000, power=3.0)  # most doses are small
    theirs = np.asarray(r.t)[
        np.asarray(draw(r, pairs=1, width=0.02, temperature=np.inf).index)
    ].reshape(-1)
    assert np.mean(np.asarray(r.t) < 0.25) > 0.6
    assert 0.19 < np.mean(theirs < 0.25) < 0.31
    ranked = np.asarray(r.t)[
        np.asarray(draw(r, pairs=1, by_rank=True, temperature=np.inf).index)
    ].reshape(-1)
    assert (
        abs(np.mean(ranked < 0.25) - np.mean(np.asarray(r.t) < 0.25)) < 0.05
    )  # by rank they follow the doses


def test_a_window_with_too_few_rows_is_widened():
    r = eqx.tree_at(lambda v: v.t, rows(10), jnp.asarray([0.0] * 2 + [1.0] * 2 + [0.5] * 6))
    partners = draw(r, pairs=3, width=1e-4)
    t = np.asarray(r.t)
    assert np.all(partners.weight == 1)
    assert np.all(t[np.asarray(partners.index)] != t[:, None])  # never the same dose
    narrow = draw(dosed(50), pairs=3, width=1e-6)
    assert np.all(narrow.weight == 1)


def test_near_partners_are_preferred_inside_the_window():
    r = dosed(600)
    distance = lambda temperature: float(
        draw(r, width=0.3, temperature=temperature).distance.mean()
    )
    assert distance(0.05) < 0.5 * distance(np.inf)


def test_training_partners_are_training_rows_and_validation_partners_are_looked_up_in_all_rows():
    """The public code looked the partners of validation rows up among the training rows."""
    n = 60
    rng = np.random.default_rng(0)
    t, y = rng.random((1, n)), np.arange(n, dtype=float)[None]  # a row's outcome is its number
    table = jax.tree.map(
        lambda v: jnp.asarray(v, jnp.float32),
        Rows(rng.normal(size=(1, n, 3)), t, y, np.ones((1, n))),
    )
    method = PairNet(base=VCNet(**SMALL), form="drawn", space="covariates")
    stage = method.recipe(Gaussian(), Dose(0.0, 1.0), n).stages[-1].nameless()
    assert isinstance(stage.space, Covariates)
    shape = Plan.published("dose").schedule(n, n).shape
    _, setup, _ = program.begin_all(stage, table, {}, jr.split(jr.key(0), 1), shape, 1)
    partner = jax.tree.map(lambda leaf: np.asarray(leaf[0]), setup.validation.partner)
    number_of = partner.y.astype(int)
    assert np.allclose(partner.t, np.asarray(table.t)[0][number_of])
    assert np.allclose(partner.x, np.asarray(table.x)[0][number_of])
    training = set(np.asarray(setup.training[0]).tolist())
    held_out = set(np.asarray(setup.validation.rows.y[0]).astype(int).tolist())
    assert held_out.isdisjoint(training)
    assert len(held_out) + len(training) == n
    assert not set(number_of.reshape(-1).tolist()) <= held_out
    reference = jax.tree.map(lambda leaf: leaf[0], table).take(setup.training[0])
    query = Embedded(reference.x, reference.t, reference.weight, setup.training[0])
    drawn = stage.pairing.draw(query, query, jr.key(1))
    assert (
        set(np.asarray(setup.training[0])[np.asarray(drawn.index)].reshape(-1).tolist()) <= training
    )


def test_pairs_of_a_minibatch_weigh_what_their_doses_are_apart():
    r = dosed(6)
    points = Embedded(jnp.zeros((6, 0)), r.t, r.weight, jnp.arange(6))
    gap = np.abs(np.asarray(r.t)[:, None] - np.asarray(r.t)[None])
    within = Apart(number(1.0), True).within(points)
    assert np.allclose(within.matrix(), gap / gap.sum(axis=1, keepdims=True), atol=1e-6)
    value = jr.normal(jr.key(3), (6,))
    assert np.allclose(
        within.mean(value), np.asarray(within.matrix()) @ np.asarray(value), atol=1e-5
    )
    placed = Apart(number(np.inf), True).within(eqx.tree_at(lambda e: e.z, points, r.x))
    assert np.allclose(placed.matrix(), within.matrix(), atol=1e-6)  # far away and near are alike
    weighed = Apart(number(1.0), True).within(
        eqx.tree_at(lambda e: e.weight, points, jnp.arange(6.0))
    )
    assert np.allclose(
        weighed.mean(value), np.asarray(weighed.matrix()) @ np.asarray(value), atol=1e-5
    )
    same = Apart(number(1.0), True).within(eqx.tree_at(lambda e: e.t, points, jnp.full(6, 0.3)))
    assert not np.any(same.has_partner())
    network = Varying(3, phi=(5,), mu=(4,), key=jr.key(0))
    residual = np.asarray(r.y - jax.vmap(network)(r.x, r.t).y)
    expected = np.mean(
        np.sum(np.asarray(within.matrix()) * (residual[:, None] - residual[None]) ** 2, axis=1)
    )
    assert np.isclose(
        BatchPair(Gaussian(), number(2.0))(network, Batch(r, within=within)), expected, rtol=1e-4
    )


# The density of doses, targeted regularisation, independence


def test_the_density_of_doses_has_area_one_and_is_linear_between_its_heights():
    said = Outputs(y=jnp.zeros(()), z=x, density=jr.normal(jr.key(0), (11,)))
    doses = jnp.linspace(0, 1, 10_001)
    density = np.exp(np.asarray(jax.vmap(said.log_chance_of)(doses)))
    assert np.isclose(np.trapezoid(density, doses), 1, atol=1e-4)
    assert np.isclose(density[500], (density[0] + density[1000]) / 2, rtol=1e-3)
    steep = Outputs(y=jnp.zeros(()), z=x, density=jnp.asarray([120.0, *[0.0] * 10]))
    slope = jax.grad(
        lambda d: eqx.tree_at(lambda o: o.density, steep, d).log_chance_of(jnp.float32(0.55))
    )(steep.density)
    assert np.isfinite(slope).all()
    assert np.isfinite(steep.log_chance_of(jnp.float32(0.55)))
    even = Outputs(y=jnp.zeros(()), z=x, density=jnp.zeros(5))
    assert np.allclose(jax.vmap(even.log_chance_of)(doses), 0, atol=1e-5)


def test_targeted_regularisation_moves_outcomes_by_the_inverse_density():
    network = Varying(3, phi=(6,), mu=(4,), heights=11, key=jr.key(0))
    r = dosed(10)
    targeted = Targeted(Gaussian(), number(0.05))
    assert np.isclose(
        targeted(network, Batch(r)), Factual(Gaussian())(network, Batch(r))
    )  # epsilon starts at 0
    moved = eqx.tree_at(lambda n: n.epsilon, network, jnp.asarray([0.1, 0.2, 0, 0, 0]))
    said = jax.vmap(network)(r.x, r.t)
    density = np.exp(said.log_chance_of(r.t))
    expected = np.mean((r.y - said.y - (0.1 + 0.2 * r.t) / density) ** 2)
    assert np.isclose(targeted(moved, Batch(r)), expected, rtol=1e-4)
    assert np.isclose(Propensity()(network, Batch(r)), -np.mean(np.log(density)), rtol=1e-4)


def test_independence_is_zero_where_the_representation_says_nothing_of_the_dose():
    identity = lambda x, t: Outputs(y=jnp.zeros(()), z=x)
    grid = jnp.stack(jnp.meshgrid(jnp.arange(8.0), jnp.arange(8.0)), axis=-1).reshape(-1, 2)
    at = lambda z, t: float(
        Independence()(identity, Batch(Rows(z, t, jnp.zeros(64), jnp.ones(64))))
    )
    assert at(grid[:, :1], grid[:, 1]) == pytest.approx(0, abs=1e-5)
    assert at(grid[:, :1], grid[:, 0] + 3 * grid[:, 1]) < at(grid[:, :1], grid[:, 0])
    assert at(grid[:, :1], grid[:, 0]) > 0.05


@pytest.mark.parametrize(
    "options", [{"targeted": 1.0}, {"hsic": 1.0}, {"targeted": 0.5, "hsic": 0.5}], ids=str
)
def test_vcnet_learns_with_its_options(options):
    method = VCNet(**SMALL, l2=0.1, plan=QUICK, **options).fit(X, Y, treatment=T)
    assert np.corrcoef(method.effect(X), TAU)[0, 1] > 0.8


@pytest.mark.parametrize(
    "base", [DRNet(**SMALL, l2=0.1), VCNet(**SMALL, l2=0.1)], ids=["drnet", "vcnet"]
)
@pytest.mark.parametrize("options", [{}, {"form": "drawn", "space": "psi"}], ids=["batch", "drawn"])
def test_pairs_go_on_both_networks(base, options):
    method = PairNet(base=base, plan=QUICK, **options).fit(X, Y, treatment=T)
    assert np.corrcoef(method.effect(X), TAU)[0, 1] > 0.8


# The estimator


@pytest.fixture(scope="module")
def fitted():
    return PairNet(base=VCNet(**SMALL, l2=0.1), plan=QUICK, members=2).fit(X, Y, treatment=T)


def test_the_response_is_the_outcome_under_every_dose(fitted):
    grid = np.asarray([10.0, 25.0, 60.0])
    curve = fitted.dose_response(X, np.clip(grid, T.min(), T.max()))
    assert curve.shape == (300, 3)
    for k, dose in enumerate(np.clip(grid, T.min(), T.max())):
        assert np.allclose(curve[:, k], fitted.predict_outcome(X, treatment=dose), atol=1e-4)
    assert np.allclose(curve[:, 2] - curve[:, 0], fitted.effect(X, T0=10, T1=60), atol=1e-4)
    assert fitted.dose_response(X[:3]).shape == (3, 64)
    assert np.allclose(fitted.average_dose_response(X), fitted.dose_response(X).mean(axis=0))
    assert fitted.member_responses(X[:3]).shape == (2, 3, 64)


def test_marginal_effects_are_derivatives_in_the_users_units(fitted):
    step = 0.05
    by_row = np.linspace(T.min() + 1, T.max() - 1, 300)
    for dose in (20.0, 45.0, by_row):
        up, down = (fitted.predict_outcome(X, treatment=dose + s) for s in (step, -step))
        assert np.allclose(fitted.marginal_effect(dose, X), (up - down) / (2 * step), atol=2e-3)


def test_what_is_compared_where_nobody_says_is_what_most_rows_may_get(fitted):
    assert Dose.of(np.r_[np.arange(101) / 7, 500.0]).contrast == (0.0, 10.0)
    assert Dose.of(np.arange(101) / 1e4).contrast == (0.001, 0.009)
    assert Dose.of(np.r_[np.zeros(99), 3.0]).contrast == (0.0, 3.0)
    assert Dose(0.0, 1.0).contrast == (0.0, 1.0)
    low, high = np.round(np.percentile(T, (10, 90)))
    assert np.array_equal(fitted.effect(X), fitted.effect(X, T0=low, T1=high))


def test_units_of_doses_do_not_matter(fitted):
    grams = PairNet(base=VCNet(**SMALL, l2=0.1), plan=QUICK, members=2).fit(
        X, Y, treatment=T / 1000
    )
    assert np.allclose(grams.effect(X), fitted.effect(X), atol=1e-3)
    assert np.allclose(grams.effect(X, T0=0.02, T1=0.04), fitted.effect(X, T0=20, T1=40), atol=1e-3)
    assert np.allclose(
        grams.marginal_effect(0.03, X) / 1000, fitted.marginal_effect(30, X), atol=1e-3
    )
    assert np.allclose(grams.optimal_treatment(X) * 1000, fitted.optimal_treatment(X), atol=0.1)


def test_the_optimal_dose_is_the_best_of_a_fine_grid(fitted):
    grid = np.linspace(T.min(), T.max(), 2001)
    curve = fitted.dose_response(X[:40], grid)
    best = fitted.optimal_treatment(X[:40])
    assert np.allclose(fitted.predict_outcome(X[:40], treatment=best), curve.max(axis=1), atol=1e-4)
    worst = fitted.optimal_treatment(X[:40], goal="min")
    assert np.allclose(
        fitted.predict_outcome(X[:40], treatment=worst), curve.min(axis=1), atol=1e-4
    )
    paid = fitted.optimal_treatment(X[:40], cost=0.03)
    worth = curve - 0.03 * grid
    assert np.allclose(
        fitted.predict_outcome(X[:40], treatment=paid) - 0.03 * paid, worth.max(axis=1), atol=1e-4
    )
    assert np.array_equal(fitted.optimal_treatment(X[:40], cost=lambda dose: 0.03 * dose), paid)
    bounded = fitted.optimal_treatment(X[:40], bounds=(20, 30))
    assert np.all((bounded >= 20) & (bounded <= 30))
    assert np.all(fitted.optimal_treatment(X[:40], bounds=(25, 25)) == 25)


def test_the_optimal_arm_has_the_best_outcome_after_its_cost():
    x, t, y, _ = easy_problem(arms=3)
    names = np.array(["none", "half", "whole"])[t]
    method = TARNet(**SMALL, plan=QUICK).fit(x, y, treatment=names)
    outcome = np.stack(
        [method.predict_outcome(x, treatment=name) for name in ("none", "half", "whole")]
    )
    best = np.asarray(["none", "half", "whole"])[outcome.argmax(axis=0)]
    assert np.mean(method.optimal_treatment(x) == best) > 0.99
    assert np.all(method.optimal_treatment(x, cost={"half": 1e3, "whole": 1e3}) == "none")
    with pytest.raises(ValueError, match="bounds are for doses"):
        method.optimal_treatment(x, bounds=(0, 1))
    with pytest.raises(ValueError, match="cost must be a dictionary from arm to cost.*got 3.0"):
        method.optimal_treatment(x, cost=3.0)
    with pytest.raises(ValueError, match="cost of arm 'half' must be a number, got nan"):
        method.optimal_treatment(x, cost={"half": np.nan})
    with pytest.raises(
        ValueError,
        match="cost names 'third', which is no arm: expected some of 'half', 'none', 'whole'",
    ):
        method.optimal_treatment(x, cost={"third": 1.0})
    with pytest.raises(
        ValueError, match=r"dose_response needs a model of doses; this one compares arms \('half'"
    ):
        method.dose_response(x)


def test_doses_outside_the_range_are_answered_with_a_warning_that_names_it(fitted):
    low, high = f"{T.min():g}", f"{T.max():g}"
    for question in (
        lambda: fitted.effect(X, T0=0, T1=30),
        lambda: fitted.predict_outcome(X, treatment=100),
        lambda: fitted.dose_response(X, [0, 30]),
        lambda: fitted.marginal_effect(61.0, X),
        lambda: fitted.optimal_treatment(X, bounds=(20, 90)),
    ):
        with pytest.warns(
            UserWarning, match=f"outside the doses that were observed, {low} to {high}"
        ):
            assert np.isfinite(question()).all()


def test_bad_questions_about_doses(fitted):
    with pytest.raises(ValueError, match="T1 must be a dose, a number from 10 to 60, got nan"):
        fitted.effect(X, T1=np.nan)
    with pytest.raises(ValueError, match="T0 must be a dose, a number from 10 to 60, got .*'low'"):
        fitted.effect(X, T0="low")
    with pytest.raises(
        ValueError,
        match=r"T1 must be one dose, or one per row: expected shape \(300,\), got \(2,\)",
    ):
        fitted.effect(X, T1=[20.0, 30.0])
    with pytest.raises(ValueError, match="T0 must be a dose, a number from 10 to 60, got None"):
        fitted.effect(X, T0=[20.0, None])
    with pytest.raises(
        ValueError, match=r"grid must be a list of one or more doses, got shape \(1, 1\)"
    ):
        fitted.dose_response(X, [[20.0]])
    with pytest.raises(
        ValueError, match=r"grid must be a list of one or more doses, got shape \(0,\)"
    ):
        fitted.dose_response(X, [])
    with pytest.raises(ValueError, match="grid must be a dose, a number from 10 to 60"):
        fitted.dose_response(X, [20.0, [30.0, 40.0]])
    with pytest.raises(
        ValueError, match="score compares rows that were treated differently.*got only 20.0"
    ):
        fitted.score(X, Y, treatment=np.full(300, 20.0))
    with pytest.raises(ValueError, match=r"bounds must be \(smallest, largest\) dose"):
        fitted.optimal_treatment(X, bounds=(30, 20))
    with pytest.raises(ValueError, match="bounds must be"):
        fitted.optimal_treatment(X, bounds=(20, (30, 40)))
    with pytest.raises(ValueError, match="goal must be 'max' or 'min', got 'most'"):
        fitted.optimal_treatment(X, goal="most")


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (np.nan, "cost must be a number .* got nan"),
        ("much", "cost must be a number .* got 'much'"),
        (np.ones(300), "cost must be a number"),
        (lambda dose: None, "cost must return a finite number for each dose"),
        (lambda dose: 2 if dose > 3 else 0, "cost must return a finite number for each dose"),
    ],
)
def test_costs_that_are_none(fitted, cost, message):
    with pytest.raises(ValueError, match=message):
        fitted.optimal_treatment(X, cost=cost)


# What the treatment column is


def test_pairnet_takes_many_numbers_as_a_dose_and_says_so(monkeypatch):
    for base in (TARNet, VCNet):  # what it takes by itself, but small
        monkeypatch.setattr(f"pairnet.methods.pairnet.{base.__name__}", partial(base, **SMALL))
    with pytest.warns(UserWarning, match="taken as a dose, and PairNet trains VCNet"):
        method = PairNet(plan=Plan(longest=5, warm_up=0)).fit(X, Y, treatment=T)
    assert method.treatment_ == Dose(T.min(), T.max())
    assert method.fitted_.networks["mu"].network.degree == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PairNet(plan=Plan(longest=5, warm_up=0), treatment="dose").fit(X, Y, treatment=T)
    few = np.round(T / 20)  # three values
    assert len(PairNet(plan=Plan(longest=5, warm_up=0)).fit(X, Y, treatment=few).treatment_) == len(
        np.unique(few)
    )


@pytest.mark.parametrize(
    ("method", "t", "message"),
    [
        (
            TARNet(treatment="dose"),
            T,
            "TARNet compares arms; it cannot learn from doses. Use VCNet",
        ),
        (
            VCNet(treatment="arms"),
            np.round(T / 20),
            "VCNet learns from doses; it cannot compare arms",
        ),
        (
            VCNet(),
            np.where(T > 30, "much", "little"),
            "treatment must be numbers to be a dose, got text",
        ),
        (VCNet(), np.full(300, 3.0), "at least two values, got only the dose 3 in all 300 rows"),
        (VCNet(), np.where(T > 50, np.nan, T), "treatment has missing values"),
        (DRNet(bins=0), T, "DRNet.bins must be a whole number, at least 1, got 0"),
        (VCNet(knots=(0.5, 2.0)), T, "VCNet.knots must be a tuple of shares"),
        (VCNet(degree=0), T, "VCNet.degree must be a whole number, at least 1"),
        (VCNet(hsic=-1.0), T, "VCNet.hsic must be 0 or more"),
        (PairNet(window=0.0), T, "PairNet.window must be above 0"),
        (
            PairNet().set_params(window_in="mg"),
            T,
            "PairNet.window_in must be 'range', 'dose' or 'quantile'",
        ),
        (
            PairNet(form="transport", space="covariates", treatment="dose"),
            T,
            "PairNet.form must be 'batch' or 'drawn' for doses",
        ),
    ],
    ids=lambda value: (
        type(value).__name__ if isinstance(value, TARNet | VCNet | DRNet | PairNet) else ""
    ),
)
def test_what_cannot_be_is_refused(method, t, message):
    with pytest.raises(ValueError, match=message):
        method.fit(X, Y, treatment=t)


def test_rows_of_weight_zero_do_not_set_the_range_of_doses():
    t, weight = np.r_[T, 1000.0], np.r_[np.ones(300), 0.0]
    method = VCNet(**SMALL, plan=Plan(longest=5, warm_up=0))
    method.fit(np.vstack([X, X[:1]]), np.r_[Y, 5.0], treatment=t, sample_weight=weight)
    assert method.treatment_ == Dose(T.min(), T.max())


def test_warnings_point_at_the_users_line(fitted):
    with pytest.warns(UserWarning, match="outside the doses") as told:
        fitted.ate(X, T0=0)
    assert not any("src/pairnet" in str(warning.filename) for warning in told)


def test_the_paper_has_a_plan_for_arms_and_one_for_doses():
    assert Plan.published("dose").learning_rate == 10 * Plan.published().learning_rate
    assert isinstance(PairNet.published(treatment="dose").base, VCNet)
    with pytest.raises(ValueError, match=r"PairNet.base must be TARNet\(\)"):
        PairNet.published(base=VCNet)
    with pytest.raises(
        ValueError, match="PairNet over TARNet compares arms; it cannot learn from doses"
    ):
        PairNet(base=TARNet(), treatment="dose").fit(X, Y, treatment=T)


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError, match="There are 5 rows: expected at least 7"):
        VCNet().fit(X[:5], Y[:5], treatment=T[:5])


def test_the_window_may_be_given_in_units_of_the_dose():
    width = lambda **options: float(
        PairNet(form="drawn", **options).pairing(Dose(10.0, 60.0)).width
    )
    assert np.isclose(width(window=5.0, window_in="dose"), 0.1)
    assert np.isclose(width(window=0.2), 0.2)
    assert PairNet(form="drawn", window_in="quantile").pairing(Dose(10.0, 60.0)).by_rank


# Pictures


def test_the_picture_shows_curves_their_average_and_where_doses_were_observed(fitted):
    figure = dose_figure(fitted, X, observed=T, rows=5)
    (axis,) = figure.axes
    assert axis.get_xlabel() == "dose"
    assert sum(len(line.get_xdata()) == 64 for line in axis.lines) == 6  # five rows and the average
    labels = [text.get_text() for text in axis.get_legend().get_texts()]
    assert labels == ["one row", "average of all rows", "an observed dose"]
    for low, high in ((0, 20), (20, 0), (20, 20)):
        wide = dose_figure(fitted, X, grid=np.linspace(T.min() - low, T.max() + high, 30))
        said = [text.get_text() for text in wide.axes[0].get_legend().get_texts()]
        assert said == ["one row", "average of all rows", "no dose was observed"]


# Metrics


def test_dose_metrics_by_hand():
    truth = np.asarray([[[0.0, 1.0, 4.0], [2.0, 2.0, 2.0]]])
    own, y = np.asarray([[1.0, 2.0]]), np.asarray([[1.5, 2.0]])
    said, own_said = truth + 7.0, own + 7.0  # a common error of the level is no error of an effect
    assert np.allclose(dose_pehe(truth, own, said, own_said), 0)
    assert np.allclose(dose_pehe_by_row(truth, y, said, own_said), (0.5 + 0) / 2)  # but noise is
    assert np.allclose(mise(truth, said), 49)
    bent = said + np.asarray([0.0, 0.0, 3.0])
    assert np.allclose(dose_pehe(truth, own, bent, own_said), np.sqrt(3))
    assert np.allclose(dose_pehe_by_row(truth, own, bent, own_said), np.sqrt(3))
    assert np.allclose(policy_error(truth, said), 0)
    assert np.allclose(policy_error(truth, -truth), ((4 - 0) ** 2 + 0) / 2)


def test_a_study_of_doses_is_evaluated_with_every_metric():
    study = load(
        "confounded", realisations=2, rows=500, test=40, covariates=4, dose=True, noise=0.3
    )
    scores = evaluate(PairNet(base=VCNet(**SMALL), plan=LONGER), study)
    assert scores.pehe_out.shape == (2,)
    assert set(scores.more) == {
        f"{m}_{s}" for m in ("pehe_by_row", "mise", "policy_error") for s in ("in", "out")
    }
    flat = np.zeros((2, 40, 64))
    nothing = dose_pehe(study.truth(study.test), study.own(study.test), flat, flat[..., 0])
    assert np.all(scores.pehe_out < nothing)
    with pytest.raises(ValueError, match="TARNet compares arms; it cannot learn from doses"):
        evaluate(TARNet(), study)
