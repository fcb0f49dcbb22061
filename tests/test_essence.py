"""What makes each method what it is: an identity, a limit, or a number worked by hand."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import QUICK, SMALL, batch, easy_problem, embedded, rows
from pairnet import (
    ESCFR,
    IPW,
    KNN,
    CFRNet,
    DragonNet,
    DRLearner,
    FlexTENet,
    PairNet,
    PerfectMatch,
    Plan,
    RLearner,
    SLearner,
    StableCFR,
    TARNet,
    TLearner,
    XLearner,
)
from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Arms
from pairnet.core.types import Batch, Outputs, Rows, number
from pairnet.losses import (
    Factual,
    Imputed,
    KernelMMD,
    LinearMMD,
    Pair,
    Propensity,
    RelaxedTransport,
    Wasserstein,
)
from pairnet.networks import Dragon, FlexTE, Separate, TwoHead
from pairnet.pairing import Nearest
from pairnet.studies import load
from pairnet.training import Blend
from pairnet.views import (
    DoublyRobust,
    EqualArms,
    ImputedEffect,
    InversePropensity,
    LeaveOut,
    Nuisance,
    OnlyArms,
    RegressionAdjusted,
    Robinson,
    fold_of,
)

X, T, Y, TAU = easy_problem()
TWO = Arms((0, 1))


def known(n=4000, seed=0):
    """Rows whose outcome models, propensity and effect are known functions, and these functions as
    networks."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    e = 1 / (1 + np.exp(-x[:, 0]))
    t = (rng.random(n) < e).astype(np.float32)
    tau = 1 + x[:, 1]
    y = x[:, 0] + t * tau + 0.5 * rng.normal(size=n)
    seen = Rows(*(jnp.asarray(v, jnp.float32) for v in (x, t, y, np.ones(n))))

    def mu(x, t):
        return Outputs(y=x[0] + t * (1 + x[1]), z=x)

    def pi(x, t):
        return Outputs(y=jnp.zeros(()), z=x, propensity=jnp.stack([jnp.zeros(()), x[0]]))

    return seen, tau, {"mu": mu, "pi": pi}


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
    seen, _, fitted = known(40_000)
    pseudo = DoublyRobust(NUISANCE, number(1))(seen, fitted | wrong).y
    assert np.allclose(slope(pseudo, seen.x), [1, 0, 1], atol=0.1)


def test_doubly_robust_effects_are_wrong_if_both_models_are():
    seen, _, fitted = known(40_000)
    pseudo = DoublyRobust(NUISANCE, number(1))(seen, fitted | {"mu": wrong_mu, "pi": wrong_pi}).y
    assert not np.allclose(slope(pseudo, seen.x), [1, 0, 1], atol=0.25)


def test_the_weighted_regression_of_robinson_is_the_r_loss():
    seen, _, fitted = known(500)
    average = lambda x, t: Outputs(y=x[0] + jax.nn.sigmoid(x[0]) * (1 + x[1]), z=x)
    view = Robinson(NUISANCE, number(1))(seen, fitted | {"mu": average})
    e = np.clip(jax.nn.sigmoid(seen.x[:, 0]), 0.01, 0.99)
    m = np.asarray(jax.vmap(average)(seen.x, seen.t).y)
    for tau in (0.0, 1.3, np.asarray(seen.x[:, 1])):
        r_loss = np.sum(((seen.y - m) - (seen.t - e) * tau) ** 2)
        assert np.isclose(np.sum(view.weight * (view.y - tau) ** 2), r_loss, rtol=1e-3)
    assert np.allclose(slope(view.y, seen.x, view.weight), [1, 0, 1], atol=0.25)


def test_robinson_leaves_other_arms_alone():
    seen, _, fitted = known(100)
    seen = eqx.tree_at(lambda r: r.t, seen, jnp.arange(100.0) % 3)
    three = lambda x, t: Outputs(y=jnp.zeros(()), z=x, propensity=jnp.zeros(3))
    view = Robinson(NUISANCE, number(2))(seen, fitted | {"pi": three})
    assert np.all((np.asarray(view.weight) > 0) == (np.asarray(seen.t) != 1))


def test_imputed_effects_of_the_x_learner_are_observed_minus_modelled():
    seen, _, fitted = known(200)
    treated, control = (
        ImputedEffect(NUISANCE, number(1), number(side))(seen, fitted) for side in (0, 1)
    )
    mine = np.asarray(seen.t) == 1
    x = np.asarray(seen.x)
    assert np.allclose(treated.y[mine], (seen.y - x[:, 0])[mine], atol=1e-5)
    assert np.allclose(control.y[~mine], (x[:, 0] + 1 + x[:, 1] - seen.y)[~mine], atol=1e-5)
    assert np.array_equal(treated.weight > 0, mine)
    assert np.array_equal(control.weight > 0, ~mine)
    adjusted = RegressionAdjusted(NUISANCE, number(1))(seen, fitted)
    assert np.allclose(adjusted.y, np.where(mine, treated.y, control.y))


def test_the_x_learner_blends_by_the_propensity():
    say = lambda value: lambda x, t: Outputs(y=jnp.asarray(value), z=x)
    chance = lambda x, t: Outputs(y=jnp.zeros(()), z=x, propensity=jnp.log(jnp.asarray([0.2, 0.8])))
    networks = {"mu": say(7.0), "first": say(1.0), "own": say(5.0), "pi": chance}
    blend = Blend(Gaussian(), "mu", ("first",), ("own",), "pi")
    zero, one = jnp.zeros(()), jnp.ones(())
    assert np.isclose(blend.effect(networks, jnp.zeros(2), zero, one), 0.8 * 1 + 0.2 * 5)
    assert np.isclose(blend.effect(networks, jnp.zeros(2), one, zero), -(0.8 * 1 + 0.2 * 5))
    assert np.isclose(blend.outcome(networks, jnp.zeros(2), one), 7 + 0.8 * 1 + 0.2 * 5)


def test_cross_fitting_asks_only_models_that_have_not_seen_the_row():
    seen, _, _ = known(60)
    fold = np.asarray(fold_of(seen, 3))
    assert sorted(np.bincount(fold.astype(int)).tolist()) == [20, 20, 20]
    shares = [np.mean(np.asarray(seen.t)[fold == k]) for k in range(3)]
    assert np.ptp(shares) < 0.06  # each fold holds the arms in their shares
    for k in range(3):
        left = LeaveOut(OnlyArms(number(0), number(1)), number(k), 3)(seen, {})
        assert np.array_equal(np.asarray(left.weight) == 0, fold == k)
    names = ("mu.0", "mu.1", "mu.2")
    tell = {
        name: (lambda x, t, k=k: Outputs(y=jnp.asarray(float(k)), z=x))
        for k, name in enumerate(names)
    }
    asked = Nuisance(Gaussian(), names, (), number(0.01)).mean(seen, tell, 0.0)
    assert np.array_equal(asked, fold)


@pytest.mark.parametrize("kind", [DRLearner, RLearner, XLearner, IPW])
def test_cross_fitted_methods_learn_too(kind):
    method = kind(folds=2, plan=QUICK, l2=0.1, **SMALL).fit(X, Y, treatment=T)
    assert np.corrcoef(method.effect(X), TAU)[0, 1] > 0.8


def test_a_t_learner_is_two_regressions_side_by_side():
    network = Separate(3, phi=(5,), mu=(4,), key=jr.key(0))
    r = rows(12, d=3)
    gradient = jax.grad(lambda n: Factual(Gaussian())(n, Batch(r)))(network)
    alone = jax.grad(
        lambda n: Factual(Gaussian())(n, Batch(OnlyArms(number(1), number(1))(r, {})))
    )(network)
    for leaf, mine in zip(jax.tree.leaves(gradient), jax.tree.leaves(alone), strict=True):
        assert np.allclose(mine[0], 0)  # the other arm's rows do not touch this arm's network
        assert np.allclose(leaf[1], mine[1] / 2, atol=1e-6)
    weight = EqualArms(2)(
        eqx.tree_at(lambda v: v.t, r, (jnp.arange(12) < 3).astype(jnp.float32)), {}
    ).weight
    assert np.allclose(weight[:3].sum(), weight[3:].sum())
    assert np.isclose(weight.sum(), 12)


def test_cfrnet_with_weight_zero_is_tarnet():
    plain = TARNet(plan=QUICK, l2=0.1, **SMALL).fit(X, Y, treatment=T).effect(X)
    for options in ({"balance": 0.0}, {"balance": 0.0, "measure": "kernel"}):
        same = CFRNet(plan=QUICK, l2=0.1, **SMALL, **options).fit(X, Y, treatment=T).effect(X)
        assert np.allclose(plain, same, atol=1e-4)
    other = CFRNet(plan=QUICK, l2=0.1, **SMALL, balance=5.0).fit(X, Y, treatment=T).effect(X)
    assert not np.allclose(plain, other, atol=1e-2)


@pytest.mark.parametrize(
    "loss", [LinearMMD(2), KernelMMD(2), Wasserstein(2, 0.01)], ids=lambda v: type(v).__name__
)
def test_balance_is_zero_for_equal_arms_and_grows_as_they_part(loss):
    identity = lambda x, t: Outputs(y=jnp.zeros(()), z=x)
    half = jr.normal(jr.key(0), (8, 3))
    arms = jnp.repeat(jnp.arange(2.0), 8)

    def at(distance):
        x = jnp.concatenate([half, half + distance])
        return float(loss(identity, Batch(Rows(x, arms, jnp.zeros(16), jnp.ones(16)))))

    assert at(0.0) == pytest.approx(0, abs=0.03)
    assert at(0.5) < at(1.0) < at(3.0)


def test_the_linear_measure_is_the_squared_distance_of_means_in_units_of_the_batch():
    identity = lambda x, t: Outputs(y=jnp.zeros(()), z=x)
    x = jnp.asarray([[0.0], [2.0], [4.0], [6.0]])
    b = Batch(Rows(x, jnp.asarray([0.0, 0.0, 1.0, 1.0]), jnp.zeros(4), jnp.ones(4)))
    assert float(LinearMMD(2)(identity, b)) == pytest.approx((5 - 1) ** 2 / 5, rel=1e-4)


def test_dragonnets_propensity_is_calibrated_on_a_known_one():
    study = load("confounded", realisations=1, rows=4000, test=1000, covariates=5, confounding=0.7)
    train = study.part(study.train)
    method = DragonNet(phi=(50, 50), mu=(20,)).fit(
        train.x[0], train.y[0], treatment=train.t[0].astype(int)
    )
    x = method.fitted_.scaling.x(study.part(study.test).x)[0]
    network = jax.tree.map(lambda leaf: leaf[0, 0], method.fitted_.networks["mu"])
    said = np.asarray(jax.nn.softmax(jax.vmap(network)(x, jnp.zeros(len(x))).propensity, axis=-1))[
        :, 1
    ]
    truth = study.propensity[0, study.test, 1]
    assert np.corrcoef(said, truth)[0, 1] > 0.9
    assert abs(said.mean() - truth.mean()) < 0.04
    low = said < np.median(said)
    for part in (low, ~low):
        assert abs(said[part].mean() - truth[part].mean()) < 0.07


def test_targeted_regularisation_moves_outcomes_by_inverse_propensity():
    from pairnet.losses import Targeted

    network = Dragon(3, phi=(6,), mu=(4,), key=jr.key(0))
    r = rows(10)
    plain = Factual(Gaussian())(network, Batch(r))
    targeted = Targeted(Gaussian(), number(0.05))
    assert np.isclose(targeted(network, Batch(r)), plain)  # epsilon starts at 0
    moved = eqx.tree_at(lambda n: n.epsilon, network, jnp.asarray([0.0, 0.1]))
    said = jax.vmap(network)(r.x, r.t)
    chance = jax.nn.softmax(said.propensity, axis=-1)[jnp.arange(10), r.t.astype(int)]
    expected = np.mean((r.y - said.y - jnp.where(r.t == 1, 0.1, 0) / chance) ** 2)
    assert np.isclose(targeted(moved, Batch(r)), expected, rtol=1e-5)
    fitted = DragonNet(targeted=1.0, plan=QUICK, l2=0.1, **SMALL).fit(X, Y, treatment=T)
    assert np.corrcoef(fitted.effect(X), TAU)[0, 1] > 0.8


def test_flextenets_overlap_is_zero_for_orthogonal_weights():
    network = FlexTE(4, phi=(4, 4), mu=(2,), key=jr.key(0))
    assert network.overlap() > 0.01
    shared = tuple(
        eqx.tree_at(lambda d: d.weight, layer, layer.weight.at[1:].set(0))
        for layer in network.shared
    )
    private = tuple(
        eqx.tree_at(lambda d: d.weight, layer, layer.weight.at[:, 0].set(0))
        for layer in network.private
    )
    orthogonal = eqx.tree_at(lambda n: (n.shared, n.private), network, (shared, private))
    assert np.isclose(orthogonal.overlap(), 0)
    without = FlexTE(4, phi=(4, 4), mu=(2,), orthogonal=0.0, key=jr.key(0))
    without = eqx.tree_at(lambda n: (n.shared, n.private), without, (shared, private))
    assert np.isclose(orthogonal.penalty(), without.penalty())


def test_flextenets_arms_agree_where_private_weights_are_zero():
    network = FlexTE(4, phi=(6,), mu=(4,), key=jr.key(0))
    shared = eqx.tree_at(
        lambda n: n.private, network, jax.tree.map(jnp.zeros_like, network.private)
    )
    x = jr.normal(jr.key(1), (4,))
    assert network(x, jnp.zeros(())).y != network(x, jnp.ones(())).y
    assert shared(x, jnp.zeros(())).y == shared(x, jnp.ones(())).y


def test_relaxed_transport_becomes_balanced_transport_as_the_relaxation_grows():
    network = TwoHead(3, phi=(6,), mu=(4,), key=jr.key(0))
    b = batch(rows(16))
    at = lambda relaxation: float(
        RelaxedTransport(Gaussian(), 2, 0.1, relaxation, number(0.0))(network, b)
    )
    balanced = float(Wasserstein(2, 0.1)(network, b))
    assert at(np.inf) == pytest.approx(balanced, rel=1e-4)
    assert abs(at(1e4) - balanced) < 1e-2 * balanced
    assert abs(at(100.0) - balanced) < abs(at(1.0) - balanced)
    with_outcomes = RelaxedTransport(Gaussian(), 2, 0.1, 1.0, number(1.0))(network, b)
    assert with_outcomes > at(1.0)


def test_ipw_with_a_constant_propensity_is_tarnet():
    seen, _, fitted = known(300)
    share = float(seen.t.mean())
    constant = lambda x, t: Outputs(
        y=jnp.zeros(()), z=x, propensity=jnp.log(jnp.asarray([1 - share, share]))
    )
    view = InversePropensity(Nuisance(Gaussian(), (), ("pi",), number(0.01)))
    assert np.allclose(view(seen, {"pi": constant}).weight, 1, atol=1e-5)
    weight = np.asarray(view(seen, fitted).weight)
    e = np.clip(jax.nn.sigmoid(seen.x[:, 0]), 0.01, 0.99)
    expected = np.where(seen.t == 1, share / e, (1 - share) / (1 - e))
    assert np.allclose(weight, expected, rtol=1e-4)


def test_knn_copies_the_nearest_outcome_of_the_other_arm():
    r = rows(14, seed=2)
    points = embedded(r)
    drawn = Nearest(1, 2).draw(points, points, jr.key(0))
    theirs = r.take(drawn.index)
    x, t = np.asarray(r.x), np.asarray(r.t)
    d = np.where(t[:, None] == t[None], np.inf, np.linalg.norm(x[:, None] - x[None], axis=-1))
    copied = np.asarray(r.y)[d.argmin(axis=1)]
    assert np.allclose(theirs.y[:, 0], copied)
    network = TwoHead(3, phi=(6,), mu=(4,), key=jr.key(0))
    b = Batch(r, partner=Rows(theirs.x, theirs.t, theirs.y, drawn.weight))
    said = jax.vmap(network)(r.x, 1 - r.t).y
    assert np.isclose(Imputed(Gaussian())(network, b), np.mean((said - copied) ** 2), rtol=1e-5)


def test_matched_batches_are_balanced():
    r = rows(20, seed=1)
    r = eqx.tree_at(
        lambda v: v.t, r, (jnp.arange(20) < 3).astype(jnp.float32)
    )  # three treated of twenty
    points = embedded(r)
    drawn = Nearest(1, 2).draw(points, points, jr.key(0))
    both = np.r_[np.asarray(r.t), np.asarray(r.t)[np.asarray(drawn.index)[:, 0]]]
    assert both.mean() == 0.5
    stage = PerfectMatch(l2=0.0).recipe(Gaussian(), TWO, 20).stages[-1]
    theirs = r.take(drawn.index)
    b = Batch(r, partner=Rows(theirs.x, theirs.t, theirs.y, drawn.weight))
    network = TwoHead(3, phi=(6,), mu=(4,), key=jr.key(0))
    factual = Factual(Gaussian())
    alone = jax.tree.map(lambda leaf: leaf[:, 0], theirs)
    alone = Rows(alone.x, alone.t, alone.y, jnp.ones(20))
    expected = (factual(network, Batch(r)) + factual(network, Batch(alone))) / 2
    assert np.isclose(stage.loss(network, b), expected, rtol=1e-5)


def test_pairs_with_alpha_zero_are_factual_training_on_rows_and_partners():
    network = TwoHead(3, phi=(6,), mu=(4,), key=jr.key(0))
    b = batch(rows(12), pairs=3)
    partner = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), b.partner)
    factual = Factual(Gaussian())
    both = factual(network, Batch(b.rows)) + factual(network, Batch(partner))
    assert np.isclose(Pair(Gaussian(), number(0.0))(network, b), both, rtol=1e-5)


def test_propensity_loss_is_the_cross_entropy_of_the_arm():
    say = lambda x, t: Outputs(y=jnp.zeros(()), z=x, propensity=jnp.log(jnp.asarray([0.2, 0.8])))
    r = rows(8)
    assert np.isclose(Propensity()(say, Batch(r)), -(np.log(0.2) + np.log(0.8)) / 2)


BASES = [TARNet, CFRNet, DragonNet, FlexTENet, TLearner, SLearner]


@pytest.mark.parametrize("base", BASES, ids=lambda kind: kind.__name__)
def test_pairs_go_on_every_network(base):
    method = PairNet(base=base(l2=0.03, **SMALL), plan=Plan(patience=100, longest=600, warm_up=20))
    assert np.corrcoef(method.fit(X, Y, treatment=T).effect(X), TAU)[0, 1] > 0.8
    losses = jax.tree.leaves(
        method.recipe(Gaussian(), TWO, 300).stages[-1].loss,
        is_leaf=lambda v: isinstance(v, Factual),
    )
    assert not any(isinstance(part, Factual) for part in losses)


def test_pairs_do_not_go_on_methods_without_a_factual_loss():
    for base in (DRLearner(), KNN(), StableCFR(), PairNet()):
        with pytest.raises(ValueError, match=r"PairNet.base must be TARNet\(\), CFRNet\(\)"):
            PairNet(base=base).fit(X, Y, treatment=T)


def test_pairs_by_optimal_transport():
    method = PairNet(form="transport", space="covariates", base=TARNet(l2=0.1, **SMALL), plan=QUICK)
    assert np.corrcoef(method.fit(X, Y, treatment=T).effect(X), TAU)[0, 1] > 0.8
    with pytest.raises(ValueError, match=r"PairNet.space must be a space, if form is 'transport'"):
        PairNet(form="transport").fit(X, Y, treatment=T)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (CFRNet(balance=-1.0), "CFRNet.balance must be 0 or more, got -1.0"),
        (ESCFR(relaxation=0.0), "ESCFR.relaxation must be above 0"),
        (DRLearner(clip=0.5), "DRLearner.clip must be above 0 and below 0.5"),
        (XLearner(folds=0), "XLearner.folds must be a whole number from 1 to 20"),
        (KNN(neighbours=0), "KNN.neighbours must be a whole number, at least 1"),
        (StableCFR(explore=2.0), "StableCFR.explore must be a share"),
        (FlexTENet(private=-1.0), "FlexTENet.private must be 0 or more"),
        (DragonNet(targeted=-1.0), "DragonNet.targeted must be 0 or more"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_absurd_hyperparameters(method, message):
    with pytest.raises(ValueError, match=message):
        method.fit(X, Y, treatment=T)
