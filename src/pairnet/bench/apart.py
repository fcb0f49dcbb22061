"""Runs by workers that see neither the store nor our files: what they need is sent, what they
measure comes back, and this process keeps it.

A task does a part of a group of jobs. The study is loaded here and sent once, not once a task. This
process claims what it hands out, so that others with the same store do something else.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple

import numpy as np

from pairnet.bench.draws import Draws
from pairnet.bench.families import Family
from pairnet.bench.fits import (
    Done,
    Event,
    Finished,
    Unavailable,
    do_fit,
    fits_of,
    kept,
    missing,
    study_of,
)
from pairnet.bench.job import Job
from pairnet.bench.store import Store
from pairnet.engines import AbstractEngine, Shared, Task
from pairnet.studies import DataMissing, Study

# A long run is this many parts, or more, so that all workers have something to do to the end; but a
# part has at most so many jobs for workers that do one after another, since all of them are done
# again if the worker is lost.
PARTS, MOST_IN_TURN = 64, 16


class Apart:
    """The tasks of a run whose workers share no disk with this process."""

    def __init__(
        self, families: Sequence[Family], store: Store, engine: AbstractEngine, until: float | None
    ):
        self.families, self.store, self.until = families, store, until
        count = sum(len(group) for family in families for group in family.groups)
        self.size = max(1, engine.width, min(MOST_IN_TURN, count // PARTS))
        self.unavailable: list[Unavailable] = []
        self.claims = ExitStack()  # of all parts that were handed out
        self.part_of: dict[str, _Part] = {}  # of jobs that are not done yet, by their keys
        self._study = functools.lru_cache(maxsize=2)(_sent_study)

    def tasks(self) -> Iterator[Task]:
        """Yield the tasks; nothing is loaded or claimed before a worker is free."""
        for family in self.families:
            for group in family.groups:
                try:
                    study = self._study(tuple((job.draws, job.replication) for job in group))
                except DataMissing as error:
                    self.unavailable += [Unavailable(job.key, str(error)) for job in group]
                    continue
                for start in range(0, len(group), self.size):
                    yield from self._part(group, start, study)

    def _part(self, group: list[Job], start: int, study: Shared) -> Iterator[Task]:
        """Yield the task of some jobs, unless another process has them or time is up."""
        seconds = None if self.until is None else self.until - time.time()
        if seconds is not None and seconds <= 0:
            return
        part = group[start : start + self.size]
        claim = self.claims.enter_context(ExitStack())
        claimed = claim.enter_context(self.store.claim(part[0].key))
        left = {job.key for job in missing(part, self.store).jobs} if claimed else set()
        places = [start + k for k, job in enumerate(part) if job.key in left]
        if not places:
            claim.close()
            return
        jobs = [group[place] for place in places]
        self.part_of |= dict.fromkeys(left, _Part(claim, left))
        yield Task(part[0].key, do_part, (jobs, study, np.asarray(places), seconds))

    def events(self, sent: Iterable[Event | Done]) -> Iterator[Event]:
        """Keep what workers have measured, and yield the events of the run."""
        with self.claims:
            for event in kept(sent, self.store):
                if isinstance(event, Finished):
                    self.part_of.pop(event.key).without(event.key)
                yield event
            yield from self.unavailable


class _Part(NamedTuple):
    """Jobs that are done together by one worker, and the claim on them."""

    claim: ExitStack
    left: set[str]

    def without(self, key: str) -> None:
        """Note that a job is done, and let the claim go after the last one."""
        self.left.discard(key)
        if not self.left:
            self.claim.close()


def do_part(
    jobs: list[Job], study: Study, places: np.ndarray, seconds: float | None
) -> Iterator[Event | Done]:
    """Do jobs at some places of a study; no fit begins after so many seconds."""
    ends = np.inf if seconds is None else time.monotonic() + seconds
    for some in fits_of(len(jobs), study, workers=1):
        if time.monotonic() < ends:
            yield from do_fit(jobs[some], study.take(places[some]))


def _sent_study(wanted: tuple[tuple[Draws, int], ...]) -> Shared:
    """Load a study; what is known about it stays here."""
    return Shared(dataclasses.replace(study_of(wanted), about=None))
