"""Processes that are killed while they write over what was there: it must be whole afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import pairnet
from attacks.at_work import TINY, save_again, type_command
from attacks.children import Child, Death, Life
from attacks.ground import folder, frame, known
from attacks.oracle import Fault, about, check_end, command, given
from pairnet.bench.results import gather
from pairnet.bench.store import Corrupt, Store


def kill_fit(rng: Random, place: Path) -> str:
    """`pairnet fit -o` over an older model."""
    method = rng.choice(("steady", "stack"))
    target = Models(place / "model", _fitted(method), seconds=0.3 if method == "steady" else 0.8)
    return _killed(rng, place, type_command, fit_words(place, method), target)


def kill_save(rng: Random, place: Path) -> str:
    """`model.save` over an older model, or into a new folder."""
    new = known(rng.choice(("three arms", "stack of three arms")))
    target = Models(place / "model", new.effect)
    return _killed(rng, place, save_again, [new.folder, place / "model"], target)


def kill_effect(rng: Random, place: Path) -> str:
    """`pairnet effect -o` over older results."""
    out = f"out{rng.choice(('.csv', '.parquet'))}"
    return _killed(rng, place, type_command, effect_words(place / out), File(place / out))


def kill_report(rng: Random, place: Path) -> str:
    """`pairnet report -o` over an older page."""
    words = report_words(place / "out.html")
    return _killed(rng, place, type_command, words, File(place / "out.html"))


def kill_run(rng: Random, place: Path) -> str:
    """`pairnet run` with some of its results there: it goes on, to the same numbers."""
    words = ["run", "tiny", "--store", place / "store"]
    if rng.random() < 0.7:
        store = Store(place / "store")
        for job in rng.sample(list(TINY.all_jobs()), 7):
            store.write(job, Store(_numbers()).read(job))
    return _killed(rng, place, type_command, words, Results(place / "store"))


KILLS: dict[str, Callable[[Random, Path], str]] = {
    kill.__name__: kill for kill in (kill_fit, kill_save, kill_effect, kill_report, kill_run)
}


def _killed(rng: Random, place: Path, work: Any, words: list[Any], target: Any) -> str:
    """Kill a process at its work, once or twice; return whether it died of it."""
    died = False
    for _ in range(rng.choice((1, 1, 2))):
        death = Death.drawn(rng, target.seconds)
        with about(f"{work.__name__} {words}, killed: {death}"):
            said = Child(work, words, Life(death)).end()
            if said is not None:
                check_end(said, tuple(words))
            target.check(finished=said is not None and said.code == 0)
            died |= said is None
    if rng.random() < 0.3:
        with about(f"{work.__name__} {words} after it was killed: {death}"):
            said = Child(work, words).end()
            if said is None or said.code:
                raise Fault(f"it does not work any more: {said}")
            target.check(finished=True)
            target.check_clean()
    return "killed" if died else "survived"


class File:
    """A file of results, with older ones in it."""

    def __init__(self, path: Path):
        self.path, self.old = path, b"older results"
        self.new, self.seconds = _written(path.name)
        path.write_bytes(self.old)

    def check(self, finished: bool) -> None:
        content = self.path.read_bytes() if self.path.exists() else None
        if content not in ((self.new,) if finished else (self.old, self.new)):
            size = None if content is None else len(content)
            raise Fault(f"{self.path.name} holds {size} bytes, {len(self.new)} if whole")

    def check_clean(self) -> None:
        """Files of the killed process may be left beside it, since others may be writing theirs."""


class Models:
    """A folder of a model, with an older one in it."""

    def __init__(self, path: Path, new: np.ndarray, seconds: float = 0.3):
        self.path, self.seconds = path, seconds
        self.X = known("three arms").X
        old = known("three arms", 1)
        old.method.save(path)
        self.answers = [old.effect_of(self.X), new]  # effects of the old model, and of the new one

    def check(self, finished: bool) -> None:
        model = given(lambda: pairnet.load(self.path))
        effect = given(lambda: model.effect(self.X, T0=0, T1=1))
        if not any(
            np.array_equal(effect, answer) for answer in self.answers[-1 if finished else 0 :]
        ):
            raise Fault("a model that is neither the old nor the new one")

    def check_clean(self) -> None:
        parts = [path.name for path in self.path.iterdir() if path.name.endswith(".part")]
        weights = list(self.path.glob("weights-*"))
        beside = [path.name for path in self.path.parent.glob(f".{self.path.name}.*.part")]
        if parts or beside or len(weights) != 1:
            raise Fault(f"killed saves left {parts + beside} and {len(weights)} files of weights")


class Results:
    """A store of results."""

    def __init__(self, path: Path):
        self.path, self.seconds = path, 1.5
        self.numbers = [Store(_numbers()).read(job).metrics for job in TINY.all_jobs()]

    def check(self, finished: bool) -> None:
        store = Store(self.path)
        for job, number in zip(TINY.all_jobs(), self.numbers, strict=True):
            try:
                record = store.read(job)
            except Corrupt as error:
                raise Fault(f"a result is half there: {error}") from None
            if (record is None and finished) or (record is not None and record.metrics != number):
                raise Fault(f"a result of {record and record.metrics} instead of {number}")

    def check_clean(self) -> None:
        if any(
            gather(TINY, Store(self.path)).mean(row, "A", "pehe_out") is None for row in TINY.rows
        ):
            raise Fault("results are missing after all was done")


def fit_words(place: Path, method: str = "steady") -> list[Any]:
    """Return a `pairnet fit` of a model in a place."""
    return [
        *("fit", _table(), "--treatment", "drug", "--outcome", "health", "-o", place / "model"),
        *("--method", method, "--members", 3),
    ]


def effect_words(out: Path) -> list[Any]:
    """Return a `pairnet effect` into a file."""
    model = known("two arms")
    ask = ["--from", model.T0, "--to", model.T1, "-o", out, "--no-evidence"]
    return ["effect", model.folder, _table(), *ask]


def report_words(out: Path) -> list[Any]:
    """Return a `pairnet report` into a page."""
    return ["report", known("two arms").folder, "-o", out]


@lru_cache
def _table() -> Path:
    """Return a table on which `fit` can be typed, with the covariates of all models."""
    model, file = known("three arms"), folder() / "table.csv"
    model.X.assign(drug=model.t, health=model.y).to_csv(file, index=False)
    return file


@lru_cache
def _fitted(method: str) -> np.ndarray:
    """Return the effects of the model that `fit` makes of the table."""
    command(*fit_words(folder(), method))
    return given(lambda: pairnet.load(folder() / "model").effect(frame(), T0=0, T1=1))


@lru_cache
def _written(name: str) -> tuple[bytes, float]:
    """Return what a command writes if it is left alone, and how many seconds it takes."""
    out, begun = folder() / name, time.perf_counter()
    said = command(*(report_words(out) if out.suffix == ".html" else effect_words(out)))
    assert said.code == 0, said
    return out.read_bytes(), time.perf_counter() - begun


@lru_cache
def _numbers() -> Path:
    """Return a store with all results of the tiny experiment."""
    from pairnet.bench.runner import run

    run(TINY.all_jobs(), Store(folder() / "store"))
    return folder() / "store"
