"""The only training loop. It trains one stage of a recipe for many replications at once.

`one_round` is written for one replication: draw partners, descend on some minibatches, look at the
validation rows. `advance` maps it over replications and repeats it inside one compiled program.
`fit_stage` calls that program from plain Python, some rounds at a time, which is where progress,
Ctrl-C and the leaving of finished replications happen.
"""

from __future__ import annotations

import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import optax
from jaxtyping import Bool, Float, Int, Key, PRNGKeyArray

from pairnet.core.types import Array, Batch, Embedded, Rows, Scalar, number
from pairnet.networks import AbstractNetwork
from pairnet.networks.base import Located
from pairnet.pairing import AbstractPairing
from pairnet.training.compiling import traces
from pairnet.training.plan import Plan, Shape
from pairnet.training.progress import Report
from pairnet.training.recipe import Stage
from pairnet.training.split import passes, strata_of, stratified_order

FIRST_CHUNK = 4  # rounds of a group's first turn
CHUNK_SECONDS = 0.3  # how long a compiled program runs before Python looks at it again
WIDEST = 256  # replications trained side by side on an accelerator
NARROW = 128  # groups of fewer stay as they are: another compilation would cost more than it saves
OPTIMISER = optax.scale_by_adam()


class TrainingFailed(RuntimeError):
    """The loss was never finite."""


class Knobs(eqx.Module):
    """The numbers of a plan that a compiled program takes as arguments."""

    learning_rate: Scalar
    tolerance: Scalar
    patience: Int[Array, ""]
    warm_up: Int[Array, ""]
    longest: Int[Array, ""]


class Task(eqx.Module):
    """What stays the same while a replication trains: its split, its validation batch, where rows
    and partners are."""

    training: Int[Array, "*r n"]
    validation: Batch
    z: Float[Array, "*r m h"]
    pairing: AbstractPairing
    key: PRNGKeyArray


class State(eqx.Module):
    """What changes. `best` is what early stopping has found; after a divergence, `network` is the
    last finite one."""

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


class Trained(eqx.Module):
    """What a stage leaves behind, for each training."""

    network: AbstractNetwork
    score: Float[Array, "*j"]
    rounds: Int[Array, "*j"]
    diverged: Bool[Array, "*j"]


def begin(
    stage: Stage,
    rows: Rows,
    fitted: Mapping[str, AbstractNetwork],
    key: PRNGKeyArray,
    shape: Shape,
    strata: int,
) -> tuple[Rows, Task, State]:
    """See the rows, split them, make the network, place the rows, and pair the validation rows (one
    replication)."""
    rows = stage.view(rows, fitted)
    k_split, k_network, k_pair, k_rounds = jr.split(key, 4)
    order = stratified_order(strata_of(rows, strata), strata + 1, k_split)
    held_out, training = order[: shape.held_out], order[shape.held_out :]
    location = stage.outcome.location(rows.y[training], rows.weight[training])
    network = Located(stage.network(rows.x.shape[-1], key=k_network), location)
    z = stage.space.place(rows.x, network, fitted)
    everyone = jnp.arange(len(rows.t))
    partners = stage.pairing.draw(
        _embedded(rows, z, held_out), _embedded(rows, z, everyone), k_pair
    )
    validation = _batch(stage, rows, z, held_out, jnp.ones(len(held_out)), partners, everyone)
    pairing = (
        stage.pairing if stage.space.moves else stage.pairing.settle(_embedded(rows, z, training))
    )
    task = Task(training, validation, z, pairing, k_rounds)
    slots = shape.batch * shape.steps * shape.rounds
    state = State(
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
    return rows, task, state


def one_round(
    state: State,
    rows: Rows,
    task: Task,
    *,
    stage: Stage,
    shape: Shape,
    strata: int,
    knobs: Knobs,
    index: Array,
) -> State:
    """Draw partners, take `shape.steps` steps, look at the validation rows (one replication)."""
    k_order, k_pair = jr.split(jr.fold_in(task.key, index))
    order, filled = _next_pass(state, rows, task, shape, strata, index, k_order)
    size = shape.steps * shape.batch
    start = (index % shape.rounds) * size
    now, present = (jax.lax.dynamic_slice_in_dim(values, start, size) for values in (order, filled))

    z = stage.space.refresh(task.z, rows.x, state.network)
    query, reference = _embedded(rows, z, now), _embedded(rows, z, task.training)
    query = eqx.tree_at(lambda e: e.weight, query, query.weight * present)
    partners = task.pairing.draw(query, reference, k_pair)

    def step(carry, item):
        network, optimiser = carry
        at, here, chosen = item
        batch = _batch(stage, rows, z, at, here, chosen, task.training)
        gradient = jax.grad(lambda n: stage.loss(n, batch))(network)
        direction, optimiser = OPTIMISER.update(gradient, optimiser)
        network = jax.tree.map(lambda p, d: p - knobs.learning_rate * d, network, direction)
        return (network, optimiser), None

    by_step = lambda leaf: leaf.reshape(shape.steps, shape.batch, *leaf.shape[1:])
    items = jax.tree.map(by_step, (now, present, partners))
    (network, optimiser), _ = jax.lax.scan(step, (state.network, state.optimiser), items)
    score = stage.score(network, task.validation)
    return _judge(state, network, optimiser, order, filled, score, knobs)


def _judge(state, network, optimiser, order, filled, score, knobs) -> State:
    """Keep the best weights, never step onto weights that are not finite, and decide whether to
    stop."""
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


def _next_pass(state, rows, task, shape, strata, index, key):
    """Return the order of the rows: a new one at the beginning of each pass, else the one we
    have."""

    def shuffle(_):
        return passes(
            task.training, strata_of(rows, strata), strata + 1, state.order.shape[-1], key
        )

    if shape.rounds == 1:
        return shuffle(None)
    return jax.lax.cond(
        index % shape.rounds == 0, shuffle, lambda _: (state.order, state.filled), None
    )


def _batch(stage, rows, z, at, present, partners, reference) -> Batch:
    """Gather a minibatch; `partners` index the reference rows, as drawn."""
    mine = rows.take(at)
    mine = eqx.tree_at(lambda r: r.weight, mine, mine.weight * present)
    within = stage.pairing.within(Embedded(z[at], mine.t, mine.weight, at))
    if partners is None:
        return Batch(mine, within=within)
    theirs = rows.take(reference[partners.index])
    return Batch(
        mine, partner=eqx.tree_at(lambda r: r.weight, theirs, partners.weight), within=within
    )


def _embedded(rows: Rows, z: Array, at: Array) -> Embedded:
    return Embedded(z[at], rows.t[at], rows.weight[at], at)


def _all_finite(tree) -> Array:
    return jnp.all(jnp.stack([jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(tree)]))


def _where(condition, new, old):
    """Choose between two trees; the condition may have a leading axis that all leaves share."""
    pick = lambda a, b: jnp.where(
        condition.reshape(condition.shape + (1,) * (a.ndim - condition.ndim)), a, b
    )
    return jax.tree.map(pick, new, old)


# Many replications in one program.


def _axes(rows: Rows) -> Rows:
    """Tell which columns have a replication axis (0); those that replications share have none
    (None)."""
    leaves, structure = jax.tree.flatten(rows)
    own = (3, 2, 2, 2)  # the dimensions of x, t, y and weight where they have one
    return jax.tree.unflatten(
        structure, [0 if leaf.ndim == k else None for leaf, k in zip(leaves, own, strict=True)]
    )


def _take_replications(rows: Rows, index: Array) -> Rows:
    return jax.tree.map(lambda leaf, axis: leaf if axis is None else leaf[index], rows, _axes(rows))


@eqx.filter_jit
def begin_all(stage, rows, fitted, keys, shape, strata):
    """`begin`, for a group of replications."""
    traces["begin"] += 1

    def one(mine, fitted, key):
        seen, task, state = begin(stage, mine, fitted, key, shape, strata)
        return (seen.t, seen.y, seen.weight), task, state

    (t, y, weight), task, state = jax.vmap(one, in_axes=(_axes(rows), 0, 0))(rows, fitted, keys)
    return (
        Rows(rows.x, t, y, weight),
        task,
        state,
    )  # a view leaves covariates alone, so they stay shared


@eqx.filter_jit
def advance(stage, rows, task, state, shape, strata, knobs, index, until):
    """Repeat `one_round` for a group of replications from round `index` to round `until`, or until
    all are done."""
    traces["advance"] += 1

    step = lambda s, r, k, index: one_round(
        s, r, k, stage=stage, shape=shape, strata=strata, knobs=knobs, index=index
    )
    alone = state.done.shape == (1,)  # one replication needs no axis, and is cheaper without it
    if alone:
        rows = jax.tree.map(lambda leaf, axis: leaf if axis is None else leaf[0], rows, _axes(rows))
        task, state = jax.tree.map(lambda leaf: leaf[0], (task, state))

    def body(carry):
        index, state = carry
        if alone:
            return index + 1, step(state, rows, task, index)
        new = jax.vmap(step, in_axes=(0, _axes(rows), 0, None))(state, rows, task, index)
        return index + 1, _where(state.done, state, new)

    state = jax.lax.while_loop(
        lambda carry: (carry[0] < until) & ~jnp.all(carry[1].done), body, (index, state)
    )[1]
    return jax.tree.map(lambda leaf: leaf[None], state) if alone else state


# The host's side.


class _Group:
    """Replications that are trained side by side; on a CPU each one is a group of its own."""

    def __init__(self, jobs: np.ndarray, rows: Rows, task: Task, state: State):
        self.jobs, self.rows, self.task, self.state = jobs, rows, task, state
        self.rounds = 0
        self.alive = np.ones(len(jobs), bool)

    def advance(self, part: Stage, shape: Shape, strata: int, knobs: Knobs, until: int) -> None:
        """Train up to round `until`."""
        bounds = (np.asarray(self.rounds, np.int32), np.asarray(until, np.int32))
        state = advance(part, self.rows, self.task, self.state, shape, strata, knobs, *bounds)
        alive = ~np.asarray(state.done)  # waits
        self.state, self.rounds, self.alive = state, until, alive

    def shrink(self, finished: dict[int, State]) -> None:
        """Let finished replications leave: all of them, or down to a quarter (few widths, so few
        programs)."""
        width = len(self.jobs) // 4 if self.alive.any() else 0
        if self.alive.sum() > width or (width and len(self.jobs) < NARROW):
            return
        host = jax.device_get(self.state)
        stays = np.argsort(~self.alive, kind="stable")[
            :width
        ]  # the living, filled up with finished ones
        for position in np.setdiff1d(np.arange(len(self.jobs)), stays):
            finished[int(self.jobs[position])] = jax.tree.map(
                lambda leaf, p=position: leaf[p], host
            )
        self.jobs, self.alive = self.jobs[stays], self.alive[stays]
        self.rows = _take_replications(self.rows, stays)
        self.task, self.state = jax.tree.map(lambda leaf: leaf[stays], (self.task, self.state))


def fit_stage(
    stage: Stage,
    rows: Rows,
    source: Int[Array, " j"],
    fitted: Mapping[str, AbstractNetwork],
    plan: Plan,
    keys: Key[Array, " j"],
    strata: int,
    weight: Float[Array, "j n"] | None = None,
    *,
    report: Report,
    last: bool = True,
) -> Trained:
    """Train a stage for every job; job j trains on replication `source[j]` of the rows, with key j.

    Where jobs weigh the rows of their replication each in their own way, as in a bootstrap,
    `weight` says how.

    Ctrl-C keeps the best weights so far where this is the last stage and every job has some; else
    it passes on.
    """
    schedule = plan.schedule(rows.t.shape[-1], _rarest(rows, strata))
    knobs = Knobs(
        learning_rate=number(plan.learning_rate),
        tolerance=number(plan.tolerance),
        **{
            name: np.asarray(getattr(schedule, name), np.int32)
            for name in ("patience", "warm_up", "longest")
        },
    )
    part = stage.nameless()
    groups = _make_groups(part, rows, source, fitted, keys, schedule.shape, strata, weight)
    finished: dict[int, State] = {}
    go = lambda group, until: group.advance(part, schedule.shape, strata, knobs, until)
    shown = 0.0
    try:
        with closing(
            _in_turn(groups, go)
        ) as turns:  # whatever happens, nobody trains on once it is left
            for group in turns:
                group.shrink(finished)
                shown = max(shown, _share_done(groups, finished, schedule.patience))
                report(stage.name, shown, len(source), group.rounds)
    except KeyboardInterrupt:
        if not last or any(group.rounds == 0 for group in groups):
            raise
        warnings.warn(
            f"Interrupted in stage {stage.name!r} after {max(group.rounds for group in groups)} "
            "rounds: "
            "the best weights so far are kept.",
            stacklevel=2,
        )
    for group in groups:
        if len(group.jobs):
            group.alive[:] = False
            group.shrink(finished)
    return _collect(stage.name, [finished[job] for job in range(len(source))], plan)


def _in_turn(groups: list[_Group], go: Callable[[_Group, int], None]) -> Generator[_Group]:
    """Let groups train some rounds, and again until they are empty; yields each group after its
    turn.

    On a CPU as many train at a time as there are cores: small products gain little from a second
    core, another training all of it. The first turn of all is taken alone, since it may compile
    what the others use.
    """
    chunk = FIRST_CHUNK
    go(groups[0], chunk)
    yield groups[0]
    together = _cores() if jax.default_backend() == "cpu" else 1
    waiting = deque(group for group in (*groups[1:], groups[0]) if len(group.jobs))
    running: dict[Future, tuple[_Group, float]] = {}
    with ThreadPoolExecutor(together) as pool:
        while waiting or running:
            while waiting and len(running) < together:
                group = waiting.popleft()
                until = group.rounds + (chunk if group.rounds else FIRST_CHUNK)
                running[pool.submit(go, group, until)] = group, time.perf_counter()
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                group, begun = running.pop(future)
                future.result()
                if group.rounds > FIRST_CHUNK:
                    factor = CHUNK_SECONDS / max(time.perf_counter() - begun, 1e-6)
                    chunk = int(np.clip(chunk * factor, max(1, chunk // 2), min(2 * chunk, 1000)))
                yield group
                if len(group.jobs):
                    waiting.append(group)


def _cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _make_groups(part, rows, source, fitted, keys, shape, strata, weight) -> list[_Group]:
    jobs = np.arange(len(source))
    parts = len(jobs) if jax.default_backend() == "cpu" else -(-len(jobs) // WIDEST)
    groups = []
    for mine in np.array_split(jobs, parts):
        my_rows = jax.tree.map(jnp.asarray, _take_replications(rows, source[mine]))
        if weight is not None:
            my_rows = eqx.tree_at(lambda r: r.weight, my_rows, jnp.asarray(weight[mine]))
        needed = {name: fitted[name] for name in part.needs}
        my_fitted = jax.tree.map(lambda leaf, mine=mine: leaf[mine], needed)
        groups.append(_Group(mine, *begin_all(part, my_rows, my_fitted, keys[mine], shape, strata)))
    return groups


def _share_done(groups: list[_Group], finished: dict, patience: int) -> float:
    running = sum(
        float((np.asarray(group.state.since) * group.alive).sum()) / patience for group in groups
    )
    stopped = sum(int((~group.alive).sum()) for group in groups)
    return len(finished) + stopped + 0.95 * running


def _collect(name: str, states: list[State], plan: Plan) -> Trained:
    """Stack the results, say which trainings went wrong, and fail if one has no finite weights at
    all."""
    failed = [job for job, state in enumerate(states) if not np.isfinite(state.score)]
    if failed:
        raise TrainingFailed(
            f"The loss of stage {name!r} was not finite from the first round on (training "
            f"{failed[0] + 1} of "
            f"{len(states)}), so there are no weights to keep. Check the outcome and covariates "
            "for extreme values, "
            f"or lower the plan's learning_rate (now {plan.learning_rate:g})."
        )
    wild = sum(bool(state.diverged) for state in states)
    if wild:
        warnings.warn(
            f"The loss of stage {name!r} turned infinite or NaN in {wild} of {len(states)} "
            "trainings; the "
            f"{plan.keep} finite weights are kept. A lower learning_rate (now "
            f"{plan.learning_rate:g}) may help.",
            stacklevel=3,
        )
    stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *states)
    network = stacked.best if plan.keep == "best" else stacked.network
    return Trained(network, stacked.score, stacked.rounds, stacked.diverged)


def _rarest(rows: Rows, strata: int) -> int:
    t, weight = np.broadcast_arrays(
        np.minimum(np.asarray(rows.t), strata - 1).astype(int), np.asarray(rows.weight)
    )
    return max(
        1, min(int(((t == stratum) & (weight > 0)).sum(-1).min()) for stratum in range(strata))
    )
