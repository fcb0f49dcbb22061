"""What makes each method what it is: an identity, a limit, or a number worked by hand."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import QUICK, SMALL, easy_problem, embedded, rows
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
from pairnet.core.types import Batch, Rows, number
from pairnet.losses import (
    Factual,
)
from pairnet.networks import Dragon, Separate, TwoHead
from pairnet.pairing import Nearest
from pairnet.studies import load
from pairnet.views import (
    EqualArms,
    OnlyArms,
)

X, T, Y, TAU = easy_problem()


TWO = Arms((0, 1))


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


def test_dragonnets_propensity_is_calibrated_on_a_known_one():
    study = load("confounded", realisations=1, rows=4000, test=1000, covariates=5, confounding=0.7)
    train = study.part(study.train)
    method = DragonNet(phi=(50, 50), mu=(20,)).fit(
        train.x[0], train.y[0], treatment=train.t[0].astype(int)
    )
    x = method.fitted_.scaling.x(study.part(study.test).x)[0]
    network = jax.tree.map(lambda leaf: leaf[0, 0], method.fitted_.networks["mu"])
    chance = np.asarray(
        jax.nn.softmax(jax.vmap(network)(x, jnp.zeros(len(x))).propensity, axis=-1)
    )[:, 1]
    truth = study.propensity[0, study.test, 1]
    assert np.corrcoef(chance, truth)[0, 1] > 0.9
    assert abs(chance.mean() - truth.mean()) < 0.04
    low = chance < np.median(chance)
    for part in (low, ~low):
        assert abs(chance[part].mean() - truth[part].mean()) < 0.07


def test_targeted_regularisation_moves_outcomes_by_inverse_propensity():
    from pairnet.losses import Targeted

    network = Dragon(3, phi=(6,), mu=(4,), key=jr.key(0))
    r = rows(10)
    plain = Factual(Gaussian())(network, Batch(r))
    targeted = Targeted(Gaussian(), number(0.05))
    assert np.isclose(targeted(network, Batch(r)), plain)  # epsilon starts at 0
    moved = eqx.tree_at(lambda n: n.epsilon, network, jnp.asarray([0.0, 0.1]))
    plain_outputs = jax.vmap(network)(r.x, r.t)
    chance = jax.nn.softmax(plain_outputs.propensity, axis=-1)[jnp.arange(10), r.t.astype(int)]
    expected = np.mean((r.y - plain_outputs.y - jnp.where(r.t == 1, 0.1, 0) / chance) ** 2)
    assert np.isclose(targeted(moved, Batch(r)), expected, rtol=1e-5)
    fitted = DragonNet(targeted=1.0, plan=QUICK, l2=0.1, **SMALL).fit(X, Y, treatment=T)
    assert np.corrcoef(fitted.effect(X), TAU)[0, 1] > 0.8


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
