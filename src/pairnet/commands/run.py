"""`pairnet run`: does the missing jobs of experiments under one bar, and prints their tables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pairnet.core.errors import BadInput, listed

PLATFORMS = {"cpu": "cpu", "gpu": "cuda"}


def run(
    names: Sequence[str],
    *,
    replications: int | None,
    methods: str | None,
    store: Path,
    device: str,
    jobs: int | None,
    retry: bool,
    engine: str | None = None,
    needs: Mapping[str, Any] | None = None,
    minutes: float | None = None,
    known: Path | None = None,
) -> None:
    """Run experiments, and print their tables as far as there are results.

    needs: what an engine is told besides, as `commands.engines.engine_of` has it.
    """
    use(device)
    from rich.console import Console

    from pairnet.bench.results import gather
    from pairnet.bench.runner import missing
    from pairnet.bench.store import Store
    from pairnet.commands.engines import engine_of
    from pairnet.report.experiments import in_brief
    from pairnet.report.render import terminal

    if store.exists() and not store.is_dir():
        raise ValueError(f"--store must be a folder, got the file {store}.")
    workers = engine_of(engine, jobs, **needs or {})
    rows = chosen_cells(names, methods)
    console, folder = Console(), Store(store)
    if known is not None:
        _take_known([experiment for experiment, _ in rows], known, folder, console)
    wanted = [
        job
        for experiment, labels in rows
        for job in experiment.all_jobs(replications, labels.__contains__)
    ]
    todo, before, _ = missing(wanted, folder, retry=retry)
    possible, why, advice = _possible(todo)
    if why and not possible and not before:
        raise BadInput("", f"None of the {len(todo)} jobs can be done: {why}", advice)
    if why:
        some = f"{len(todo) - len(possible)} jobs cannot be done: {why}. {advice}"
        console.print(some, style="yellow", soft_wrap=True, markup=False)
    console.print(_begin(len(possible), before, store), highlight=False, soft_wrap=True)
    options = {"engine": workers, "retry": retry, "seconds": minutes and 60 * minutes}
    summary = _work(possible, folder, len(possible), console, options)
    for experiment, labels in rows:
        results = gather(experiment, folder, replications=replications)
        if any(cell.done for cell in results.cells.values()):
            console.print(*map(terminal.block, in_brief(results, labels)), sep="\n")
        else:
            console.print(f"{experiment.title}: there are no results yet.")
    _print_summary(summary, console)


def _possible(jobs: list) -> tuple[list, str, str]:
    """Return the jobs that can be done here, and why others cannot and what to do, if there are."""
    from pairnet.studies import studies
    from pairnet.studies.download import how_to_get

    names = dict.fromkeys(job.draws.study for job in jobs)
    data = {name: how_to_get(name) for name in names if not studies[name].about.is_here()}
    packages = list(dict.fromkeys(job.measure.lacking for job in jobs if job.measure.lacking))
    why, advice = [], list(data.values())
    if data:
        why.append("their data are not on this machine")
    if packages:
        why.append(f"{listed(packages)} {'are' if packages[1:] else 'is'} not installed")
        advice.append("Install the extra: pip install 'pairnet[peers]'.")
    possible = [job for job in jobs if job.draws.study not in data and not job.measure.lacking]
    return possible, listed(why) if why else "", " ".join(advice)


def _begin(todo: int, before: int, store: Path) -> str:
    """Print how much there is to do, and where results are kept."""
    jobs = (
        f"{todo} of {todo + before} jobs to do" if todo else f"All {before} jobs are done already"
    )
    return f"{jobs}; results are kept in {store}{os.sep}"


def _take_known(experiments: list, known: Path, folder, console) -> None:
    """Copy the results in CSV files into the store."""
    from pairnet.bench.export import restore

    if not known.is_dir():
        raise ValueError(
            f"--known must be a folder of CSV files that `pairnet report --csv` wrote, got {known}."
        )
    count = restore(experiments, known, folder)
    console.print(f"{count} results were taken from {known}{os.sep}", highlight=False)


def _work(jobs: list, folder, total: int, console, options: dict):
    """Do the jobs under a bar.

    Ctrl-C, or the death of a worker, ends the command with a sentence.
    """
    from pairnet.bench.runner import Interrupted
    from pairnet.bench.runner import run as work
    from pairnet.commands.saying import Ended
    from pairnet.engines import WorkerDied

    try:
        with _bar(total) as tell:
            return work(jobs, folder, tell=tell, **options)
    except Interrupted:
        console.print(
            "Interrupted. What is finished is kept: the same command goes on where it stopped."
        )
        raise Ended(130) from None
    except WorkerDied as error:
        console.print(str(error), style="bold red", soft_wrap=True)
        raise Ended(1) from None


def _print_summary(summary, console) -> None:
    """Print what was damaged, what is left, and what could not be run or failed."""
    for text in summary.corrupt:
        console.print(f"A damaged result was done again: {text}", style="yellow", soft_wrap=True)
    if summary.left:
        why = "time was up, or another process does them; the same command goes on"
        console.print(f"{summary.left} jobs are left: {why}.", style="yellow")
    for why in summary.missing_data:
        console.print(f"Not run: {why}", style="yellow", soft_wrap=True)
    if summary.failed:
        console.print(
            f"{summary.failed} jobs failed; their tracebacks are in the store, and `pairnet "
            "report` counts them. --retry does them again.",
            style="bold red",
        )


def chosen_cells(names: Sequence[str], methods: str | None) -> list[tuple]:
    """Return the experiments of these names, each with the labels of the rows that are meant."""
    rows = [(experiment, chosen_rows(experiment, methods)) for experiment in choose(names)]
    if methods is not None and not any(labels for _, labels in rows):
        there = sorted({label for experiment, _ in rows for label in experiment.rows})
        raise ValueError(
            f"--methods {methods!r} names no row of {', '.join(names)}. Rows: {'; '.join(there)}."
        )
    return rows


def choose(names: Sequence[str]) -> list:
    """Return the experiments of these names; `all` means all of them."""
    from pairnet.paper import experiments

    if "all" in names:
        return list(experiments.values())
    return [experiments[name] for name in names]


def chosen_rows(experiment, methods: str | None) -> list[str]:
    """Return the rows that the names mean.

    A name is a whole label, or the part of a label before a comma or bracket.
    """
    if methods is None:
        return list(experiment.rows)
    wanted = {word.strip().lower() for word in methods.split(",")}
    plain = lambda row: re.split(r"[,(:]", row.lower())[0].strip()
    whole = [row for row in experiment.rows if row.lower() in wanted]
    named = {row.lower() for row in whole}
    return [row for row in experiment.rows if row in whole or (plain(row) in wanted - named)]


def use(device: str) -> None:
    """Set the device before JAX is imported, or raise if the machine does not have it."""
    if device not in ("auto", *PLATFORMS):
        raise ValueError(f"--device must be cpu, gpu or auto, got {device!r}.")
    if device == "auto":
        return
    os.environ["JAX_PLATFORMS"] = PLATFORMS[device]
    import jax

    try:
        jax.devices()
    except (RuntimeError, AssertionError):  # the type depends on JAX's version
        raise ValueError(
            f"--device {device}: JAX finds none. Install its GPU build, pip install "
            "'pairnet[gpu]', or leave it out."
        ) from None


def _bar(total: int):
    """Return a context that shows one bar on standard error; its value moves the bar on."""
    from contextlib import contextmanager

    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Column

    @contextmanager
    def shown():
        if not total:
            yield lambda count, what: None
            return
        # The name of the current task is cut before the numbers are.
        rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)
        left = (
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.description}", table_column=rest),
        )
        columns = (BarColumn(bar_width=12), MofNCompleteColumn(), TimeElapsedColumn(), *left)
        with Progress(*columns, console=Console(stderr=True), expand=True) as progress:
            task = progress.add_task("starting; the first fits compile", total=total)
            yield lambda count, what: progress.update(task, advance=count, description=what or None)

    return shown()
