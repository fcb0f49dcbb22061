"""Losses of rows and of single partners, against numbers worked by hand."""

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np

from checks import batch, embedded, rows
from pairnet.core.outcomes import Gaussian
from pairnet.core.types import Batch, Outputs, Rows, number
from pairnet.losses import (
    Factual,
    Imputed,
    Pair,
    Propensity,
)
from pairnet.networks import TwoHead
from pairnet.pairing import Nearest


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
    scores = jax.vmap(network)(r.x, 1 - r.t).y
    assert np.isclose(Imputed(Gaussian())(network, b), np.mean((scores - copied) ** 2), rtol=1e-5)


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
