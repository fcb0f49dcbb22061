"""The part of a training that runs in plain Python: groups of replications take turns.

A turn is some rounds of one group inside one compiled program (`training/program.py`). Between
turns, progress is shown, Ctrl-C is noticed, and finished replications leave their group.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Bool, Float, Int, Key

from pairnet.core.cores import usable_cores
from pairnet.core.notices import notice
from pairnet.core.types import Array, Rows, number
from pairnet.networks import AbstractNetwork
from pairnet.training.plan import Plan, Schedule, Shape
from pairnet.training.program import Knobs, Setup, State, advance, begin_all, take_replications
from pairnet.training.progress import Progress
from pairnet.training.recipe import Stage

FIRST_CHUNK = 4  # rounds of a group's first turn
CHUNK_SECONDS = 0.3  # how long a compiled program runs before Python looks at it again
WIDEST_GROUP = 256  # replications trained side by side on an accelerator
# Smaller groups stay as they are: another compilation would cost more than it saves.
NARROW_GROUP = 128


class TrainingFailed(RuntimeError):
    """A training whose loss was never finite."""


class Trained(eqx.Module):
    """The results of a stage, for each training."""

    network: AbstractNetwork
    score: Float[Array, "*j"]
    rounds: Int[Array, "*j"]
    diverged: Bool[Array, "*j"]


class TrainingGroup:
    """Replications that are trained side by side; on a CPU, each one is a group of its own."""

    def __init__(self, jobs: np.ndarray, rows: Rows, setup: Setup, state: State):
        self.jobs, self.rows, self.setup, self.state = jobs, rows, setup, state
        self.rounds = 0
        self.alive = np.ones(len(jobs), bool)

    def advance(self, part: Stage, shape: Shape, strata: int, knobs: Knobs, until: int) -> None:
        """Train the group up to round `until`."""
        bounds = (np.asarray(self.rounds, np.int32), np.asarray(until, np.int32))
        state = advance(part, self.rows, self.setup, self.state, shape, strata, knobs, *bounds)
        alive = ~np.asarray(state.done)  # waits
        self.state, self.rounds, self.alive = state, until, alive

    def shrink(self, finished: dict[int, State]) -> None:
        """Let finished replications leave, if all or three quarters of the group are finished.

        A group that is a quarter as wide needs another program, so there are few widths.
        """
        width = len(self.jobs) // 4 if self.alive.any() else 0
        if self.alive.sum() > width or (width and len(self.jobs) < NARROW_GROUP):
            return
        host = jax.device_get(self.state)
        # those that still train stay, and some finished ones fill the group up
        stays = np.argsort(~self.alive, kind="stable")[:width]
        for position in np.setdiff1d(np.arange(len(self.jobs)), stays):
            state = jax.tree.map(lambda leaf, p=position: leaf[p], host)
            finished[int(self.jobs[position])] = state
        self.jobs, self.alive = self.jobs[stays], self.alive[stays]
        if not width:
            del self.rows, self.setup, self.state  # nothing is left to train
            return
        self.rows = take_replications(self.rows, stays)
        self.setup, self.state = jax.tree.map(lambda leaf: leaf[stays], (self.setup, self.state))

    def leave(self, finished: dict[int, State]) -> None:
        """Let all replications leave in the state that they are in."""
        if len(self.jobs):
            self.alive[:] = False
            self.shrink(finished)


def fit_stage(
    stage: Stage,
    rows: Rows,
    source: Int[Array, " j"],
    fitted: Mapping[str, AbstractNetwork],
    plan: Plan,
    keys: Key[Array, " j"],
    strata: int,
    weight: Float[Array, "j n"] | None = None,
    strength: Float[Array, " j"] | None = None,
    *,
    report: Progress,
    last: bool = True,
) -> Trained:
    """Train a stage for every job: job j trains on replication `source[j]`, with key j.

    If jobs weigh the rows of their replication in their own ways, as in a bootstrap, `weight` holds
    the weights; `strength` is that of each job's chosen penalty. Ctrl-C keeps the best weights so
    far if this is the last stage and every job has some; otherwise it is raised again.
    """
    schedule = plan.schedule(rows.t.shape[-1], rarest(rows, strata))
    knobs, part = _knobs(plan, schedule), stage.nameless()
    groups = _make_groups(
        part, rows, source, fitted, keys, schedule.shape, strata, weight, strength
    )
    go = lambda group, until: group.advance(part, schedule.shape, strata, knobs, until)
    tell = lambda done, rounds: report(stage.name, done, len(source), rounds)
    finished: dict[int, State] = {}
    try:
        _train(groups, go, finished, schedule.patience, tell)
    except KeyboardInterrupt:
        if not last or any(group.rounds == 0 for group in groups):
            raise
        rounds = max(group.rounds for group in groups)
        notice(
            f"Interrupted in stage {stage.name!r} after {rounds} rounds: the best weights so far "
            "are kept."
        )
    for group in groups:
        group.leave(finished)
    return _collect(stage.name, [finished[job] for job in range(len(source))], plan)


def _train(
    groups: list[TrainingGroup],
    go: Callable[[TrainingGroup, int], None],
    finished: dict[int, State],
    patience: int,
    tell: Callable[[float, int], None],
) -> None:
    """Train all groups to their end, and report how many trainings are done, and the rounds."""
    shown = 0.0
    # closing: whatever happens, no group trains on after this block
    with closing(_in_turn(groups, go)) as turns:
        for group in turns:
            group.shrink(finished)
            shown = max(shown, _share_done(groups, finished, patience))
            tell(shown, group.rounds)


def _knobs(plan: Plan, schedule: Schedule) -> Knobs:
    lengths = {name: getattr(schedule, name) for name in ("patience", "warm_up", "longest")}
    return Knobs(
        learning_rate=number(plan.learning_rate),
        tolerance=number(plan.tolerance),
        **{name: np.asarray(rounds, np.int32) for name, rounds in lengths.items()},
    )


def _in_turn(
    groups: list[TrainingGroup], go: Callable[[TrainingGroup, int], None]
) -> Generator[TrainingGroup]:
    """Let groups train in turns until they are empty; yield each group after its turn.

    On a CPU as many groups train at a time as there are cores: small products gain little from a
    second core, but another training gains all of it. The first turn of all is taken alone, since
    it may compile the program that the others use.
    """
    chunk = FIRST_CHUNK
    go(groups[0], chunk)
    yield groups[0]
    together = usable_cores() if jax.default_backend() == "cpu" else 1
    waiting = deque(group for group in (*groups[1:], groups[0]) if len(group.jobs))
    running: dict[Future, tuple[TrainingGroup, float]] = {}
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
                    chunk = _next_chunk(chunk, time.perf_counter() - begun)
                yield group
                if len(group.jobs):
                    waiting.append(group)


def _next_chunk(chunk: int, seconds: float) -> int:
    """Return the rounds of the next turn, given that a turn of `chunk` rounds took `seconds`."""
    factor = CHUNK_SECONDS / max(seconds, 1e-6)
    return int(np.clip(chunk * factor, max(1, chunk // 2), min(2 * chunk, 1000)))


def _make_groups(
    part, rows, source, fitted, keys, shape, strata, weight, strength
) -> list[TrainingGroup]:
    """Divide jobs into groups; jobs on one replication share its covariates."""
    jobs = np.arange(len(source))
    parts = len(jobs) if jax.default_backend() == "cpu" else -(-len(jobs) // WIDEST_GROUP)
    groups: list[TrainingGroup] = []
    on_device: dict[tuple[int, ...], Rows] = {}
    for mine in np.array_split(jobs, parts):
        replications = tuple(source[mine].tolist())
        if replications not in on_device:
            on_device[replications] = _rows_of(rows, source[mine])
        my_rows = on_device[replications]
        if weight is not None:
            my_rows = eqx.tree_at(lambda r: r.weight, my_rows, jax.device_put(weight[mine]))
        needed = {name: fitted[name] for name in part.needs}
        my_fitted = jax.tree.map(lambda leaf, mine=mine: leaf[mine], needed)
        my_strength = None if strength is None else strength[mine]
        viewed, setup, state = begin_all(
            part, my_rows, my_fitted, keys[mine], my_strength, shape, strata
        )
        viewed = eqx.tree_at(lambda r: r.x, viewed, my_rows.x)  # not a copy of them
        groups.append(TrainingGroup(mine, viewed, setup, state))
    return groups


def _rows_of(rows: Rows, replications: Int[Array, " j"]) -> Rows:
    """Return the rows of these replications; shared covariates are kept once."""
    first = replications[0]
    if len(replications) > 1 and rows.x.ndim == 3 and (replications == first).all():
        rows = eqx.tree_at(lambda r: r.x, rows, rows.x[first])
    return jax.device_put(take_replications(rows, replications))


def _share_done(groups: list[TrainingGroup], finished: dict, patience: int) -> float:
    """Return how many trainings are done; a running one counts by how much patience it has used."""
    running = sum(
        float((np.asarray(group.state.since) * group.alive).sum()) / patience
        for group in groups
        if len(group.jobs)
    )
    stopped = sum(int((~group.alive).sum()) for group in groups)
    return len(finished) + stopped + 0.95 * running


def _collect(name: str, states: list[State], plan: Plan) -> Trained:
    """Stack the results; raise if a training has no finite weights, warn if one diverged."""
    failed = [job for job, state in enumerate(states) if not np.isfinite(state.score)]
    if failed:
        raise TrainingFailed(
            f"The loss of stage {name!r} was not finite from the first round on (training "
            f"{failed[0] + 1} of {len(states)}), so there are no weights to keep. Check the "
            "outcome and covariates for extreme values, or lower the plan's learning_rate (now "
            f"{plan.learning_rate:g})."
        )
    diverged = sum(bool(state.diverged) for state in states)
    if diverged:
        notice(
            f"The loss of stage {name!r} turned infinite or NaN in {diverged} of {len(states)} "
            f"trainings; the {plan.keep} finite weights are kept. A lower learning_rate (now "
            f"{plan.learning_rate:g}) may help."
        )
    stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *states)
    network = stacked.best if plan.keep == "best" else stacked.network
    return Trained(network, stacked.score, stacked.rounds, stacked.diverged)


def rarest(rows: Rows, strata: int) -> int:
    """Return the size of the rarest stratum, in the replication where it is smallest."""
    t, weight = np.broadcast_arrays(
        np.minimum(np.asarray(rows.t), strata - 1).astype(int), np.asarray(rows.weight)
    )
    counts = [((t == stratum) & (weight > 0)).sum(-1).min() for stratum in range(strata)]
    return max(1, min(map(int, counts)))
