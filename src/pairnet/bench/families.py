"""Which jobs go together: jobs that one fit can do, and fits that share a compiled program."""

from __future__ import annotations

from typing import Any, NamedTuple

from pairnet.bench.digests import describe, digest
from pairnet.bench.job import Job


class Family(NamedTuple):
    """Groups of jobs that share a program; the jobs of a group can be done in one fit."""

    name: str
    groups: list[list[Job]]


def in_families(jobs: list[Job]) -> list[Family]:
    """Return families of groups of jobs, in the order in which they were asked for."""
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        groups.setdefault(digest(describe([job.measure, job.draws.shape])), []).append(job)
    families: dict[str, list[list[Job]]] = {}
    for group in groups.values():
        description = describe([group[0].measure, group[0].draws.shape])
        families.setdefault(digest(_without_fractions(description)), []).append(group)
    return [Family(name, alike) for name, alike in families.items()]


def _without_fractions(value: Any) -> Any:
    """Return a description with its fractions blotted out.

    Fractions are arguments of compiled programs; whole numbers decide shapes.
    """
    if isinstance(value, dict):
        return {name: _without_fractions(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_without_fractions(part) for part in value]
    return "number" if isinstance(value, float) or value in ("inf", "-inf") else value
