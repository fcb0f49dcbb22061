"""What is special about the two pair losses: their algebra, and that one is the expectation of the
other."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks import batch, embedded, rows
from pairnet.core.outcomes import Bernoulli, Gaussian
from pairnet.core.types import Batch, Rows, number
from pairnet.losses import BatchPair, Factual, Pair
from pairnet.networks import TwoHead
from pairnet.pairing import InBatch, Neighbours

NETWORK = TwoHead(3, arms=3, phi=(6,), mu=(4,), key=jr.key(0))
number_ = st.floats(-3, 3, width=32)


@given(number_, number_, number_, number_)
def test_at_alpha_2_the_pair_loss_is_the_squared_error_of_the_difference(
    y, mu, partner_y, partner_mu
):
    loss = Gaussian().pair_loss(
        *(np.float32(v) for v in (mu, y, partner_mu, partner_y)), number(2.0)
    )
    assert np.isclose(loss, ((y - partner_y) - (mu - partner_mu)) ** 2, atol=1e-4)


@given(number_, number_, st.booleans(), st.booleans())
def test_the_pair_loss_does_not_mind_which_of_the_two_comes_first(mu, partner_mu, y, partner_y):
    for outcome in (Gaussian(), Bernoulli(), Bernoulli(form="paper")):
        scores = [np.float32(v) for v in (mu, float(y), partner_mu, float(partner_y))]
        forth = outcome.pair_loss(*scores, number(2.0))
        back = outcome.pair_loss(*scores[2:], *scores[:2], number(2.0))
        assert np.isclose(forth, back, atol=1e-5)


@given(number_, number_, st.booleans(), st.booleans())
def test_a_binary_pair_has_the_probability_of_its_difference(score, partner_score, y, partner_y):
    p, q = 1 / (1 + np.exp(-score)), 1 / (1 + np.exp(-partner_score))
    expected = {-1: (1 - p) * q, 0: p * q + (1 - p) * (1 - q), 1: p * (1 - q)}
    assert np.isclose(sum(expected.values()), 1)
    values = [np.float32(v) for v in (score, float(y), partner_score, float(partner_y))]
    loss = Bernoulli().pair_loss(*values, number(2.0))
    assert np.isclose(loss, -np.log(expected[int(y) - int(partner_y)]), atol=1e-4)
    paper = Bernoulli(form="paper").pair_loss(*values, number(2.0))
    logits = np.array(list(expected.values()))
    assert np.isclose(
        paper, np.log(np.exp(logits).sum()) - expected[int(y) - int(partner_y)], atol=1e-4
    )


def test_a_yes_beside_a_no_raises_the_probability_of_yes():
    """The public code modelled P(y = 0), which turned the sign of every effect."""
    gradient = jax.grad(
        lambda s: Bernoulli().pair_loss(s[0], jnp.float32(1), s[1], jnp.float32(0), number(2.0))
    )
    own, partner = gradient(jnp.zeros(2))
    assert own < 0 < partner  # descent raises P(1) where y was 1 and lowers it where y was 0


@pytest.mark.parametrize("outcome", [Gaussian(), Bernoulli()], ids=["gaussian", "bernoulli"])
def test_at_alpha_0_it_is_the_factual_loss_of_rows_and_partners(outcome):
    b = batch(rows(12, binary=True))
    own = Factual(outcome)(NETWORK, b)
    partners = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), b.partner)
    assert jnp.allclose(
        Pair(outcome, number(0.0))(NETWORK, b),
        own + Factual(outcome)(NETWORK, Batch(partners)),
        rtol=1e-5,
    )


@pytest.mark.parametrize("outcome", [Gaussian(), Bernoulli()], ids=["gaussian", "bernoulli"])
def test_the_mean_over_partners_is_the_sum_over_all_pairs(outcome):
    r = rows(15, arms=3, binary=True)
    within = InBatch(3, number(0.7), False).within(embedded(r))
    score = jr.normal(jr.key(1), (15,))
    pairs = outcome.pair_loss(score[:, None], r.y[:, None], score[None], r.y[None], number(1.3))
    by_hand = (within.matrix() * pairs).sum(axis=1)
    assert jnp.allclose(outcome.mean_pair_loss(score, r.y, within, number(1.3)), by_hand, atol=1e-5)


def test_without_distances_it_is_the_closed_form_of_two_arms():
    r = rows(20)
    b = batch(r)
    residual = np.asarray(r.y - jax.vmap(NETWORK)(r.x, r.t).y)
    zero, one = residual[np.asarray(r.t) == 0], residual[np.asarray(r.t) == 1]
    closed = (zero**2).mean() + (one**2).mean() - 2 * zero.mean() * one.mean()
    assert np.isclose(BatchPair(Gaussian(), number(2.0))(NETWORK, b), closed, rtol=1e-5)


@pytest.mark.parametrize("temperature", [np.inf, 0.5], ids=["random", "near"])
@pytest.mark.parametrize("outcome", [Gaussian(), Bernoulli()], ids=["gaussian", "bernoulli"])
def test_all_pairs_are_the_expectation_of_drawn_pairs(outcome, temperature):
    """One partner is drawn ten thousand times; the mean of the drawn loss meets the loss of all
    pairs."""
    r = rows(14, arms=3, binary=True, seed=2)
    everyone = embedded(r)
    drawn = Neighbours(1, number(temperature), number(0.0), False)

    def loss_of_draw(key):
        partners = drawn.draw(everyone, everyone, key)
        theirs = r.take(partners.index)
        return Pair(outcome, number(2.0))(
            NETWORK, Batch(r, partner=Rows(theirs.x, theirs.t, theirs.y, partners.weight))
        )

    values = jax.jit(jax.vmap(loss_of_draw))(jr.split(jr.key(0), 10_000))
    within = InBatch(3, number(temperature), False).within(everyone)
    expected = BatchPair(outcome, number(2.0))(NETWORK, Batch(r, within=within))
    standard_error = float(values.std()) / 100
    assert abs(float(values.mean() - expected)) < 4 * standard_error


TEN = batch(rows(10))
COMPILED = [eqx.filter_jit(loss(Gaussian(), number(2.0))) for loss in (Pair, BatchPair)]


@settings(max_examples=20, deadline=None)
@given(st.floats(-100, 100, width=16))
def test_the_pair_loss_is_blind_to_a_common_offset(offset):
    outcomes = lambda batch: (batch.rows.y, batch.partner.y)
    moved = eqx.tree_at(outcomes, TEN, tuple(y + offset for y in outcomes(TEN)))
    for loss in COMPILED:
        assert np.isclose(loss(NETWORK, TEN), loss(NETWORK, moved), rtol=1e-2, atol=1e-2)
