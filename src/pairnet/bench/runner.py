"""Trains what is missing in a store: jobs that share shapes in one fit, sized to the device, in one
or more processes.

One process works through a family of jobs, so that nothing is compiled twice. When no family is
left unclaimed, processes help with those that others have begun, fit by fit."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import queue
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from pairnet import __version__
from pairnet.bench.experiment import Job
from pairnet.bench.families import Family, in_families
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

Tell = Callable[[int, str], None]  # how many jobs were finished, and what is being done


class Interrupted(BaseException):
    """Ctrl-C. Not `KeyboardInterrupt`, which makes a fit end early and keep what it has: that would
    be no result."""


@dataclass(frozen=True)
class Outcome:
    """What a run did."""

    done: int  # jobs finished by this run
    failed: int  # of them
    before: int  # jobs that were there already
    left: int  # jobs that were not begun, since time was up or another process has claimed them
    corrupt: tuple[str, ...]  # files that were damaged, and whose jobs were done again
    missing_data: tuple[str, ...]  # why some jobs could not be begun


def missing(
    jobs: Iterable[Job], store: Store, *, retry: bool = False
) -> tuple[list[Job], int, list[str]]:
    """Return the jobs to do, how many are done, and which files are damaged; `retry` does failed
    ones again."""
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
    return todo, len(wanted) - len(todo), corrupt


def run(
    jobs: Iterable[Job],
    store: Store,
    *,
    processes: int = 1,
    retry: bool = False,
    seconds: float | None = None,
    tell: Tell | None = None,
) -> Outcome:
    """Do the jobs that the store lacks; begins no fit after so many seconds. Returns an
    `Outcome`."""
    until = None if seconds is None else time.time() + seconds
    todo, before, corrupt = missing(jobs, store, retry=retry)
    for job in todo if retry else ():
        store.forget(job)  # what fails in this run is not done again in it
    tell = tell or (lambda count, what: None)
    families = in_families(todo)
    reports: dict[str, str] = {}
    with _stopping():
        if processes == 1 or len(todo) < 2:
            work = _work(families, store, tell, 1, until)
        else:
            work = _in_processes(families, store, tell, min(processes, len(todo)), until)
        with closing(work):  # whatever happens, workers end
            for key, error in work:
                tell(int(key not in reports), "")
                reports[key] = error
    failed = sum(1 for error in reports.values() if error == "failed")
    done = sum(1 for error in reports.values() if error in DONE)
    absent = sorted({error for error in reports.values() if error not in DONE})
    left = len(todo) - len(reports)
    return Outcome(done, failed, before, left, tuple(corrupt), tuple(absent))


DONE = ("", "failed")
Report = tuple[str, str]  # a job's key, and one of these, or why it could not be begun


def _work(
    families: Sequence[Family], store: Store, tell: Tell, processes: int, until: float | None
) -> Generator[Report]:
    """Work through the families that no other process has claimed, then help with the others;
    yields results."""
    for name, groups in families:
        with store.claim(name) as mine:
            for group in groups if mine else ():
                yield from _do_group(group, store, tell, processes, until)
    for _, groups in families if processes > 1 else ():
        for group in groups:
            yield from _do_group(group, store, tell, processes, until)


def _do_group(
    jobs: list[Job], store: Store, tell: Tell, processes: int, until: float | None
) -> Iterator[Report]:
    """Do the jobs of a group, in as many fits as their size asks for; each fit is claimed, since
    others may help."""
    absent = missing(jobs, store)[0]
    if not absent or _late(until):
        return
    try:
        parts = [
            (draws, list(part))
            for draws, part in itertools.groupby(jobs, key=lambda job: job.draws)
        ]
        studies = [draws.load([job.replication for job in part]) for draws, part in parts]
        study = stack(studies)
    except DataMissing as error:
        yield from ((job.key, str(error)) for job in absent)
        return
    size = _even(
        len(jobs), _width(study, processes)
    )  # the same parts in every process, whatever is done already
    for start in range(0, len(jobs), size):
        with store.claim(jobs[start].key) as mine:
            if not mine or _late(until):
                continue
            left = {job.key for job in missing(jobs[start : start + size], store)[0]}
            chosen = [k for k in range(start, min(start + size, len(jobs))) if jobs[k].key in left]
            if chosen:
                yield from _do_part(
                    [jobs[k] for k in chosen], study.take(np.asarray(chosen)), store, tell
                )


def _late(until: float | None) -> bool:
    return until is not None and time.time() >= until


def _do_part(jobs: list[Job], study: Study, store: Store, tell: Tell) -> Iterator[Report]:
    """Measure some replications together; where that fails, each half by itself, down to the one
    that fails."""
    label = f"{_label(jobs[0])} on {study.name}, {len(jobs)} replication{'s' * (len(jobs) > 1)}"
    tell(0, label)
    begun = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of divergence: the metrics show it
            metrics = jobs[0].measure(study, [job.replication for job in jobs])
        records = [
            _checked({name: float(values[k]) for name, values in metrics.items()})
            for k in range(len(jobs))
        ]
    except Exception as error:
        if len(jobs) > 1 and _may_be_one(error):
            middle = len(jobs) // 2
            yield from _do_part(jobs[:middle], study.take(np.arange(middle)), store, tell)
            yield from _do_part(
                jobs[middle:], study.take(np.arange(middle, len(jobs))), store, tell
            )
            return
        records = [(None, traceback.format_exc())] * len(jobs)
    seconds = (time.perf_counter() - begun) / len(jobs)
    made = _made(len(jobs))
    for job, (values, wrong) in zip(jobs, records, strict=True):
        store.write(job, Record(values, wrong, seconds, made))
        yield job.key, "" if wrong is None else "failed"


def _may_be_one(error: Exception) -> bool:
    """Tell whether fewer replications may do better: one of them diverged, or all together were too
    large."""
    return isinstance(error, TrainingFailed) or "RESOURCE_EXHAUSTED" in str(error)


def _checked(metrics: dict[str, float]) -> tuple[dict[str, float] | None, str | None]:
    """Return metrics, or an error where one is not a number: it must not enter a mean."""
    strange = [name for name, value in metrics.items() if not np.isfinite(value)]
    return (None, f"not finite: {', '.join(strange)}") if strange else (metrics, None)


def _label(job: Job) -> str:
    return str(
        getattr(getattr(job.measure, "method", job.measure), "label", type(job.measure).__name__)
    )


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


def _width(study: Study, processes: int) -> int:
    """Return how many replications are fitted together: one on a CPU (each is its own there), else
    what fits."""
    import jax

    device = jax.devices()[0]
    if device.platform == "cpu":
        return 1  # a result a replication, so that a crash costs one
    rows, own = (
        study.train.shape[-1],
        study.rows.x.nbytes / (1 if study.rows.x.ndim == 2 else len(study)),
    )
    each = (
        FIXED_BYTES
        + BYTES_A_DISTANCE * min(rows**2, BLOCK)
        + BYTES_A_KEPT * min(rows**2, KEPT)
        + 2 * own
    )
    limit = (device.memory_stats() or {}).get("bytes_limit", 8e9)
    return int(np.clip(MEMORY * limit / processes / each, 1, WIDEST))


def _even(count: int, most: int) -> int:
    """Return the size of parts that are alike, so that one program serves all of them, none larger
    than `most`."""
    return -(-count // -(-count // most))


# Several processes.


def _in_processes(families, store: Store, tell: Tell, processes: int, until) -> Generator[Report]:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # processes share the device
    context = multiprocessing.get_context("spawn")
    said: Any = context.Queue()
    workers = [
        context.Process(
            target=_worker, args=(families, store.folder, said, processes, until, cores)
        )
        for cores in _shares(processes)
    ]
    for worker in workers:
        worker.start()
    try:
        while any(worker.is_alive() for worker in workers) or not said.empty():
            try:
                kind, value = said.get(timeout=0.2)
            except queue.Empty:
                continue
            if kind == "report":
                yield value
            else:
                tell(*value)
    finally:
        for worker in workers:
            if worker.is_alive():
                worker.terminate()
            worker.join()
    wrong = [worker.exitcode for worker in workers if worker.exitcode not in (0, -signal.SIGTERM)]
    if wrong:
        raise RuntimeError(
            f"{len(wrong)} of {len(workers)} processes ended with exit code {wrong[0]}; what they "
            "finished is kept. "
            "Run again to go on, with fewer --jobs if memory was short."
        )


def _shares(processes: int) -> list[set[int] | None]:
    """Return the cores of each process: on a CPU its own, since two that share all cores wait for
    one another."""
    import jax

    if jax.default_backend() != "cpu" or not hasattr(os, "sched_setaffinity"):
        return [None] * processes
    cores = sorted(os.sched_getaffinity(0))
    return [set(cores[k::processes]) or None for k in range(processes)]


def _worker(families, folder, said, processes: int, until, cores: set[int] | None) -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches the whole group; the parent ends its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if cores is not None:
        os.sched_setaffinity(0, cores)
    tell = lambda count, what: said.put(("tell", (count, what)))
    for report in _work(families, Store(folder), tell, processes, until):
        said.put(("report", report))


def _end_with_parent() -> None:
    """Nobody trains on for a run that was killed: what it would write is not asked for any more."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _stopping() -> Iterator[None]:
    """Let Ctrl-C end a run at once: what is finished is in the store."""

    def stop(*_: Any) -> None:
        raise Interrupted

    try:
        before = signal.signal(signal.SIGINT, stop)
    except ValueError:  # not the main thread: the caller has Ctrl-C
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
