"""Does the jobs that a store lacks: a plan of tasks, which an engine does.

A task does a family of jobs, so that nothing is compiled twice. When all families are begun,
workers help with the families of others, fit by fit. Where workers do not share our disk, tasks are
parts of families, and this process keeps the results (`apart.py`).
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from pairnet.bench.apart import Apart
from pairnet.bench.families import Family, in_families
from pairnet.bench.fits import (
    Begun,
    Conditions,
    Event,
    Finished,
    Unavailable,
    do_family,
    help_with_family,
    missing,
)
from pairnet.bench.job import Job
from pairnet.bench.store import Store
from pairnet.engines import AbstractEngine, Here, Task, WorkerDied

Tell = Callable[[int, str], None]  # how many jobs were finished, and what is being done


class Interrupted(BaseException):
    """Ctrl-C, as an error that ends a fit.

    A `KeyboardInterrupt` makes a fit end early and keep what it has: that would be no result.
    """


@dataclass(frozen=True)
class Summary:
    """What a run did, and what it left."""

    done: int  # jobs finished by this run
    failed: int  # of them
    before: int  # jobs that were there already
    left: int  # jobs that were not begun, since time was up or another process has claimed them
    corrupt: tuple[str, ...]  # files that were damaged, and whose jobs were done again
    missing_data: tuple[str, ...]  # why some jobs could not be begun


def run(
    jobs: Iterable[Job],
    store: Store,
    *,
    engine: AbstractEngine | None = None,
    retry: bool = False,
    seconds: float | None = None,
    tell: Tell | None = None,
) -> Summary:
    """Do the jobs that the store lacks, in this process unless an engine is given.

    No fit begins after so many seconds. With `retry` failed jobs are done again.
    """
    engine = engine or Here()
    todo, before, corrupt = missing(jobs, store, retry=retry)
    for job in todo if retry else ():
        store.forget(job)  # what fails in this run is not done again in it
    until = None if seconds is None else time.time() + seconds
    with _stopping():
        endings = _endings(
            _done(in_families(todo), store, engine, until), tell or (lambda count, label: None)
        )
    finished = [ending for ending in endings if isinstance(ending, Finished)]
    reasons = {ending.reason for ending in endings if isinstance(ending, Unavailable)}
    return Summary(
        done=len(finished),
        failed=sum(ending.failed for ending in finished),
        before=before,
        left=len(todo) - len(endings),
        corrupt=tuple(corrupt),
        missing_data=tuple(sorted(reasons)),
    )


def _done(
    families: Sequence[Family], store: Store, engine: AbstractEngine, until: float | None
) -> Generator[Event]:
    """Do families of jobs by an engine, and yield what happens."""
    if engine.shares_disk:
        count = sum(len(group) for family in families for group in family.groups)
        conditions = Conditions(store.folder, max(1, min(engine.workers, count)), until)
        yield from _events(engine, plan(families, conditions))
    else:
        apart = Apart(families, store, engine, until)
        with closing(_events(engine, apart.tasks())) as sent:
            yield from apart.events(sent)


def plan(families: Sequence[Family], conditions: Conditions) -> Iterator[Task]:
    """Yield the tasks of a run: one for each family, then help with families for each worker."""
    for family in families:
        yield Task(f"family {family.name}", do_family, (family, conditions))
    for _ in range(conditions.workers if conditions.workers > 1 else 0):
        for family in families:
            yield Task(f"help with {family.name}", help_with_family, (family, conditions))


def _events(engine: AbstractEngine, tasks: Iterable[Task]) -> Generator[Any]:
    """Yield the events of all tasks.

    A task that fails does not stop the others: its error is raised at the end.
    """
    errors = []
    with closing(engine.run(tasks)) as results:
        for result in results:
            if result.error is None:
                yield result.value
            else:
                errors.append(result.error)
    died = [error for error in errors if isinstance(error, WorkerDied)]
    if errors and not died:
        raise errors[0]
    if died:
        raise WorkerDied(
            f"{died[0]} What was finished is kept. Run again to go on, with fewer --jobs if memory "
            "was short."
        )


def _endings(events: Generator[Event], tell: Tell) -> list[Finished | Unavailable]:
    """Return how each job ended, and report every event."""
    endings: dict[str, Finished | Unavailable] = {}
    with closing(events):  # whatever happens, workers end
        for event in events:
            if isinstance(event, Begun):
                tell(0, event.label)
            else:
                tell(int(event.key not in endings), "")
                endings[event.key] = event
    return list(endings.values())


@contextmanager
def _stopping() -> Iterator[None]:
    """Let Ctrl-C end a run at once; finished results are in the store."""

    def stop(*_: Any) -> None:
        raise Interrupted

    try:
        before = signal.signal(signal.SIGINT, stop)
    except ValueError:  # outside the main thread the caller handles Ctrl-C
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
