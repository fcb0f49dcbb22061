"""Which jobs go together: into one *group* those that one fit can do, into one *family* those that
share a program."""

from __future__ import annotations

from typing import Any

from pairnet.bench.experiment import Job, describe, digest

Family = tuple[str, list[list[Job]]]  # its name, and its groups


def in_families(jobs: list[Job]) -> list[Family]:
    """Return families of groups of jobs, in the order in which they were asked for."""
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        groups.setdefault(digest(describe([job.measure, job.draws.shape])), []).append(job)
    families: dict[str, list[list[Job]]] = {}
    for group in groups.values():
        alike = _without_numbers(describe([group[0].measure, group[0].draws.shape]))
        families.setdefault(digest(alike), []).append(group)
    return list(families.items())


def _without_numbers(value: Any) -> Any:
    """Blot out fractions: they are arguments of compiled programs, where whole numbers decide
    shapes."""
    if isinstance(value, dict):
        return {name: _without_numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_numbers(each) for each in value]
    return "number" if isinstance(value, float) or value in ("inf", "-inf") else value
