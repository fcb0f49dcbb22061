"""Commands in processes of their own, which can be killed: at a moment, at a file, within a write.

Processes are forked from one that has imported everything and has begun nothing, so that one takes
a moment to start.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import resource
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

from attacks.oracle import Fault, Said

COMMANDS = [f"pairnet.commands.{name}" for name in ("fit", "effect", "report", "run", "wording")]
PRELOADED = [
    *("attacks.at_work", "attacks.oracle", *COMMANDS, "pairnet.model.stored", "pairnet.paper"),
    *(
        "pairnet.report.experiments",
        "pairnet.report.model",
        "safetensors.numpy",
        "polars",
        "pandas",
    ),
    *("sklearn.linear_model", "sklearn.neighbors", "rich.progress", "pairnet.bench.runner"),
    *("typer._adapters", "pydantic"),  # those that are there
]
FILE_EVENTS = {
    *("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.link", "os.truncate"),
    *("tempfile.mkstemp", "tempfile.mkdtemp", "shutil.rmtree", "os.listdir", "os.scandir"),
}
PATIENCE = 120  # seconds until a command counts as hanging, where nobody else needs the machine


def patience(seconds: float) -> float:
    """Return how long to wait on this machine: more where more processes want its cores."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


@dataclass(frozen=True)
class Death:
    """How a process is killed.

    after: so many seconds after its start. at: before its n-th operation on files. within: as soon
    as a file has so many bytes; with `full`, it is not killed but told that the disk is full.
    """

    after: float | None = None
    at: int | None = None
    within: int | None = None
    full: bool = False

    @classmethod
    def drawn(cls, rng: Random, seconds: float) -> Death:
        """Return a death by chance; `seconds` is how long the command takes if it lives."""
        way = rng.choice(("after", "at", "at", "within"))
        if way == "after":
            return cls(after=max(0.001, rng.random() * seconds))
        if way == "at":
            return cls(at=rng.randint(1, 25))
        return cls(within=rng.choice((0, 1, 100, 1000, 5000, 20_000, rng.randint(1, 100_000))))


@dataclass(frozen=True)
class Life:
    """How a process lives: its death, and the variables of its environment (None: not set)."""

    death: Death = field(default_factory=Death)
    environment: dict[str, str | None] = field(default_factory=dict)


class Child:
    """A process that does `work(*given)`, and tells how it ended unless it is killed."""

    def __init__(self, work: Any, given: Sequence[Any], life: Life = Life()):
        self.hears, tells = multiprocessing.Pipe(duplex=False)
        arguments = (work, tuple(given), tells, life)
        self.process = _context().Process(target=_live, args=arguments, daemon=True)
        self.process.start()
        tells.close()

    def end(self) -> Said | None:
        """Wait for the end; None if the process was killed."""
        waited = patience(PATIENCE)
        if not self.hears.poll(waited):
            self.process.kill()
            raise Fault(f"no end after {waited:.0f} s")
        said = None
        with contextlib.suppress(EOFError):
            said = Said(*self.hears.recv())
        self.process.join()
        return said


@lru_cache
def _context() -> Any:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # processes side by side need no threads
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def _live(work: Any, given: tuple[Any, ...], tells: Any, life: Life) -> None:
    """Be the process: set up its surroundings and its death, work, and tell how it ended."""
    for name, value in life.environment.items():
        os.environ.pop(name, None)
        os.environ |= {} if value is None else {name: value}
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            with _dying(life.death):
                work(*given)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except BaseException:
            code = 1
            err.write(traceback.format_exc())
    tells.send((code, out.getvalue(), err.getvalue()))


@contextlib.contextmanager
def _dying(death: Death) -> Iterator[None]:
    if death.within is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN if death.full else signal.SIG_DFL)
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (death.within, hard))
    if death.at is not None:
        _die_at_file(death.at)
    if death.after is not None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, death.after)
    yield
    if death.after is not None:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _die_at_file(left: int) -> None:
    def hook(event: str, args: tuple[Any, ...]) -> None:
        nonlocal left
        writes = (
            event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR)
        )
        if event in FILE_EVENTS or writes:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
