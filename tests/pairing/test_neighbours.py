import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import embedded, rows
from pairnet.core.types import Embedded, number
from pairnet.pairing import Neighbours, base, neighbours


def draw(r, pairs=2, temperature=1.0, drop=0.0, spread=False, seed=0):
    points = embedded(r)
    return Neighbours(pairs, number(temperature), number(drop), spread).draw(
        points, points, jr.key(seed)
    )


def test_partners_are_drawn_without_replacement():
    partners = draw(rows(20), pairs=5)
    assert all(len(set(row)) == 5 for row in np.asarray(partners.index).tolist())


def test_an_ordered_draw_has_the_probability_of_drawing_from_the_softmax_without_replacement():
    """One query, four candidates: all twelve ordered pairs against the product of successive
    softmax draws."""
    z = jnp.asarray([[0.0], [0.2], [0.9], [1.4], [2.5]])
    points = Embedded(z, jnp.asarray([0.0, 1, 1, 1, 1]), jnp.ones(5), jnp.arange(5))
    query = jax.tree.map(lambda leaf: leaf[:1], points)
    pairing = Neighbours(2, number(0.7), number(0.0), False)
    count = 40_000
    index = np.asarray(
        jax.jit(jax.vmap(lambda k: pairing.draw(query, points, k).index))(
            jr.split(jr.key(0), count)
        )
    )[:, 0]
    q = np.exp(-np.asarray(z)[1:, 0] / 0.7)
    for first, second in itertools.permutations(range(4), 2):
        expected = q[first] / q.sum() * q[second] / (q.sum() - q[first])
        share = np.mean((index[:, 0] == first + 1) & (index[:, 1] == second + 1))
        assert abs(share - expected) < 4 * np.sqrt(expected / count)


@pytest.mark.parametrize("drop", [0.0, 0.1, 0.25, 0.9])
def test_drop_removes_exactly_that_share_of_the_drawn_pairs_and_the_farthest(drop):
    """The public code dropped a fifth of all ordered pairs, those within an arm included, before
    sampling."""
    partners = draw(rows(40), pairs=5, drop=drop)
    weight, distance = np.asarray(partners.weight), np.asarray(partners.distance)
    assert weight.sum() == round((1 - drop) * 200)
    if drop:
        assert distance[weight == 1].max() <= distance[weight == 0].min()


def test_partners_hardly_likely_are_drawn_when_no_others_are_left():
    """Near 0 temperature the far ones are a thousand powers of e less likely; they still come, in
    order."""
    z = jnp.arange(6.0)[:, None]
    points = Embedded(z, jnp.asarray([0.0, 1, 1, 1, 1, 1]), jnp.ones(6), jnp.arange(6))
    pairing = Neighbours(5, number(1e-3), number(0.0), False)
    for either in (pairing, pairing.settle(points)):
        partners = either.draw(points, points, jr.key(0))
        assert np.asarray(partners.index)[0].tolist() == [1, 2, 3, 4, 5]
        assert np.asarray(partners.weight)[0].all()


def test_no_more_chances_are_kept_than_memory_allows(monkeypatch):
    points = embedded(rows(30))
    pairing = Neighbours(2, number(1.0), number(0.0), False)
    assert pairing.settle(points) is not pairing
    monkeypatch.setattr(neighbours, "KEPT", 30 * 30 - 1)
    assert pairing.settle(points) is pairing


def test_distances_are_those_of_the_partners():
    r = rows(20)
    partners = draw(r)
    expected = np.linalg.norm(
        np.asarray(r.x)[:, None] - np.asarray(r.x)[np.asarray(partners.index)], axis=-1
    )
    assert np.allclose(partners.distance, expected, atol=1e-5)


def test_too_few_legal_partners_leave_empty_places():
    r = rows(6)
    lonely = eqx.tree_at(lambda v: v.t, r, jnp.asarray([1.0, 0, 0, 0, 0, 0]))
    weight = np.asarray(draw(lonely, pairs=3).weight)
    assert weight[0].sum() == 3
    assert np.all(weight[1:].sum(axis=1) == 1)


def test_blocks_do_not_change_what_is_drawn_from(monkeypatch):
    r = rows(30)
    monkeypatch.setattr(base, "BLOCK", 30 * 7)  # 7 rows at a time, the last block not full
    partners = draw(r, pairs=4)
    t = np.asarray(r.t)
    assert np.all(t[np.asarray(partners.index)] != t[:, None])
    assert partners.weight.sum() == 30 * 4
    nearest = draw(r, pairs=1, temperature=1e-6)
    d = np.where(
        t[:, None] != t[None],
        np.linalg.norm(np.asarray(r.x)[:, None] - np.asarray(r.x)[None], axis=-1),
        np.inf,
    )
    assert np.array_equal(np.asarray(nearest.index)[:, 0], d.argmin(axis=1))


def test_nothing_of_size_n_by_n_is_built():
    n = 20_000
    points = jax.ShapeDtypeStruct((n, 8), jnp.float32), jax.ShapeDtypeStruct((n,), jnp.float32)
    pairing = Neighbours(3, number(1.0), number(0.0), True)

    def run(z, t):
        everyone = Embedded(z, t, jnp.ones(n), jnp.arange(n))
        return pairing.draw(everyone, everyone, jr.key(0))

    used = jax.jit(run).lower(*points).compile().memory_analysis()
    assert (
        used.temp_size_in_bytes < n * n
    )  # a quarter of one float32 array of n x n, and far below it in fact
