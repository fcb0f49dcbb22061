"""The options that say where work is done: --engine and --jobs."""

from __future__ import annotations

from pairnet.engines import AbstractEngine, engines


def engine_of(name: str | None, jobs: int) -> AbstractEngine:
    """Return the engine of this name; left out, this process for one job, else several."""
    kind = engines[name or ("here" if jobs == 1 else "processes")]
    if kind.name == "here" and jobs > 1:
        raise ValueError(f"--engine here does one job at a time, got --jobs {jobs}. Leave one out.")
    return kind(workers=jobs)
