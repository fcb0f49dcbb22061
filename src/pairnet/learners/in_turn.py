"""The learners of a stack learn: one after another here, or side by side as tasks of an engine."""

from __future__ import annotations

import queue
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int

from pairnet.core.notices import warn_again
from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.own_jax import CannotRun
from pairnet.core.treatments import Treatment
from pairnet.core.types import Rows
from pairnet.engines import AbstractEngine, Shared, Task
from pairnet.model.learner import Learner
from pairnet.model.predictor import AbstractPredictor
from pairnet.training.progress import DONE, Progress

TELL_SECONDS = 0.2  # how often a learner on another machine tells how far it is


class OutOfTime(Exception):
    """The time limit of a stack is over."""


class Learned(NamedTuple):
    """How a learner ended: with a predictor for each replication, or with an error."""

    number: int
    predictors: Sequence[AbstractPredictor] = ()
    seconds: float = 0.0
    error: Exception | None = None


def until(ends: float, report: Progress) -> Progress:
    """Return a report that ends the training when the time is over."""
    if time.perf_counter() >= ends:
        raise OutOfTime

    def tell(stage: str, finished: float, total: int, rounds: int) -> None:
        left = ends - time.perf_counter()
        clock = "" if left == np.inf else f", {timedelta(seconds=max(0, int(left)))} left"
        report(f"{stage}{clock}", finished, total, rounds)
        if left <= 0:
            raise OutOfTime

    return tell


def one_by_one(
    learners: Sequence[Learner],
    tells: Sequence[Progress],
    fit: Callable[[Learner, Progress], Sequence[AbstractPredictor]],
    ends: float,
) -> Generator[Learned]:
    """Let learners learn here in their order; once one has learned, no other goes on after `ends`.

    The first one for which there is no time is the last one.
    """
    has_one = False
    for number, (learner, tell) in enumerate(zip(learners, tells, strict=True)):
        since = time.perf_counter()
        tell("starting", 0.0, 1, 0)
        try:
            predictors = fit(learner, until(ends, tell) if has_one else tell)
        except CannotRun:  # no learner of networks could
            raise
        except Exception as error:  # whatever a learner does, the others go on
            yield Learned(number, error=error)
            if isinstance(error, OutOfTime):
                return
        else:
            has_one = True
            tell(DONE, 1.0, 1, 0)
            yield Learned(number, predictors, time.perf_counter() - since)


def side_by_side(
    learners: Sequence[Learner],
    tells: Sequence[Progress],
    engine: AbstractEngine,
    rows: Rows,
    treatment: Treatment,
    outcome: AbstractOutcome,
    draws: Int[np.ndarray, "m n"],
    ends: float,
) -> Generator[Learned]:
    """Let each learner be a task; all but the first end when the time is over.

    If the first fails, the next for which there was no time is the first of another round.
    """
    left, has_one = list(range(len(learners))), False
    common = Shared(rows), treatment, outcome, Shared(draws)
    while left and not has_one:
        late, first = [], left[0]
        tasks = (
            Task(str(number), _learned, (learners[number], *common, _seconds(ends, number, first)))
            for number in left
        )
        with closing(engine.run(tasks)) as results:
            for result in results:
                number = int(result.task)
                if isinstance(result.error, CannotRun):
                    raise result.error
                if isinstance(result.error, OutOfTime):
                    late.append(number)
                elif isinstance(result.error, Exception):
                    yield Learned(number, error=result.error)
                elif isinstance(result.value, Warning):
                    warn_again(result.value)
                elif isinstance(result.value, Learned):
                    has_one = True
                    tells[number](DONE, 1.0, 1, 0)
                    yield result.value._replace(number=number)
                else:
                    tells[number](*result.value)
        left = sorted(late)
    for number in left:
        yield Learned(number, error=OutOfTime())


def _seconds(ends: float, number: int, first: int) -> float:
    """Return how long a learner that begins now may learn."""
    return np.inf if number == first else ends - time.perf_counter()


# In a worker.


def _learned(
    learner: Learner,
    rows: Rows,
    treatment: Treatment,
    outcome: AbstractOutcome,
    draws: Int[np.ndarray, "m n"],
    seconds: float,
) -> Iterator[Any]:
    """Yield how far a learner is, its warnings, and finally what it has learned."""
    said: queue.SimpleQueue[Any] = queue.SimpleQueue()
    since = time.perf_counter()
    tell = until(since + seconds, _sparing(said.put))
    tell("starting", 0.0, 1, 0)
    with warnings.catch_warnings(record=True) as noted, ThreadPoolExecutor(1) as pool:
        warnings.simplefilter("always")
        fit = pool.submit(learner.learn, rows, treatment, outcome, draws=draws, report=tell)
        fit.add_done_callback(lambda _: said.put(None))
        while (one := said.get()) is not None:
            yield one
        yield from (note.message for note in noted)
        yield Learned(0, [fit.result()], time.perf_counter() - since)


def _sparing(put: Callable[[Any], None]) -> Progress:
    """Return a report that passes on each new stage, and else something now and then."""
    last = {"": 0.0}  # the latest stage, and when it was told

    def tell(stage: str, finished: float, total: int, rounds: int) -> None:
        name, now = stage.partition(",")[0], time.perf_counter()
        if now - last.get(name, 0.0) >= TELL_SECONDS:
            last.clear()
            last[name] = now
            put((stage, finished, total, rounds))

    return tell
