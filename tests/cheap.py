"""Measures and experiments that cost nothing, for tests of what keeps and does them."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pairnet.bench.draws import draws
from pairnet.bench.experiment import Experiment
from pairnet.bench.measures import AbstractMeasure
from pairnet.bench.table import Column, Row, labelled
from pairnet.training import TrainingFailed

TABLE = draws("gaussians", 4, rows=20, test=10)


@dataclass(frozen=True)
class Shifted(AbstractMeasure):
    """A measure that costs nothing: the replication's number plus a shift; -1 fails."""

    shift: float

    def __call__(self, study, numbers, report=None):
        if self.shift == -1:
            raise RuntimeError("as planned")
        values = np.asarray(numbers, float) + self.shift
        return {"pehe_out": values, "pehe_in": values + study.rows.y.mean() * 0}


@dataclass(frozen=True)
class Noted(AbstractMeasure):
    """Notes in a folder which process does which job, and waits until two have; fails if it is told
    to."""

    folder: str
    fails: bool = False

    def __call__(self, study, numbers, report=None):
        (
            Path(self.folder) / f"{os.getpid()} {'-'.join(map(str, numbers))} {time.time_ns()}"
        ).touch()
        until = time.time() + 60
        while (
            len({file.name.split()[0] for file in Path(self.folder).iterdir()}) < 2
            and time.time() < until
        ):
            time.sleep(0.05)
        if self.fails:
            raise RuntimeError("as planned")
        return {"pehe_out": np.asarray(numbers, float)}


@dataclass(frozen=True)
class Fatal(AbstractMeasure):
    """Kills the process that takes it."""

    def __call__(self, study, numbers, report=None):
        os._exit(9)


@dataclass(frozen=True)
class Diverging(AbstractMeasure):
    """Fails for all replications of a fit if one of them is among them."""

    failing: int

    def __call__(self, study, numbers, report=None):
        if self.failing in numbers:
            raise TrainingFailed("as planned")
        return {"pehe_out": np.asarray(numbers, float)}


def an_experiment(measures=None, columns=None, **changes):
    measures = measures or {"low": Shifted(0.0), "high": Shifted(1.0)}
    fields = {
        "name": "tiny",
        "title": "Tiny",
        "asks": "?",
        "rows": labelled(Row(label, measure) for label, measure in measures.items()),
        "columns": labelled(
            Column(label, draws) for label, draws in (columns or {"A": (TABLE,)}).items()
        ),
        "reference": "low",
    }
    return Experiment(**(fields | changes))
