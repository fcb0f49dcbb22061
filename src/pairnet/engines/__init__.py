"""Engines do tasks, in this process or in several. To add one: write a file, import it here."""

from pairnet.core.registry import Registry, is_final
from pairnet.engines.base import AbstractEngine, Result, Task, WorkerDied
from pairnet.engines.here import Here
from pairnet.engines.processes import Processes

engines: Registry[type[AbstractEngine]] = Registry.of("engine", globals(), is_final(AbstractEngine))

__all__ = ["AbstractEngine", "Here", "Processes", "Result", "Task", "WorkerDied", "engines"]
