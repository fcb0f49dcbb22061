import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import batch, rows
from pairnet.core.outcomes import Bernoulli, Gaussian
from pairnet.core.types import Outputs, Rows, number
from pairnet.losses import Penalty, RelaxedTransport, Wasserstein, losses
from pairnet.networks import Dragon

OUTCOMES = {"gaussian": Gaussian(), "bernoulli": Bernoulli()}
DATA_LOSSES = [name for name in losses if name != "penalty"]


VALUES = {
    "alpha": number(2.0),
    "clip": number(0.05),
    "arms": 2,
    "epsilon": 0.1,
    "relaxation": 1.0,
    "outcome_weight": number(0.5),
}
FITS = ("factual", "pair", "batchpair")  # of what was observed: a perfect network has none


def make(name, outcome):
    fields = losses[name].__dataclass_fields__
    values = VALUES | {"outcome": OUTCOMES[outcome]}
    return losses[name](**{field: values[field] for field in fields})


@pytest.fixture(
    params=[(name, outcome) for name in DATA_LOSSES for outcome in OUTCOMES],
    ids=lambda p: "-".join(p),
)
def case(request):
    name, outcome = request.param
    return make(name, outcome), batch(rows(binary=outcome == "bernoulli")), outcome


@pytest.fixture(scope="module")
def network():
    return Dragon(3, phi=(6,), mu=(4,), key=jr.key(0))


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("outcome", list(OUTCOMES))
def test_it_is_zero_at_a_perfect_fit(name, outcome):
    loss, b = make(name, outcome), batch(rows(binary=outcome == "bernoulli"))
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
    small, large = (
        batch(plain, pairs=4),
        batch(both, pairs=4),
    )  # 4 pairs: all legal partners of a row
    exact = (
        1e-3 if isinstance(loss, RelaxedTransport | Wasserstein) else 1e-5
    )  # plans are found up to a tolerance
    assert jnp.allclose(loss(network, small), loss(network, large), rtol=exact)


def test_the_order_of_rows_does_not_matter(case, network):
    loss, b, _ = case
    order = jr.permutation(jr.key(3), len(b.rows.t))
    moved = eqx.tree_at(
        lambda v: (v.rows, v.partner),
        b,
        jax.tree.map(lambda leaf: leaf[order], (b.rows, b.partner)),
    )
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
    assert jnp.allclose(
        (first + 0.5 * penalty)(network, b), first(network, b) + 0.5 * network.penalty()
    )
