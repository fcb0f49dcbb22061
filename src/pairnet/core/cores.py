"""How many cores this process may use."""

from __future__ import annotations

import os

SAID = "PAIRNET_CORES"  # the variable by which an engine gives a worker fewer cores than there are


def usable_cores() -> int:
    """Return how many cores this process may use: those of the system, or fewer if it was told."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    said = os.environ.get(SAID, "")
    return max(1, min(cores, int(said))) if said.isdigit() else cores
