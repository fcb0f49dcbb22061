"""A job: one number of one cell, named by everything that decides it."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from pairnet.bench.digests import as_text, describe, digest_of_text
from pairnet.bench.draws import Draws
from pairnet.bench.measures import AbstractMeasure


class Job(NamedTuple):
    """A measure of one replication of a study."""

    measure: AbstractMeasure
    draws: Draws
    replication: int

    def describe(self) -> dict[str, Any]:
        """Return everything that decides the result, as plain values."""
        return {
            "results": self.measure.results_version,
            "measure": describe(self.measure),
            "study": _study(self.draws),
            "replication": self.replication + self.draws.first,
        }

    @property
    def key(self) -> str:
        """The name under which the result is stored: the digest of its description."""
        version, replication = self.measure.results_version, self.replication + self.draws.first
        study = as_text(_study(self.draws))
        rest = f'"replication":{replication},"results":{version},"study":{study}'
        return digest_of_text(f'{{"measure":{_text_of_measure(self.measure)},{rest}}}')


def _study(draws: Draws) -> dict[str, Any]:
    return {"name": draws.study, **{name: describe(value) for name, value in draws.options}}


@functools.lru_cache(maxsize=4096)
def _text_of_measure(measure: AbstractMeasure) -> str:
    return as_text(describe(measure))  # the same for all replications of a cell
