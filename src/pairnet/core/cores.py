"""How many cores this process may use."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Return how many cores this process may use.

    The variable NPROC, which XLA obeys as well, may say that it is fewer than the system gives.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    said = os.environ.get("NPROC", "")
    return max(1, min(cores, int(said))) if said.isdigit() else cores
