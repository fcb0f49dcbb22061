"""What engines do: they take tasks, and yield results as soon as they are there."""

from __future__ import annotations

import abc
import inspect
import pickle
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar


@dataclass(frozen=True, eq=False)
class Shared:
    """An argument that several tasks have: an engine of other machines sends it once."""

    value: Any


@dataclass(frozen=True)
class Task:
    """A piece of work: a function that other processes can import, and its plain arguments.

    A generator function gives one result for every value that it yields, as soon as it is there.
    The function gets the values of `Shared` arguments, and must not change them.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    def call(self) -> Any:
        """Call the function with its arguments."""
        values = (one.value if isinstance(one, Shared) else one for one in self.arguments)
        return self.function(*values)


@dataclass(frozen=True)
class Result:
    """The result of a task: a value, or the error that ended the task."""

    task: str  # its name
    value: Any = None
    error: BaseException | None = None
    traceback: str = ""

    def get(self) -> Any:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return self.value


class WorkerDied(RuntimeError):
    """A worker ended before its task was done: it was killed, or memory ran out."""


@dataclass(frozen=True)
class AbstractEngine(abc.ABC):
    """Where tasks are done. `workers` says how many are done at the same time."""

    name: ClassVar[str]
    shares_disk: ClassVar[bool] = True  # whether tasks see the files of the process that asks

    workers: int = 1

    @property
    def is_parallel(self) -> bool:
        """Whether several tasks may be done at the same time."""
        return self.workers > 1

    @property
    def width(self) -> int:
        """How many replications of a study a worker is to train side by side, if it is far away."""
        return 1

    @abc.abstractmethod
    def run(self, tasks: Iterable[Task]) -> Generator[Result]:
        """Yield the results of all tasks as they come; results of one task keep their order.

        Tasks begin in their order, and are taken from the iterable only when a worker is free.
        Tasks that still run end when the iterator is closed.
        """


def results_of(task: Task) -> Iterator[Result]:
    """Do a task here: yield its value, or all values of its generator, and finally any error."""
    try:
        value = task.call()
        if inspect.isgenerator(value):
            for part in value:
                yield Result(task.name, part)
        else:
            yield Result(task.name, value)
    except Exception as error:
        yield Result(task.name, error=error, traceback=traceback.format_exc())


def fit_to_send(result: Result) -> Result:
    """Return the result with an error that another process can unpickle."""
    if result.error is None:
        return result
    try:
        pickle.loads(pickle.dumps(result.error))
        return result
    except Exception:
        return replace(result, error=RuntimeError(str(result.error)))
