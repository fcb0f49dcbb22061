"""A job: one number of one cell, named by everything that decides it."""

from __future__ import annotations

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


# The texts of measures, which are the same for all replications of a cell, with the measures
# themselves. Equal measures may have other texts, as those with 2 and with 2.0.
_texts: dict[int, tuple[AbstractMeasure, str]] = {}
MOST_TEXTS = 4096


def _text_of_measure(measure: AbstractMeasure) -> str:
    if id(measure) not in _texts:
        if len(_texts) >= MOST_TEXTS:
            _texts.clear()
        _texts[id(measure)] = measure, as_text(describe(measure))
    return _texts[id(measure)][1]
