"""What workers of Ray do: one task, whose results they send as bytes."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pairnet.engines.base import Result, Task, fit_to_send, results_of
from pairnet.engines.ray_cluster import Needs

MEMORY = 0.9  # the share of a GPU's memory that all its tasks together may take
# What decides how many threads the libraries under a task start; XLA reads the first.
THREADS = ("NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Sent:
    """The place of a shared argument among those that were sent beside the task."""

    place: int


def environment_of(needs: Needs) -> dict[str, str]:
    """Return the variables of a worker: they are set before JAX is imported.

    A worker has as many threads as cores. It takes no memory of a GPU that it does not use, and no
    more than its share; a task without a GPU leaves them all alone.
    """
    threads = str(max(1, int(needs.cores)))
    own = dict.fromkeys((*THREADS, "POLARS_MAX_THREADS"), threads)
    own["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    if needs.gpus:
        own["XLA_PYTHON_CLIENT_MEM_FRACTION"] = f"{MEMORY * min(1.0, needs.gpus):.3f}"
    else:
        own["JAX_PLATFORMS"] = "cpu"
    if flags := os.environ.get("XLA_FLAGS"):  # which may change the last digits
        own["XLA_FLAGS"] = flags
    return own


def far() -> Callable[..., Iterator[tuple[str, Any]]]:
    """Return what workers call. Sent as a value, it runs where pairnet is not, too."""

    def do(expected, name, packed, *shared):
        import socket
        import sys
        from importlib.metadata import PackageNotFoundError, version

        there = {"Python": "{}.{}".format(*sys.version_info), "jax": "none", "pairnet": "none"}
        try:
            there["jax"] = version("jax")
            import pairnet

            there["pairnet"] = pairnet.__version__
        except (PackageNotFoundError, ImportError):
            pass
        if there != expected:
            yield "versions", (socket.gethostname(), there)
            return
        from pairnet.engines.ray_worker import results_in_bytes

        for result in results_in_bytes(name, packed, shared):
            yield "result", result

    return inspect.unwrap(do)  # a checker of types may stand around it, which others need not have


def results_in_bytes(name: str, packed: bytes, shared: Sequence[Any]) -> Iterator[bytes]:
    """Do a task, and yield its results."""
    from ray import cloudpickle

    try:
        task = cloudpickle.loads(packed)
    except Exception as error:
        words = (
            f"A worker cannot read the task {name}: {error}. Functions and classes of a task must "
            "be in modules that workers can import."
        )
        yield cloudpickle.dumps(Result(name, error=RuntimeError(words)))
        return
    for result in results_of(_whole(task, shared)):
        yield cloudpickle.dumps(fit_to_send(result))


def _whole(task: Task, shared: Sequence[Any]) -> Task:
    """Return a task with what was sent beside it in its place."""
    given = (shared[one.place] if isinstance(one, Sent) else one for one in task.arguments)
    return replace(task, arguments=tuple(given))
