"""Results as CSV files that people can read and share, one an experiment, and back.

A job that several experiments share stands in the file of the first of them. `restore` puts the
content of the files into a store, so that nobody trains again what has been published.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from pairnet.bench.experiment import Experiment
from pairnet.bench.job import Job
from pairnet.bench.results import read_or_none
from pairnet.bench.store import Record, Store
from pairnet.core.errors import BadInput
from pairnet.core.writing import whole

FIRST = ("key", "row", "column", "replication")
LAST = ("seconds", "together", "pairnet", "jax", "device", "when", "error")
HOW = ("together", "pairnet", "jax", "device", "when")


def export(experiments: Iterable[Experiment], store: Store, folder: Path) -> list[Path]:
    """Write the results in the store, one file an experiment.

    Each file is written whole, or stays as it was.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written, exported = [], set[str]()
    for experiment in experiments:
        lines = []
        for row in experiment.rows:
            for column in experiment.columns:
                for place, job in enumerate(experiment.jobs(row, column), start=1):
                    record = None if job.key in exported else read_or_none(store, job)
                    if record is not None:
                        exported.add(job.key)
                        lines.append(_line(job, row, column, place, record))
        if lines:
            path = folder / f"{experiment.name}.csv"
            _write(lines, path)
            written.append(path)
    return written


def restore(experiments: Iterable[Experiment], folder: Path, store: Store) -> int:
    """Put results from CSV files into a store that lacks them; return how many jobs.

    Lines of jobs that no experiment asks for any more, since a hyperparameter or the version of
    results has changed, are skipped.
    """
    jobs = {job.key: job for experiment in experiments for job in experiment.all_jobs()}
    count = 0
    for path in sorted(folder.glob("*.csv")):  # all of them, since experiments share jobs
        for line in _lines(path):
            job = jobs.get(line.get("key", ""))
            if job is not None and read_or_none(store, job) is None:
                store.write(job, _record(line, path))
                count += 1
    return count


def _lines(path: Path) -> Iterator[dict[str, str]]:
    """Yield the lines of a file of results."""
    try:
        with open(path, newline="", encoding="utf-8") as stream:
            yield from csv.DictReader(stream)
    except (csv.Error, UnicodeDecodeError) as wrong:
        raise _no_results(path, wrong) from None


def _line(job: Job, row: str, column: str, place: int, record: Record) -> dict[str, str]:
    error = (record.error or "").strip().splitlines()
    line = {"key": job.key, "row": row, "column": column, "replication": str(place)}
    line |= {name: f"{value:.6g}" for name, value in (record.metrics or {}).items()}
    how = {name: str(record.made.get(name, "")) for name in HOW}
    return line | {"seconds": f"{record.seconds:.3g}", **how, "error": error[-1] if error else ""}


def _record(line: dict[str, str], path: Path) -> Record:
    try:
        metrics = {
            name: float(text) for name, text in line.items() if name not in (*FIRST, *LAST) and text
        }
        made = {name: line[name] for name in HOW}
        error = line["error"] or None
        return Record(None if error else metrics, error, float(line["seconds"]), made)
    except (KeyError, ValueError, TypeError) as wrong:
        raise _no_results(path, wrong) from None


def _no_results(path: Path, wrong: Exception) -> BadInput:
    problem = f"{path} is not a file of results ({wrong})"
    return BadInput("", problem, "Leave it out, or get it anew.")


def _write(lines: list[dict[str, str]], path: Path) -> None:
    names = [name for line in lines for name in line if name not in (*FIRST, *LAST)]
    text = io.StringIO()
    table = csv.DictWriter(
        text, [*FIRST, *dict.fromkeys(names), *LAST], restval="", lineterminator="\n"
    )
    table.writeheader()
    table.writerows(lines)
    with whole(path) as stream:
        stream.write(text.getvalue().encode())
