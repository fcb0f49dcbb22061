"""`pairnet run`: trains what is missing of experiments, with one bar and the time left, and shows
the tables."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

PLATFORMS = {"cpu": "cpu", "gpu": "cuda"}


def run(
    names: Sequence[str],
    *,
    replications: int | None,
    methods: str | None,
    store: Path,
    device: str,
    processes: int,
    retry: bool,
    minutes: float | None = None,
    known: Path | None = None,
) -> None:
    """Run experiments, and print their tables as far as they are."""
    use(device)
    from rich.console import Console

    from pairnet.bench.export import restore
    from pairnet.bench.results import gather
    from pairnet.bench.runner import Interrupted, missing
    from pairnet.bench.runner import run as work
    from pairnet.bench.store import Store
    from pairnet.commands.saying import Ended
    from pairnet.report.experiments import in_brief
    from pairnet.report.render import terminal

    if store.exists() and not store.is_dir():
        raise ValueError(f"--store must be a folder, got the file {store}.")
    console = Console()
    chosen = choose(names)
    rows = {each.name: chosen_rows(each, methods) for each in chosen}
    if methods is not None and not any(rows.values()):
        there = sorted({row for each in chosen for row in each.rows})
        raise ValueError(
            f"--methods {methods!r} names no row of {', '.join(names)}. Rows: {'; '.join(there)}."
        )
    folder = Store(store)
    if known is not None:
        if not known.is_dir():
            raise ValueError(
                "--known must be a folder of CSV files that `pairnet report --csv` wrote, got "
                f"{known}."
            )
        console.print(
            f"{restore(chosen, known, folder)} results were taken from {known}{os.sep}",
            highlight=False,
        )
    jobs = [
        job
        for each in chosen
        for job in each.all_jobs(replications, lambda row, own=rows[each.name]: row in own)
    ]
    todo, before, _ = missing(jobs, folder, retry=retry)
    said = (
        f"{len(todo)} of {len(todo) + before} jobs to do"
        if todo
        else f"All {before} jobs are done already"
    )
    console.print(f"{said}; results are kept in {store}{os.sep}", highlight=False, soft_wrap=True)
    try:
        with _bar(len(todo)) as tell:
            outcome = work(
                jobs,
                folder,
                processes=processes,
                retry=retry,
                seconds=minutes and 60 * minutes,
                tell=tell,
            )
    except Interrupted:
        console.print(
            "Interrupted. What is finished is kept: the same command goes on where it stopped."
        )
        raise Ended(130) from None
    for each in chosen:
        results = gather(each, folder, replications=replications)
        console.print(*map(terminal.block, in_brief(results, rows[each.name])), sep="\n")
    for text in outcome.corrupt:
        console.print(f"A damaged result was done again: {text}", style="yellow", soft_wrap=True)
    if outcome.left:
        why = "time was up, or another process does them; the same command goes on"
        console.print(f"{outcome.left} jobs are left: {why}.", style="yellow")
    for why in outcome.missing_data:
        console.print(f"Not run: {why}", style="yellow", soft_wrap=True)
    if outcome.failed:
        console.print(
            f"{outcome.failed} jobs failed; their tracebacks are in the store, and `pairnet "
            "report` counts them. "
            "--retry does them again.",
            style="bold red",
        )


def choose(names: Sequence[str]) -> list:
    """Return the experiments of these names; `all` is all of them."""
    from pairnet.paper import experiments

    if "all" in names:
        return list(experiments.values())
    return [experiments[name] for name in names]


def chosen_rows(experiment, methods: str | None) -> list[str]:
    """Return the rows that the names mean: a whole label, or what stands before a comma or bracket
    in it."""
    if methods is None:
        return list(experiment.rows)
    wanted = {word.strip().lower() for word in methods.split(",")}
    plain = lambda row: re.split(r"[,(:]", row.lower())[0].strip()
    whole = [row for row in experiment.rows if row.lower() in wanted]
    named = {row.lower() for row in whole}
    return [row for row in experiment.rows if row in whole or (plain(row) in wanted - named)]


def use(device: str) -> None:
    """Set the device before JAX is imported, or say that it is not there."""
    if device not in ("auto", *PLATFORMS):
        raise ValueError(f"--device must be cpu, gpu or auto, got {device!r}.")
    if device == "auto":
        return
    os.environ["JAX_PLATFORMS"] = PLATFORMS[device]
    import jax

    try:
        jax.devices()
    except (RuntimeError, AssertionError):  # which one depends on JAX's version
        raise ValueError(
            f"--device {device}: JAX finds none. Install its GPU build, pip install "
            "'pairnet[gpu]', or leave it out."
        ) from None


def _bar(total: int):
    """Return a context that shows one bar for all jobs, on standard error, and gives what advances
    it."""
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
        rest = Column(
            no_wrap=True, overflow="ellipsis", ratio=1
        )  # what is being done gives way to the numbers
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
