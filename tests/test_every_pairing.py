import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import embedded, rows
from pairnet.core.types import Embedded, number
from pairnet.pairing import (
    InBatch,
    Matched,
    Nearest,
    Neighbours,
    Stratified,
    pairings,
)

# The ones that weigh partners by a temperature; the others take the nearest, or move as little as
# they can.
SOFT = ["neighbours", "inbatch"]


def make(name, temperature=1.0, spread=False, arms=3):
    """Return a pairing by the names of its fields; a new one may need a value for a new name."""
    values = {"arms": arms, "spread": spread, "temperature": number(temperature)}
    values |= {"pairs": 2, "drop": number(0.0), "epsilon": 0.05, "cells": 3, "explore": number(0.2)}
    values |= {"width": number(0.05), "by_rank": False}
    fields = pairings[name].__dataclass_fields__
    if "neighbours" in fields:
        values["neighbours"] = make("neighbours", temperature, spread)
    return pairings[name](**{field: values[field] for field in fields})


def chances(pairing, points, count=4000):
    """Return how likely each row is to be compared with each other row: drawn often, or as the
    matrix says."""
    within = pairing.within(points)
    if within is not None:
        return np.asarray(within.matrix())
    drawn = jax.jit(jax.vmap(lambda key: pairing.draw(points, points, key)))(
        jr.split(jr.key(0), count)
    )
    index, weight = np.asarray(drawn.index), np.asarray(drawn.weight)
    table = np.zeros((len(points.t), len(points.t)))
    np.add.at(table, (np.arange(len(points.t))[None, :, None].repeat(count, 0), index), weight)
    return table / np.maximum(table.sum(axis=1, keepdims=True), 1)


@pytest.fixture(params=list(pairings))
def name(request):
    return request.param


soft = pytest.mark.parametrize("name", SOFT)


def test_nobody_is_paired_with_themselves_or_their_own_arm(name):
    r = rows(15, arms=3)
    q = chances(make(name), embedded(r), count=200)
    assert np.all(q[np.asarray(r.t)[:, None] == np.asarray(r.t)[None]] == 0)
    assert np.allclose(q.sum(axis=1), 1)


@soft
def test_an_infinite_temperature_is_uniform(name):
    r = rows(12, arms=3)
    q = chances(make(name, np.inf), embedded(r))
    legal = np.asarray(r.t)[:, None] != np.asarray(r.t)[None]
    assert np.allclose(q[legal], 1 / 8, atol=0.02)


@soft
def test_a_low_temperature_is_the_nearest(name):
    r = rows(12, seed=3)
    pairing = (
        InBatch(2, number(1e-4), False)
        if pairings[name] is InBatch
        else Neighbours(1, number(1e-3), number(0.0), False)
    )
    q = chances(pairing, embedded(r), count=50)
    x, t = np.asarray(r.x), np.asarray(r.t)
    d = np.where(t[:, None] != t[None], np.linalg.norm(x[:, None] - x[None], axis=-1), np.inf)
    assert np.array_equal(q.argmax(axis=1), d.argmin(axis=1))


@soft
def test_units_of_the_spread_make_the_scale_of_the_embedding_irrelevant(name):
    """The public code's distances were so small that near and far meant the same."""
    r = rows(12)
    near = chances(make(name, 0.2, spread=True), embedded(r), count=500)
    tiny = chances(make(name, 0.2, spread=True), embedded(r, 1e-3 * r.x), count=500)
    raw = chances(make(name, 0.2, spread=False), embedded(r, 1e-3 * r.x), count=500)
    assert np.allclose(near, tiny, atol=1e-3)
    assert np.abs(raw - near).max() > 0.1


def test_a_small_spread_far_from_the_origin_is_not_lost_to_rounding(name):
    r = rows(12)
    z = jnp.round(r.x * 16) / 16  # exact in float32 even far away
    here, far = (
        chances(make(name, 0.3, spread=True), embedded(r, z + by), count=300)
        for by in (0.0, 4096.0)
    )
    assert np.allclose(here, far, atol=1e-3)


def test_rows_of_weight_zero_are_nobodys_partner(name):
    r = rows(12)
    points = Embedded(r.x, r.t, jnp.where(jnp.arange(12) < 3, 0.0, 1.0), jnp.arange(12))
    assert np.all(chances(make(name), points, count=200)[:, :3] == 0)


def test_a_row_without_a_legal_partner_gets_no_weight(name):
    """The public code gave such rows a uniform q over rows of their own arm."""
    r = rows(6)
    points = Embedded(r.x, jnp.zeros(6), r.weight, jnp.arange(6))
    assert np.all(chances(make(name), points, count=20) == 0)


def test_a_settled_pairing_draws_as_it_did(name):
    r = rows(15, arms=3)
    points = eqx.tree_at(
        lambda e: e.row, embedded(r), 3 * jr.permutation(jr.key(1), 15)
    )  # rows of a larger table
    before, settled = (
        chances(pairing, points) for pairing in (make(name), make(name).settle(points))
    )
    assert np.allclose(before, settled, atol=0.03)


def test_a_settled_pairing_knows_its_rows_in_any_order():
    points = embedded(rows(30, arms=3, seed=4))
    shuffled = jax.tree.map(lambda leaf: leaf[jr.permutation(jr.key(0), 30)[:20]], points)
    absent = eqx.tree_at(lambda e: e.weight, shuffled, shuffled.weight.at[0].set(0.0))
    pairing = Nearest(2, 3)
    expected, settled = (
        either.draw(absent, points, jr.key(0)) for either in (pairing, pairing.settle(points))
    )
    assert np.array_equal(settled.index, expected.index)
    assert np.array_equal(settled.weight, expected.weight)
    assert not settled.weight[0].any()
    near = Neighbours(2, number(1e-4), number(0.0), False)
    expected, settled = (
        either.draw(absent, points, jr.key(0)) for either in (near, near.settle(points))
    )
    assert np.array_equal(
        settled.index, expected.index
    )  # at no temperature there is nothing left to chance
    assert np.allclose(settled.distance, expected.distance)


def test_nearest_are_the_nearest_of_each_other_arm():
    r = rows(30, arms=3, seed=4)
    points = embedded(r)
    partners = Nearest(2, 3).draw(points, points, jr.key(0))
    x, t = np.asarray(r.x), np.asarray(r.t)
    d = np.linalg.norm(x[:, None] - x[None], axis=-1)
    for i, chosen in enumerate(np.asarray(partners.index)):
        expected = [
            j
            for shift in (1, 2)
            for j in np.argsort(np.where(t == (t[i] + shift) % 3, d[i], np.inf))[:2]
        ]
        assert chosen.tolist() == expected


def test_stratified_partners_come_from_the_same_cell_where_there_are_some():
    z = jnp.concatenate(
        [jr.normal(jr.key(0), (20, 2)), 50 + jr.normal(jr.key(1), (20, 2)), -50 + jnp.zeros((2, 2))]
    )
    t = jnp.concatenate([jnp.arange(40) % 2, jnp.zeros(2)]).astype(
        jnp.float32
    )  # the last cell has one arm only
    points = Embedded(z, t, jnp.ones(42), jnp.arange(42))
    for seed in range(5):
        partners = Stratified(8, 2, number(0.5)).draw(points, points, jr.key(seed))
        assert np.all(np.asarray(partners.weight) == 1)
        assert (
            np.asarray(partners.distance)[:40].max() < 0.2
        )  # in units of the spread: never the other clump
    greedy = Stratified(1, 2, number(0.0)).draw(points, points, jr.key(0)).index
    assert np.array_equal(greedy, Nearest(1, 2).draw(points, points, jr.key(0)).index)


def test_matched_partners_are_used_alike():
    """One row of the other arm lies near everybody; transport does not let it be everybody's
    partner."""
    z = jnp.concatenate(
        [jnp.zeros((1, 1)), jnp.linspace(3, 4, 5)[:, None], jnp.linspace(-0.5, 0.5, 6)[:, None]]
    )
    points = Embedded(z, jnp.asarray([1.0] * 6 + [0.0] * 6), jnp.ones(12), jnp.arange(12))
    used = np.asarray(Matched(2, 0.05).within(points).matrix())[6:, :6].sum(axis=0)
    greedy = np.asarray(InBatch(2, number(0.05), True).within(points).matrix())[6:, :6].sum(axis=0)
    assert np.allclose(used, 1, atol=0.05)
    assert greedy[0] > 5
