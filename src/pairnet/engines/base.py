"""What engines do: tasks go in, and results come out as they are made."""

from __future__ import annotations

import abc
import inspect
import traceback
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class Task:
    """A piece of work: a function that other processes can import, and its plain arguments.

    A function that yields gives a result for every value, as soon as the value is there.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Result:
    """What came of a task: a value, or the error that ended the task."""

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
    """A worker ended before its task was done: it was killed, or memory was short."""


@dataclass(frozen=True)
class AbstractEngine(abc.ABC):
    """Where tasks are done. `workers` says how many are done at the same time."""

    name: ClassVar[str]

    workers: int = 1

    @abc.abstractmethod
    def run(self, tasks: Iterable[Task]) -> Generator[Result]:
        """Yield the results of all tasks as they come; results of one task keep their order.

        Tasks are begun in their order, and taken from the iterable only when a worker is free. What
        is still being done ends when the iterator is closed.
        """


def results_of(task: Task) -> Iterator[Result]:
    """Do a task here: yield its value, or all that its function yields, and an error at last."""
    try:
        value = task.function(*task.arguments)
        if inspect.isgenerator(value):
            for part in value:
                yield Result(task.name, part)
        else:
            yield Result(task.name, value)
    except Exception as error:
        yield Result(task.name, error=error, traceback=traceback.format_exc())
