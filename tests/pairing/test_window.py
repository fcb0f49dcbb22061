"""Partners of doses: drawn from a window, or all rows of a minibatch by how far apart they are."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np

from checks import SMALL, embedded, rows
from pairnet import PairNet, Plan, VCNet
from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Dose
from pairnet.core.types import Batch, Embedded, Rows, number
from pairnet.losses import BatchPair
from pairnet.networks import Varying
from pairnet.pairing import Apart, Neighbours, Window
from pairnet.training import program
from pairnet.training.spaces import Covariates


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
    _, setup, _ = program.begin_all(stage, table, {}, jr.split(jr.key(0), 1), None, shape, 1)
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


def test_the_window_may_be_given_in_units_of_the_dose():
    width = lambda **options: float(
        PairNet(form="drawn", **options).pairing(Dose(10.0, 60.0)).width
    )
    assert np.isclose(width(window=5.0, window_in="dose"), 0.1)
    assert np.isclose(width(window=0.2), 0.2)
    assert PairNet(form="drawn", window_in="quantile").pairing(Dose(10.0, 60.0)).by_rank
