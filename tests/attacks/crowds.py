"""Several who write at once, disks that are full or cannot be written, and people without a home."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np

import pairnet
from attacks.at_work import save_again, type_command
from attacks.children import Child, Death, Life
from attacks.ground import known
from attacks.kills import File, Results, effect_words, fit_words, report_words
from attacks.oracle import Fault, Said, about, check_end, given


def two_writers(rng: Random, place: Path) -> str:
    """Two processes save other models into one folder: one of the two is there, whole."""
    name, target = rng.choice(("three arms", "stack of three arms")), place / "model"
    first, second = known(name), known(name, 1)
    begun = rng.choice(("new folder", "older model"))
    if begun == "older model":
        known("three arms", 2).method.save(target)
    with about(f"two writers, {begun}"):
        times = rng.choice((1, 3, 10))
        children = [Child(save_again, [one.folder, target, times]) for one in (first, second)]
        for said in [child.end() for child in children]:
            if said is None or said.code:
                raise Fault(f"a save into one folder with another failed: {said}")
        effect = given(lambda: pairnet.load(target)).effect(first.X, T0=0, T1=1)
        answers = (first.effect, second.effect_of(first.X))
        if not any(np.array_equal(effect, answer) for answer in answers):
            raise Fault("the model in the folder is neither of the two")
        if len(list(target.iterdir())) != 2 or [path.name for path in place.iterdir()] != ["model"]:
            raise Fault(f"files were left: {sorted(path.name for path in target.iterdir())}")
    return "answers"


def writer_and_reader(rng: Random, place: Path) -> str:
    """A model is read while others are saved over it: the reader has one of them, whole."""
    name, target = rng.choice(("three arms", "stack of three arms")), place / "model"
    first, second = known(name), known(name, 1)
    first.method.save(target)
    answers = (first.effect, second.effect_of(first.X))
    child = Child(save_again, [second.folder, target, 20])
    with about("a reader beside a writer"):
        while child.process.is_alive():
            effect = given(lambda: pairnet.load(target)).effect(first.X, T0=0, T1=1)
            if not any(np.array_equal(effect, answer) for answer in answers):
                raise Fault("the model that was read is neither of the two")
        child.end()
    return "answers"


def two_runs(rng: Random, place: Path) -> str:
    """Two runs share a store: every number is there, and right."""
    words = ["run", "tiny", "--store", place / "store"]
    target = Results(place / "store")
    with about("two runs of one store"):
        for said in [child.end() for child in [Child(type_command, words) for _ in range(2)]]:
            if said is None or said.code:
                raise Fault(f"a run beside another failed: {said}")
        target.check(finished=True)
    return "answers"


def two_tables(rng: Random, place: Path) -> str:
    """Two commands write one file of results: one of the two is there, whole."""
    words, target = effect_words(place / "out.csv"), File(place / "out.csv")
    with about("two commands write one file"):
        for said in [child.end() for child in [Child(type_command, words) for _ in range(2)]]:
            if said is None or said.code:
                raise Fault(f"a command beside another failed: {said}")
        target.check(finished=True)
    return "answers"


def full_disk(rng: Random, place: Path) -> str:
    """The disk fills up at some byte: a sentence, and what was there stays."""
    target = rng.choice((File(place / "out.csv"), File(place / "out.html"), None))
    death = Death(within=rng.randint(1, len(target.new) - 1 if target else 3000), full=True)
    with about(f"a disk that takes {death.within} bytes"):
        if target is None:
            words = fit_words(place, rng.choice(("steady", "stack")))
            _refused(Child(type_command, words, Life(death)).end(), words)
            if (place / "model").exists():
                raise Fault("a part of a model was left")
        else:
            make = report_words if target.path.suffix == ".html" else effect_words
            words = make(target.path)
            _refused(Child(type_command, words, Life(death)).end(), words)
            if target.path.read_bytes() != target.old:
                raise Fault("what was there is gone")
        if parts := [path.name for path in place.iterdir() if path.name.endswith(".part")]:
            raise Fault(f"files were left: {parts}")
    return "refused"


def no_home(rng: Random, place: Path) -> str:
    """There is no home, or one that cannot be written, or no folder for what is kept."""
    (place / "file").write_text("no folder")
    homes = {
        "no HOME": {"HOME": None, "XDG_CACHE_HOME": None, "PAIRNET_CACHE": None},
        "a HOME that is not there": {"HOME": "/nowhere/at/all", "PAIRNET_CACHE": None},
        "a HOME that is a file": {"HOME": str(place / "file"), "PAIRNET_CACHE": None},
        "a cache that is a file": {"PAIRNET_CACHE": str(place / "file")},
        "a cache that cannot be": {"PAIRNET_CACHE": "/proc/nowhere"},
        "an empty cache": {"PAIRNET_CACHE": "", "XDG_CACHE_HOME": "", "HOME": ""},
    }
    name = rng.choice(tuple(homes))
    method = rng.choice(("tarnet", "stack", "steady", "steady", "steady"))
    quick = ["--set", "plan.longest=5", "--set", "phi=4", "--set", "mu=4"]
    words = [*fit_words(place, method), *(quick if method == "tarnet" else [])]
    with about(f"{name}, {method}"):
        said = Child(type_command, words, Life(environment=homes[name])).end()
        if said is None or said.code:
            raise Fault(f"it does not work without a home: {said}")
        check_end(said, tuple(words))
        given(lambda: pairnet.load(place / "model"))
    return "answers"


def read_only(rng: Random, place: Path) -> str:
    """The disk cannot be written: models can be read and asked, and writing is refused first."""
    model = known("two arms")
    with disk(place, "ro") as mounted:
        words = rng.choice(
            (
                fit_words(mounted, rng.choice(("steady", "stack"))),
                effect_words(mounted / "out.csv"),
                report_words(mounted / "out.html"),
                ["run", "tiny", "--store", mounted / "store"],
            )
        )
        with about(f"a disk that cannot be written: {words}"):
            _refused(Child(type_command, words).end(), words)
            given(lambda: pairnet.load(mounted / "model").effect(model.X, T0="none", T1="drug"))
    return "refused"


def tiny_disk(rng: Random, place: Path) -> str:
    """A real disk with little room: the same as a full one."""
    with disk(place, f"size={rng.choice((4, 8, 12, 40))}k") as mounted:
        words = rng.choice(
            (
                fit_words(mounted, rng.choice(("steady", "stack"))),
                effect_words(mounted / "out.parquet"),
                report_words(mounted / "out.html"),
                ["run", "tiny", "--store", mounted / "store"],
            )
        )
        with about(f"a disk with little room: {words}"):
            said = Child(type_command, words).end()
            if said is None:
                raise Fault("it died")
            check_end(said, tuple(words))
            left = {path.name for path in mounted.iterdir()} - {"model", "store"}
            if said.code and left - {"out.html", "out.parquet"}:
                raise Fault(f"files were left: {left}")
            if said.code and (mounted / "model").exists():
                raise Fault("a part of a model was left")
    return "refused" if said.code else "answers"


CROWDS = {
    attack.__name__: attack
    for attack in (
        *(two_writers, writer_and_reader, two_runs, two_tables, full_disk, no_home),
        *(read_only, tiny_disk),
    )
}
NEEDS_DISK = ("read_only", "tiny_disk")


def can_mount() -> bool:
    """Tell whether this system lets us have a small disk of our own."""
    try:
        with tempfile.TemporaryDirectory() as place, disk(Path(place), "size=4k"):
            return True
    except OSError:
        return False


@contextlib.contextmanager
def disk(place: Path, options: str) -> Iterator[Path]:
    """Mount a small disk in memory; a read-only one holds a model."""
    mounted = place / "disk"
    mounted.mkdir()
    _system("mount", "-t", "tmpfs", "-o", options.replace("ro", "size=1m"), "none", str(mounted))
    try:
        if options == "ro":
            shutil.copytree(known("two arms").folder, mounted / "model")
            _system("mount", "-o", "remount,ro", str(mounted))
        yield mounted
    finally:
        _system("umount", "-l", str(mounted))


def _system(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ)
    if done.returncode:
        raise PermissionError(f"{' '.join(words)}: {done.stderr}")


def _refused(said: Said | None, words: list) -> None:
    if said is None:
        raise Fault("it died")
    check_end(said, tuple(words))
    if said.code != 2:
        raise Fault(f"it says that all went well: {said}")
