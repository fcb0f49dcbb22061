"""The engine of several processes on this machine.

Every worker is a `ProcessPoolExecutor` of its own with one process. So a worker can have its own
cores, keeps the generator of a task between two results, and ends no other worker when it dies.
Workers are spawned, since JAX does not survive a fork.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, ClassVar

from pairnet.core.own_jax import check_can_run
from pairnet.engines.base import AbstractEngine, Result, Task, WorkerDied, fit_to_send, results_of


@dataclass(frozen=True)
class Processes(AbstractEngine):
    """Do tasks in spawned processes; if the work is done on a CPU, each has its own cores."""

    name: ClassVar[str] = "processes"

    def run(self, tasks):
        os.environ.setdefault(
            "XLA_PYTHON_CLIENT_PREALLOCATE", "false"
        )  # the workers share the device
        context = multiprocessing.get_context("spawn")
        theirs, ours = context.Pipe(duplex=False)
        workers = [
            _Worker(ProcessPoolExecutor(1, context, _set_up, (theirs, cores)))
            for cores in cores_of_workers(self.workers)
        ]
        try:
            yield from _results(workers, iter(tasks))
            _shut_down(workers)
        finally:
            ours.close()  # whatever is still being done ends now
            _shut_down(workers)
            theirs.close()


def cores_of_workers(workers: int) -> list[set[int] | None]:
    """Return the cores of each worker, or None for all cores.

    On a CPU each worker has its own, since two workers that share all cores wait for one another.
    """
    import jax

    check_can_run()
    if jax.default_backend() != "cpu" or not hasattr(os, "sched_setaffinity"):
        return [None] * workers
    cores = sorted(os.sched_getaffinity(0))
    return [set(cores[k::workers]) or None for k in range(workers)]


# In the process that asks.


@dataclass
class _Worker:
    """A process, and the task that it does."""

    pool: ProcessPoolExecutor
    task: Task = field(default_factory=lambda: Task("nothing", int))

    def begin(self, task: Task) -> Future:
        """Begin a task; the future holds its first result, None if there is none."""
        self.task = task
        return self._ask(_begin, pickle.dumps(task))

    def go_on(self) -> Future:
        """Continue the task; the future holds the next result, None if there is no other."""
        return self._ask(_next)

    def _ask(self, function, *arguments: Any) -> Future:
        try:
            return self.pool.submit(function, *arguments)
        except BrokenExecutor as error:
            future: Future = Future()
            future.set_exception(error)
            return future


def _results(workers: list[_Worker], tasks: Iterator[Task]) -> Iterator[Result]:
    """Keep all workers busy. One that died is not replaced: memory may be short."""
    futures = {worker.begin(task): worker for worker, task in zip(workers, tasks, strict=False)}
    while futures:
        done, _ = wait(futures, return_when=FIRST_COMPLETED)
        for future in done:
            worker = futures.pop(future)
            result = _result_of(future, worker.task)
            if result is None and (task := next(tasks, None)) is not None:
                futures[worker.begin(task)] = worker
            elif result is not None:
                if not isinstance(result.error, WorkerDied):
                    futures[worker.go_on()] = worker
                yield result
    for task in tasks:
        yield Result(task.name, error=WorkerDied(f"No process was left to do {task.name}."))


def _result_of(future: Future, task: Task) -> Result | None:
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, BrokenExecutor):
        message = f"The process that did {task.name} ended before it was done."
        return Result(task.name, error=WorkerDied(message))
    return Result(task.name, error=error, traceback=str(error.__cause__ or error))


def _shut_down(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.pool.shutdown(cancel_futures=True)


# In a worker.

_begun: Iterator[Result] = iter(())  # the results of the task that this process does


def _begin(task: bytes) -> Result | None:
    global _begun
    _begun = iter(())
    _begun = results_of(pickle.loads(task))
    return _next()


def _next() -> Result | None:
    result = next(_begun, None)
    return None if result is None else fit_to_send(result)


def _set_up(lifeline: Connection, cores: set[int] | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the parent ends its workers
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    if cores is not None:
        os.sched_setaffinity(0, cores)


def _end_with(lifeline: Connection) -> None:
    """End this process when the run ends: the run was left, or it was killed.

    Otherwise a worker would go on for results that nobody asks for any more.
    """
    try:
        lifeline.recv()
    except (EOFError, OSError):
        os._exit(1)
