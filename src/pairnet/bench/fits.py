"""The tasks of a run: a family of jobs, in as few fits as the memory of the device allows.

Several processes may do the jobs of one family: each fit is claimed before it is done.
"""

from __future__ import annotations

import itertools
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pairnet import __version__
from pairnet.bench.draws import Draws
from pairnet.bench.families import Family
from pairnet.bench.job import Job
from pairnet.bench.store import Corrupt, Record, Store
from pairnet.pairing.base import BLOCK, KEPT
from pairnet.studies import DataMissing, Study
from pairnet.studies.stack import stack
from pairnet.training import TrainingFailed

MEMORY = 0.6  # the share of the device's memory that fits may use, all processes together
WIDEST = 256  # replications in one fit
# What a training takes on the device besides its own covariates: networks, optimiser, activations;
# and its distances.
FIXED_BYTES, BYTES_A_DISTANCE, BYTES_A_KEPT = 60e6, 32, 4


class Begun(NamedTuple):
    """The event that a fit was begun."""

    label: str


class Finished(NamedTuple):
    """The event that a job has a record in the store; `failed`: the record is a traceback."""

    key: str
    failed: bool


class Done(NamedTuple):
    """What a fit has measured, before it is kept."""

    job: Job
    record: Record


class Unavailable(NamedTuple):
    """The event that a job cannot be begun, since files of its study are missing."""

    key: str
    reason: str


Event = Begun | Finished | Unavailable


@dataclass(frozen=True)
class Conditions:
    """Where results are kept, how many processes share the device, and when to stop."""

    folder: Path
    workers: int = 1
    until: float | None = None

    @property
    def time_is_up(self) -> bool:
        """Whether no further fit may begin."""
        return self.until is not None and time.time() >= self.until


class Missing(NamedTuple):
    """The jobs that a store lacks."""

    jobs: list[Job]  # those to do
    done: int  # how many of those asked for are there
    corrupt: list[str]  # files that are damaged, and whose jobs are to be done again


def missing(jobs: Iterable[Job], store: Store, *, retry: bool = False) -> Missing:
    """Return the jobs that the store lacks; with `retry`, also those that failed."""
    wanted = {job.key: job for job in jobs}
    todo, corrupt = [], []
    for job in wanted.values():
        try:
            record = store.read(job)
        except Corrupt as error:
            corrupt.append(str(error))
            record = None
        if record is None or (retry and record.error is not None):
            todo.append(job)
    return Missing(todo, len(wanted) - len(todo), corrupt)


def do_family(family: Family, conditions: Conditions) -> Iterator[Event]:
    """Do the jobs of a family, unless another process has claimed it."""
    with Store(conditions.folder).claim(family.name) as claimed:
        if claimed:
            yield from help_with_family(family, conditions)


def help_with_family(family: Family, conditions: Conditions) -> Iterator[Event]:
    """Do the fits of a family that no other process is doing."""
    for group in family.groups:
        yield from _do_group(group, conditions)


def _do_group(jobs: list[Job], conditions: Conditions) -> Iterator[Event]:
    """Do the jobs of a group, in as many fits as its size needs."""
    store = Store(conditions.folder)
    todo = missing(jobs, store).jobs
    if not todo or conditions.time_is_up:
        return
    try:
        study = study_of([(job.draws, job.replication) for job in jobs])
    except DataMissing as error:
        yield from (Unavailable(job.key, str(error)) for job in todo)
        return
    # The parts are the same in every process, whatever is done already.
    for some in fits_of(len(jobs), study, conditions.workers):
        part = jobs[some]
        with store.claim(part[0].key) as claimed:
            if claimed and not conditions.time_is_up:
                left = {job.key for job in missing(part, store).jobs}
                places = [some.start + k for k, job in enumerate(part) if job.key in left]
                if places:
                    chosen = [jobs[place] for place in places]
                    yield from kept(do_fit(chosen, study.take(np.asarray(places))), store)


def kept(sent: Iterable[Event | Done], store: Store) -> Iterator[Event]:
    """Keep what was measured, and yield the events of it."""
    for one in sent:
        if isinstance(one, Done):
            store.write(one.job, one.record)
            yield Finished(one.job.key, one.record.error is not None)
        else:
            yield one


def study_of(wanted: Iterable[tuple[Draws, int]]) -> Study:
    """Return one study that has these replications of draws, in their order."""
    parts = itertools.groupby(wanted, key=lambda one: one[0])
    return stack([draws.load([number for _, number in part]) for draws, part in parts])


def do_fit(jobs: list[Job], study: Study) -> Iterator[Begun | Done]:
    """Measure some replications together.

    If that fails, each half is measured by itself, down to the replication that fails.
    """
    yield Begun(_label(jobs, study))
    begun = time.perf_counter()
    try:
        outcomes = _measured(jobs, study)
    except Exception as error:
        if len(jobs) > 1 and _may_be_one(error):
            middle = len(jobs) // 2
            for half in (slice(None, middle), slice(middle, None)):
                yield from do_fit(jobs[half], study.take(np.arange(len(jobs))[half]))
            return
        outcomes = [(None, traceback.format_exc())] * len(jobs)
    seconds = (time.perf_counter() - begun) / len(jobs)
    made = _made(len(jobs))
    for job, (metrics, error_text) in zip(jobs, outcomes, strict=True):
        yield Done(job, Record(metrics, error_text, seconds, made))


Measured = tuple[dict[str, float] | None, str | None]  # metrics, or an error


def _measured(jobs: list[Job], study: Study) -> list[Measured]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of divergence: the metrics show it
        metrics = jobs[0].measure(study, [job.replication for job in jobs])
    return [
        _checked({name: float(values[k]) for name, values in metrics.items()})
        for k in range(len(jobs))
    ]


def _checked(metrics: dict[str, float]) -> Measured:
    """Return metrics, or an error if one is NaN: it must not enter a mean."""
    strange = [name for name, value in metrics.items() if not np.isfinite(value)]
    return (None, f"not finite: {', '.join(strange)}") if strange else (metrics, None)


def _may_be_one(error: Exception) -> bool:
    """Tell whether fewer replications may succeed.

    One of them may have diverged, or all together may have been too large.
    """
    return isinstance(error, TrainingFailed) or "RESOURCE_EXHAUSTED" in str(error)


def _label(jobs: list[Job], study: Study) -> str:
    several = "s" * (len(jobs) > 1)
    return f"{jobs[0].measure.label} on {study.name}, {len(jobs)} replication{several}"


def _made(together: int) -> dict[str, Any]:
    import jax

    device = jax.devices()[0]
    return {
        "pairnet": __version__,
        "jax": jax.__version__,
        "device": str(getattr(device, "device_kind", device.platform)),
        "together": together,
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }


def replications_in_a_fit(study: Study, workers: int) -> int:
    """Return how many replications are fitted together: one on a CPU, else what memory holds.

    On a CPU each is fitted by itself anyway, so a crash costs one result only.
    """
    import jax

    device = jax.devices()[0]
    if device.platform == "cpu":
        return 1
    rows = study.train.shape[-1]
    covariates = study.rows.x.nbytes / (1 if study.rows.x.ndim == 2 else len(study))
    distances = BYTES_A_DISTANCE * min(rows**2, BLOCK) + BYTES_A_KEPT * min(rows**2, KEPT)
    bytes_a_replication = FIXED_BYTES + distances + 2 * covariates
    limit = (device.memory_stats() or {}).get("bytes_limit", 8e9)
    return int(np.clip(MEMORY * limit / workers / bytes_a_replication, 1, WIDEST))


def fits_of(count: int, study: Study, workers: int) -> list[slice]:
    """Divide replications into fits of about equal size, so that one compiled program serves all.

    workers: how many processes share the device.
    """
    most = replications_in_a_fit(study, workers)
    size = -(-count // -(-count // most))
    return [slice(start, start + size) for start in range(0, count, size)]
