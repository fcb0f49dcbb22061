"""Results on disk: one small file a job, written whole, and checked when it is read.

A job's name is made from everything that decides its numbers. So a result is found by every
experiment that asks for it, and a changed hyperparameter is another job. Several processes may use
one store: work is claimed before it is done, and writing the same job twice does no harm.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pairnet.bench.job import Job
from pairnet.core import writing
from pairnet.core.locks import Busy, locked
from pairnet.core.types import is_finite, is_number

FORMAT = 1
MADE = ("pairnet", "jax", "device")  # what every record says of how it was made


@dataclass(frozen=True)
class Record:
    """The result of a job: its metrics, or the traceback of its failure; and how it was made."""

    metrics: dict[str, float] | None
    error: str | None
    seconds: float  # its share of the fit that it was part of
    made: dict[str, Any]  # versions, device, when


class Corrupt(ValueError):
    """The error for a damaged file, which does not hold what was written."""


class Store:
    """A folder of results."""

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = Path(folder)

    def path(self, job: Job) -> Path:
        """Return where the job's result is, or would be."""
        key = job.key
        return self.folder / key[:2] / f"{key}.json"

    def read(self, job: Job) -> Record | None:
        """Return the job's result, or None; raise `Corrupt` for a damaged file."""
        path = self.path(job)
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise Corrupt(f"{path}: {error}") from error
        try:
            written = json.loads(text)
            content = written["content"]
            whole = written["format"] == FORMAT and written["sha256"] == _checksum(content)
            if not whole or content["job"] != job.describe():
                raise ValueError("it is not what was written")
            return _record(content["record"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise Corrupt(f"{path}: {error}") from error

    def write(self, job: Job, record: Record) -> None:
        """Keep a result: the file is there whole, or not at all."""
        content = {"job": job.describe(), "record": vars(record)}
        written = {"format": FORMAT, "sha256": _checksum(content), "content": content}
        path = self.path(job)
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing.whole(path) as stream:
            stream.write(json.dumps(written).encode())

    def forget(self, job: Job) -> None:
        """Remove a result, if there is one."""
        self.path(job).unlink(missing_ok=True)

    @contextmanager
    def claim(self, name: str) -> Iterator[bool]:
        """Take a piece of work, unless another process has it; says whether it was taken.

        Whoever takes it looks then whether it is still to be done. The system lets the claim go
        when the process ends, however it ends.
        """
        folder = self.folder / "claims"
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            try:
                stack.enter_context(locked(folder / name))
                taken = True  # on a disk without locks the work may be done twice
            except Busy:
                taken = False
            yield taken


def _record(written: dict[str, Any]) -> Record:
    """Return a record that was read; raise if it is none."""
    record = Record(**written)
    metrics, made = record.metrics, record.made
    good = (
        (metrics is None or (isinstance(metrics, dict) and all(map(is_number, metrics.values()))))
        and (record.error is None or isinstance(record.error, str))
        and (metrics is None) != (record.error is None)
        and is_finite(record.seconds)
        and isinstance(made, dict)
        and all(isinstance(made.get(name), str) for name in MADE)
    )
    if not good:
        raise ValueError("it holds no result")
    return record


def _checksum(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
