import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import batch, rows
from pairnet.losses import Penalty, losses
from pairnet.networks import TwoHead
from pairnet.outcomes import Bernoulli, Gaussian
from pairnet.types import Outputs, Rows, number

OUTCOMES = {"gaussian": Gaussian(), "bernoulli": Bernoulli()}
DATA_LOSSES = [name for name in losses if name != "penalty"]


def make(name, outcome):
    kind = losses[name]
    extra = {"alpha": number(2.0)} if "alpha" in kind.__dataclass_fields__ else {}
    return kind(OUTCOMES[outcome], **extra)


@pytest.fixture(params=[(name, outcome) for name in DATA_LOSSES for outcome in OUTCOMES], ids=lambda p: "-".join(p))
def case(request):
    name, outcome = request.param
    return make(name, outcome), batch(rows(binary=outcome == "bernoulli")), outcome


@pytest.fixture(scope="module")
def network():
    return TwoHead(3, phi=(6,), mu=(4,), key=jr.key(0))


def test_it_is_zero_at_a_perfect_fit(case):
    loss, b, outcome = case
    sharp = 40.0 if outcome == "bernoulli" else 1.0
    answers = {tuple(np.asarray(x)): float(y) for x, y in zip(b.rows.x, b.rows.y, strict=True)}
    table_x = jnp.asarray(list(answers))
    table_y = jnp.asarray(list(answers.values()))

    def oracle(x, t):
        y = table_y[jnp.argmin(jnp.sum((table_x - x) ** 2, axis=1))]
        return Outputs(y=sharp * (2 * y - 1) if outcome == "bernoulli" else y, z=x)

    assert abs(float(loss(oracle, b))) < 1e-6


def test_it_is_never_negative_and_its_gradients_are_finite(case, network):
    loss, b, _ = case
    value, gradient = jax.value_and_grad(lambda n: loss(n, b))(network)
    assert value > 0
    assert all(jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient))


def test_rows_of_weight_zero_change_nothing(case, network):
    loss, _, outcome = case
    plain = rows(8, binary=outcome == "bernoulli")
    absent = Rows(100.0 + plain.x, plain.t, 1 - plain.y, jnp.zeros(8))
    both = jax.tree.map(lambda a, b: jnp.concatenate([a, b]), plain, absent)
    small, large = batch(plain, pairs=4), batch(both, pairs=4)  # 4 pairs: all legal partners of a row
    assert jnp.allclose(loss(network, small), loss(network, large), rtol=1e-5)


def test_the_order_of_rows_does_not_matter(case, network):
    loss, b, _ = case
    order = jr.permutation(jr.key(3), len(b.rows.t))
    moved = eqx.tree_at(lambda v: (v.rows, v.partner), b, jax.tree.map(lambda leaf: leaf[order], (b.rows, b.partner)))
    moved = eqx.tree_at(lambda v: v.within, moved, batch(moved.rows).within)
    assert jnp.allclose(loss(network, b), loss(network, moved), rtol=1e-5)


def test_a_batch_of_one_arm_gives_finite_gradients(case, network):
    loss, _, outcome = case
    alone = rows(6, binary=outcome == "bernoulli")
    alone = eqx.tree_at(lambda r: r.t, alone, jnp.zeros(6))
    b = batch(alone)
    value, gradient = jax.value_and_grad(lambda n: loss(n, b))(network)
    assert jnp.isfinite(value)
    assert all(jnp.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient))


def test_losses_add_up_and_scale(network):
    b = batch(rows())
    first, penalty = make("factual", "gaussian"), Penalty()
    assert jnp.allclose((first + 0.5 * penalty)(network, b), first(network, b) + 0.5 * network.penalty())
