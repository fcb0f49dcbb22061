"""The compiled part of a training: how a stage begins, one round of it, and many rounds.

`begin` and `one_round` are written for one replication. A round draws partners, takes steps on some
minibatches, and looks at the validation rows. `begin_all` and `advance` map them over a group of
replications, each inside one compiled program; `training/host.py` calls these two.
"""

from __future__ import annotations

from collections.abc import Mapping

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import optax
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from pairnet.core.types import Array, Batch, Embedded, Rows, Scalar
from pairnet.networks import AbstractNetwork
from pairnet.networks.base import Located
from pairnet.pairing import AbstractPairing
from pairnet.training.compiling import Program, traces
from pairnet.training.plan import Shape
from pairnet.training.recipe import Stage
from pairnet.training.split import passes, strata_of, stratified_order

OPTIMISER = optax.scale_by_adam()
# Sizes of tables whose programs stay in memory. `advance` is asked turn after turn, also by fits of
# another size in another thread; `begin` is asked once a training.
SIZES_BEGUN, SIZES_ADVANCED = 1, 2


class Knobs(eqx.Module):
    """The numbers of a plan that a compiled program takes as arguments."""

    learning_rate: Scalar
    tolerance: Scalar
    patience: Int[Array, ""]
    warm_up: Int[Array, ""]
    longest: Int[Array, ""]


class Setup(eqx.Module):
    """What stays the same while a replication trains: its split, and where its rows are."""

    training: Int[Array, "*r n"]
    validation: Batch
    z: Float[Array, "*r m h"]
    pairing: AbstractPairing
    key: PRNGKeyArray
    strength: Float[Array, "*r"] | None  # of the chosen penalty


class State(eqx.Module):
    """What changes while a replication trains.

    `best` is the network that early stopping keeps; after a divergence, `network` is the last
    finite one.
    """

    network: AbstractNetwork
    optimiser: optax.ScaleByAdamState
    order: Int[Array, "*r s"]
    filled: Float[Array, "*r s"]
    best: AbstractNetwork
    score: Float[Array, "*r"]  # of `best`
    mark: Float[Array, "*r"]  # the score that the next one must beat for patience to start anew
    rounds: Int[Array, "*r"]
    since: Int[Array, "*r"]  # rounds without such a score
    done: Bool[Array, "*r"]
    diverged: Bool[Array, "*r"]

    @classmethod
    def start(cls, network: AbstractNetwork, shape: Shape) -> State:
        """Return the state of a network before its first round."""
        slots = shape.batch * shape.steps * shape.rounds
        return cls(
            network=network,
            optimiser=OPTIMISER.init(network),
            order=jnp.zeros(slots, int),
            filled=jnp.zeros(slots),
            best=network,
            score=jnp.full((), jnp.inf, jnp.float32),
            mark=jnp.full((), jnp.finfo(jnp.float32).max),
            rounds=jnp.zeros((), jnp.int32),
            since=jnp.zeros((), jnp.int32),
            done=jnp.zeros((), bool),
            diverged=jnp.zeros((), bool),
        )


def begin(
    stage: Stage,
    rows: Rows,
    fitted: Mapping[str, AbstractNetwork],
    key: PRNGKeyArray,
    strength: Scalar | None,
    shape: Shape,
    strata: int,
) -> tuple[Rows, Setup, State]:
    """View the rows, split them, make the network, place the rows, pair the validation rows."""
    rows = stage.view(rows, fitted)
    k_split, k_network, k_pair, k_rounds = jr.split(key, 4)
    order = stratified_order(strata_of(rows, strata), strata + 1, k_split)
    held_out, training = order[: shape.held_out], order[shape.held_out :]
    location = stage.outcome.location(rows.y[training], rows.weight[training])
    network = Located(stage.network(rows.x.shape[-1], key=k_network).settle(rows.x), location)
    z = stage.space.place(rows.x, network, fitted)
    validation = _validation(stage, rows, z, held_out, k_pair)
    pairing = stage.pairing
    if not stage.space.moves:
        pairing = pairing.settle(_embedded(rows, z, training))
    setup = Setup(training, validation, z, pairing, k_rounds, strength)
    return rows, setup, State.start(network, shape)


def _validation(stage: Stage, rows: Rows, z: Array, held_out: Array, key: PRNGKeyArray) -> Batch:
    """Return the validation rows; their partners may be any rows, and do not change."""
    everyone = jnp.arange(len(rows.t))
    query, reference = _embedded(rows, z, held_out), _embedded(rows, z, everyone)
    partners = stage.pairing.draw(query, reference, key)
    return _batch(stage, rows, z, held_out, jnp.ones(len(held_out)), partners, everyone)


def one_round(
    state: State,
    rows: Rows,
    setup: Setup,
    *,
    stage: Stage,
    shape: Shape,
    strata: int,
    knobs: Knobs,
    index: Array,
) -> State:
    """Draw partners, take `shape.steps` steps, compute the validation loss (one replication)."""
    stage = stage.with_strength(setup.strength)
    k_order, k_pair = jr.split(jr.fold_in(setup.key, index))
    order, filled = _next_pass(state, rows, setup, shape, strata, index, k_order)
    now, present = _of_round(order, shape, index), _of_round(filled, shape, index)
    z = stage.space.refresh(setup.z, rows.x, state.network)
    query, reference = _embedded(rows, z, now), _embedded(rows, z, setup.training)
    query = eqx.tree_at(lambda e: e.weight, query, query.weight * present)
    partners = setup.pairing.draw(query, reference, k_pair)

    by_step = lambda leaf: leaf.reshape(shape.steps, shape.batch, *leaf.shape[1:])
    items = jax.tree.map(by_step, (now, present, partners))
    batch_of = lambda at, here, chosen: _batch(stage, rows, z, at, here, chosen, setup.training)
    network, optimiser = _descend(state, stage, items, batch_of, knobs)
    score = stage.score(network, setup.validation)
    return _judge(state, network, optimiser, order, filled, score, knobs)


def _descend(
    state, stage, items, batch_of, knobs
) -> tuple[AbstractNetwork, optax.ScaleByAdamState]:
    """Take a step on the minibatch of every item in turn."""

    def step(carry, item):
        network, optimiser = carry
        batch = batch_of(*item)
        gradient = jax.grad(lambda n: stage.loss(n, batch))(network)
        direction, optimiser = OPTIMISER.update(gradient, optimiser)
        network = jax.tree.map(lambda p, d: p - knobs.learning_rate * d, network, direction)
        return (network, optimiser), None

    return jax.lax.scan(step, (state.network, state.optimiser), items)[0]


def _judge(state, network, optimiser, order, filled, score, knobs) -> State:
    """Keep the best weights, undo a step to weights that are not finite, decide when to stop."""
    finite = jnp.isfinite(score) & _all_finite(network)
    network, optimiser = _where(finite, (network, optimiser), (state.network, state.optimiser))
    better = finite & (score < state.score)
    much_better = finite & (score < state.mark - knobs.tolerance * jnp.abs(state.mark))
    rounds = state.rounds + 1
    since = jnp.where(much_better | (rounds <= knobs.warm_up), 0, state.since + 1)
    return State(
        network=network,
        optimiser=optimiser,
        order=order,
        filled=filled,
        best=_where(better, network, state.best),
        score=jnp.where(better, score, state.score),
        mark=jnp.where(much_better, score, state.mark),
        rounds=rounds,
        since=since,
        done=~finite | (since >= knobs.patience) | (rounds >= knobs.longest),
        diverged=~finite,
    )


def _next_pass(state, rows, setup, shape, strata, index, key) -> tuple[Array, Array]:
    """Return the order of the rows: a new one if a pass begins, else the current one."""

    def shuffle(_):
        slots = state.order.shape[-1]
        return passes(setup.training, strata_of(rows, strata), strata + 1, slots, key)

    if shape.rounds == 1:
        return shuffle(None)
    return jax.lax.cond(
        index % shape.rounds == 0, shuffle, lambda _: (state.order, state.filled), None
    )


def _of_round(values: Array, shape: Shape, index: Array) -> Array:
    """Return the part of a pass that a round trains on."""
    size = shape.steps * shape.batch
    return jax.lax.dynamic_slice_in_dim(values, (index % shape.rounds) * size, size)


def _batch(stage, rows, z, at, present, partners, reference) -> Batch:
    """Gather a minibatch; `partners` are positions in the reference rows."""
    mine = rows.take(at)
    mine = eqx.tree_at(lambda r: r.weight, mine, mine.weight * present)
    within = stage.pairing.within(Embedded(z[at], mine.t, mine.weight, at))
    if partners is None:
        return Batch(mine, within=within)
    theirs = rows.take(reference[partners.index])
    theirs = eqx.tree_at(lambda r: r.weight, theirs, partners.weight)
    return Batch(mine, partner=theirs, within=within)


def _embedded(rows: Rows, z: Array, at: Array) -> Embedded:
    return Embedded(z[at], rows.t[at], rows.weight[at], at)


def _all_finite(tree) -> Array:
    return jnp.all(jnp.stack([jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(tree)]))


def _where(condition, new, old):
    """Choose between two trees; the condition may have the leading axis that all leaves share."""
    pick = lambda a, b: jnp.where(
        condition.reshape(condition.shape + (1,) * (a.ndim - condition.ndim)), a, b
    )
    return jax.tree.map(pick, new, old)


# Many replications in one program.


def axes_of(rows: Rows) -> Rows:
    """Return 0 for columns with an axis of replications, None for columns that are shared."""
    leaves, structure = jax.tree.flatten(rows)
    own = (3, 2, 2, 2)  # the dimensions of x, t, y and weight where they have one
    return jax.tree.unflatten(
        structure, [0 if leaf.ndim == k else None for leaf, k in zip(leaves, own, strict=True)]
    )


def take_replications(rows: Rows, index: Int[Array, "*j"] | int) -> Rows:
    """Return these replications; a single one, by its number, comes without its axis."""
    pick = lambda leaf, axis: leaf if axis is None else leaf[index]
    return jax.tree.map(pick, rows, axes_of(rows))


def _begin_all(stage, rows, fitted, keys, strength, shape, strata):
    traces["begin"] += 1

    def one(rows, fitted, key, strength):
        viewed, setup, state = begin(stage, rows, fitted, key, strength, shape, strata)
        return (viewed.t, viewed.y, viewed.weight), setup, state

    by_replication = jax.vmap(one, in_axes=(axes_of(rows), 0, 0, 0))
    (t, y, weight), setup, state = by_replication(rows, fitted, keys, strength)
    # a view leaves covariates alone, so they stay shared
    return Rows(rows.x, t, y, weight), setup, state


def _advance(stage, rows, setup, state, shape, strata, knobs, index, until):
    traces["advance"] += 1
    step = lambda state, rows, setup, index: one_round(
        state, rows, setup, stage=stage, shape=shape, strata=strata, knobs=knobs, index=index
    )
    alone = state.done.shape == (1,)  # one replication needs no axis, and is cheaper without it
    if alone:
        rows = take_replications(rows, 0)
        setup, state = jax.tree.map(lambda leaf: leaf[0], (setup, state))

    def body(carry):
        index, state = carry
        if alone:
            return index + 1, step(state, rows, setup, index)
        new = jax.vmap(step, in_axes=(0, axes_of(rows), 0, None))(state, rows, setup, index)
        return index + 1, _where(state.done, state, new)

    goes_on = lambda carry: (carry[0] < until) & ~jnp.all(carry[1].done)
    state = jax.lax.while_loop(goes_on, body, (index, state))[1]
    return jax.tree.map(lambda leaf: leaf[None], state) if alone else state


BEGIN_ALL, ADVANCE = Program(_begin_all, SIZES_BEGUN), Program(_advance, SIZES_ADVANCED)


def begin_all(stage, rows, fitted, keys, strength, shape, strata):
    """Do `begin` for a group of replications."""
    return BEGIN_ALL(shape, stage, rows, fitted, keys, strength, shape, strata)


def advance(stage, rows, setup, state, shape, strata, knobs, index, until):
    """Repeat `one_round` for a group from round `index` to round `until`, or until all are done."""
    return ADVANCE(shape, stage, rows, setup, state, shape, strata, knobs, index, until)
