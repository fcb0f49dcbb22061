import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import embedded, rows
from pairnet.pairing import InBatch, Neighbours, pairings
from pairnet.types import Embedded, number


def make(name, temperature=1.0, spread=False):
    if pairings[name] is InBatch:
        return InBatch(3, number(temperature), spread)
    return pairings[name](2, number(temperature), number(0.0), spread)


def chances(pairing, points, count=4000):
    """Return how likely each row is to be compared with each other row: drawn often, or as the matrix says."""
    within = pairing.within(points)
    if within is not None:
        return np.asarray(within.matrix())
    drawn = jax.jit(jax.vmap(lambda key: pairing.draw(points, points, key)))(jr.split(jr.key(0), count))
    index, weight = np.asarray(drawn.index), np.asarray(drawn.weight)
    table = np.zeros((len(points.t), len(points.t)))
    np.add.at(table, (np.arange(len(points.t))[None, :, None].repeat(count, 0), index), weight)
    return table / np.maximum(table.sum(axis=1, keepdims=True), 1)


@pytest.fixture(params=list(pairings))
def name(request):
    return request.param


def test_nobody_is_paired_with_themselves_or_their_own_arm(name):
    r = rows(15, arms=3)
    q = chances(make(name), embedded(r), count=200)
    assert np.all(q[np.asarray(r.t)[:, None] == np.asarray(r.t)[None]] == 0)
    assert np.allclose(q.sum(axis=1), 1)


def test_an_infinite_temperature_is_uniform(name):
    r = rows(12, arms=3)
    q = chances(make(name, np.inf), embedded(r))
    legal = np.asarray(r.t)[:, None] != np.asarray(r.t)[None]
    assert np.allclose(q[legal], 1 / 8, atol=0.02)


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
    here, far = (chances(make(name, 0.3, spread=True), embedded(r, z + by), count=300) for by in (0.0, 4096.0))
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
