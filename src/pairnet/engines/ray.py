"""The engine of Ray: the tasks are done by the machines of a cluster, or by this machine alone.

A task is one of Ray's, with its cores and its share of a GPU. It yields its results one by one, as
bytes, so that nothing here hangs on Ray's memory after the run. What several tasks share is put
into Ray's object store once. Tasks of a worker or machine that is lost are done again by others;
an error of a task is its result, and is not tried again.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pairnet.core.errors import BadInput
from pairnet.core.types import is_number, is_whole
from pairnet.engines.base import AbstractEngine, Result, Shared, Task, WorkerDied
from pairnet.engines.ray_cluster import Needs, connected, room, same_versions, versions
from pairnet.engines.ray_worker import Sent, environment_of, far

LOOK_SECONDS = 1.0  # how long a wait lasts before the machines are counted again
WIDE = 256  # replications of a study that a GPU is sent together
LOST_SECONDS = 20.0  # how long no machine need have room for a task before the run is given up


@dataclass(frozen=True)
class Ray(AbstractEngine):
    """Do tasks on the machines of a Ray cluster, or without one on the cores of this machine.

    workers: how many tasks are done at the same time; 0: as many as the machines have room for.
    address: of the cluster, as "10.0.0.1:6379"; "auto": the one that runs on this machine; "local":
    one of our own, for this run; None: the cluster of the variable RAY_ADDRESS, else "auto", else
    "local". cores, gpus: what a task needs; a share of a GPU, as 0.25, gets as much of its memory.
    retries: how often a task is done again whose worker or machine was lost. environment: what
    workers need besides, as Ray's `runtime_env` has it.
    """

    name: ClassVar[str] = "ray"
    shares_disk: ClassVar[bool] = False

    workers: int = 0
    address: str | None = None
    cores: float | int = 1
    gpus: float | int = 0
    retries: int = 3
    environment: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        for name in ("workers", "retries"):
            if not (is_whole(getattr(self, name)) and getattr(self, name) >= 0):
                problem = f"must be a whole number, at least 0, got {getattr(self, name)!r}"
                raise BadInput(name, problem)
        if not (is_number(self.cores) and 0 < self.cores < float("inf")):
            raise BadInput("cores", f"must be a number above 0, got {self.cores!r}")
        whole_or_part = is_number(self.gpus) and (0 <= self.gpus <= 1 or self.gpus % 1 == 0)
        if not (whole_or_part and 0 <= self.gpus < float("inf")):
            problem = f"must be a share of one GPU or a whole number of them, got {self.gpus!r}"
            raise BadInput("gpus", problem)

    @property
    def is_parallel(self):
        return self.workers != 1

    @property
    def width(self):
        return WIDE if self.gpus else 1

    def run(self, tasks):
        with connected(self.address) as ray:
            needs = Needs(self.cores, self.gpus)
            needs.check(ray.nodes())
            yield from _Run(ray, self, needs).results(tasks)


class _Run:
    """The tasks of one run that Ray does, and what was sent for them."""

    def __init__(self, ray: Any, engine: Ray, needs: Needs):
        self.ray, self.needs, self.workers = ray, needs, engine.workers
        own = {**engine.environment}
        own["env_vars"] = environment_of(needs) | own.get("env_vars", {})
        # max_calls=0: a worker that has compiled programs does the next task, too
        self.far = ray.remote(max_calls=0)(far()).options(
            num_cpus=needs.cores,
            num_gpus=needs.gpus,
            num_returns="streaming",
            max_retries=engine.retries,
            scheduling_strategy="SPREAD",
            runtime_env=own,
        )
        self.retries = engine.retries
        self.sent: weakref.WeakKeyDictionary[Shared, Any] = weakref.WeakKeyDictionary()
        self.running: dict[Any, Task] = {}
        self.places, self.counted = room(ray.nodes(), needs), time.monotonic()
        self.had_room = self.counted

    def results(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Keep as many tasks running as there is room for; end what runs when this is left."""
        left = iter(tasks)
        try:
            while True:
                most = self.workers or max(1, self.places)
                while len(self.running) < most and (task := next(left, None)) is not None:
                    self.running[self.begin(task)] = task
                if not self.running:
                    return
                ready, _ = self.ray.wait(list(self.running), num_returns=1, timeout=LOOK_SECONDS)
                for stream in ready:
                    if (result := self.next_of(stream)) is not None:
                        yield result
                self.count_places()
                if time.monotonic() - self.had_room > LOST_SECONDS:
                    yield from self.given_up(left)
                    return
        finally:
            for stream in self.running:
                self.ray.cancel(stream, force=True)

    def begin(self, task: Task) -> Any:
        """Send a task; return the stream of its results."""
        from ray import cloudpickle

        arguments, shared = [], []
        for argument in task.arguments:
            if isinstance(argument, Shared):
                if argument not in self.sent:
                    self.sent[argument] = self.ray.put(argument.value)
                shared.append(self.sent[argument])
                argument = Sent(len(shared) - 1)
            arguments.append(argument)
        packed = cloudpickle.dumps(Task(task.name, task.function, tuple(arguments)))
        return self.far.remote(versions(), task.name, packed, *shared)

    def next_of(self, stream: Any) -> Result | None:
        """Return the next result of a stream, or None if there is no other."""
        from ray import cloudpickle
        from ray.exceptions import RayError, RayTaskError

        task = self.running[stream]
        try:
            kind, said = self.ray.get(next(stream))
        except StopIteration:
            del self.running[stream]
            return None
        except RayTaskError as error:
            text = f"Ray could not do {task.name}: {str(error).strip().splitlines()[-1]}"
            return Result(task.name, error=RuntimeError(text), traceback=str(error))
        except RayError as error:
            return Result(task.name, error=self.lost(task, error))
        if kind == "versions":
            same_versions(said)
        return cloudpickle.loads(said)

    def lost(self, task: Task, error: Exception) -> WorkerDied:
        """Return the error of a task whose workers were lost again and again."""
        why = str(error).strip().splitlines()[0]
        again = f", and {self.retries} more after it" * bool(self.retries)
        return WorkerDied(f"The worker that did {task.name} was lost{again}: {why}")

    def count_places(self) -> None:
        """Look now and then how many tasks the machines have room for."""
        now = time.monotonic()
        if now - self.counted >= LOOK_SECONDS:
            self.places, self.counted = room(self.ray.nodes(), self.needs), now
        if self.places:
            self.had_room = now

    def given_up(self, left: Iterator[Task]) -> Iterator[Result]:
        """Yield an error for every task that is not done: no machine is left that could do it."""
        for task in (*self.running.values(), *left):
            text = f"No machine is left that has {self.needs} for {task.name}."
            yield Result(task.name, error=WorkerDied(text))
