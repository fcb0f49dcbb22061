"""Engines do tasks: here, in several processes, or on a cluster. To add one: write a file, and
import it here."""

from pairnet.core.errors import BadType
from pairnet.core.registry import Registry, is_final
from pairnet.engines.base import AbstractEngine as AbstractEngine
from pairnet.engines.base import Result as Result
from pairnet.engines.base import Shared as Shared
from pairnet.engines.base import Task as Task
from pairnet.engines.base import WorkerDied as WorkerDied
from pairnet.engines.here import Here as Here
from pairnet.engines.processes import Processes as Processes
from pairnet.engines.ray import Ray as Ray

engines: Registry[type[AbstractEngine]] = Registry.of("engine", globals(), is_final(AbstractEngine))


def engine_of(asked: AbstractEngine | str | None) -> AbstractEngine:
    """Return the engine that a person asked for, by its name or as a value; None: this process."""
    if asked is None:
        return Here()
    if isinstance(asked, str):
        return engines[asked]()
    if not isinstance(asked, AbstractEngine):
        problem = f"must be an engine or the name of one, got {type(asked).__name__}"
        advice = f"Names are {', '.join(map(repr, engines))}; Processes(4) is an engine."
        raise BadType("engine", problem, advice)
    return asked
