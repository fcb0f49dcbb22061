"""The errors of a method of another library, and what it costs."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from pairnet.bench.measures.base import AbstractMeasure
from pairnet.integrations.peers import AbstractPeer
from pairnet.metrics import ate_error, pehe
from pairnet.model.replications import replication


@dataclass(frozen=True)
class FitOfPeer(AbstractMeasure):
    """The errors of its effects, and the CPU seconds of a fit with the effects of all rows.

    Replications are fitted one by one; each has its number as its seed.
    """

    peer: AbstractPeer

    @property
    def label(self):
        return type(self.peer).__name__

    @property
    def lacking(self):
        return None if self.peer.is_installed() else self.peer.title

    def __call__(self, study, numbers, report=None):
        inside, outside, seconds = [], [], []
        train, test = study.part(study.train), study.part(study.test)
        for k, number in enumerate(numbers):
            rows, others = replication(train, k), replication(test, k)
            x, y = np.asarray(rows.x, np.float64), np.asarray(rows.y, np.float64)
            begun = time.process_time()
            effects = self.peer.learn(x, np.asarray(rows.t).astype(int), y, int(number))
            inside.append(effects(x))
            outside.append(effects(np.asarray(others.x, np.float64)))
            seconds.append(time.process_time() - begun)
        return {
            "pehe_in": pehe(study.effect(study.train), np.stack(inside)),
            "pehe_out": pehe(study.effect(study.test), np.stack(outside)),
            "ate_error_out": ate_error(study.effect(study.test), np.stack(outside)),
            "cpu_seconds": np.asarray(seconds),
        }
