"""The options that say where work is done: --engine, --jobs, and what an engine needs besides."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import Any

from pairnet.core.errors import BadInput, listed
from pairnet.engines import AbstractEngine, engines


def engine_of(
    name: str | None,
    jobs: int | None = None,
    address: str | None = None,
    cores: float | int | None = None,
    gpus: float | int | None = None,
) -> AbstractEngine:
    """Return the engine of this name; left out, this process for one job, else several."""
    kind = engines[name or ("here" if (jobs or 1) == 1 else "processes")]
    if kind.name == "here" and (jobs or 1) > 1:
        raise ValueError(f"--engine here does one job at a time, got --jobs {jobs}. Leave one out.")
    options: dict[str, Any] = {"workers": jobs, "address": address, "cores": cores, "gpus": gpus}
    given = {option: value for option, value in options.items() if value is not None}
    strange = given.keys() - {field.name for field in fields(kind)}
    if strange:
        said = [f"--{option}" for option in given if option in strange]
        problem = f"{listed(said)} {'are' if said[1:] else 'is'} not for --engine {kind.name}"
        raise BadInput("", problem, "Say --engine ray, or leave it out.")
    # Ray would write to our terminal what it thinks of its workers.
    os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".*")
    return kind(**given)
