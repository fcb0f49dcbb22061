"""Engines do tasks: here, or in several processes. To add one: write a file, and import it here."""

from pairnet.core.registry import Registry, is_final
from pairnet.engines.base import AbstractEngine as AbstractEngine
from pairnet.engines.base import Result as Result
from pairnet.engines.base import Task as Task
from pairnet.engines.base import WorkerDied as WorkerDied
from pairnet.engines.here import Here as Here
from pairnet.engines.processes import Processes as Processes

engines: Registry[type[AbstractEngine]] = Registry.of("engine", globals(), is_final(AbstractEngine))
