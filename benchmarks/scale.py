"""Scoring large tables: rows a second, CPU seconds and peak memory, as one table.

    python benchmarks/scale.py [--rows 1000000] [--columns 20] [--jobs 2] [--evidence]

Each command is a process of its own, so that its memory and CPU time are its own. Times are also
ratios to a plain read of the same file by polars in the same run: machines differ, and shared ones
change by the minute. CPU seconds of a command include its start, which is measured on one block
and taken off for the rate. Networks have their default sizes; they are trained briefly, since what
they have learned does not change how long they take.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

READ = "import sys, polars; polars.read_parquet(sys.argv[1])"
EMPTY = "import polars"
FIT_ROWS = 2000
ONE_BLOCK = 1000  # rows of the table on which the start of a command is measured


class Run(NamedTuple):
    """What a process took: seconds, CPU seconds, and MiB at its peak (of its largest process)."""

    wall: float
    cpu: float
    peak: float


def run(*words: object) -> Run:
    """Run a process of Python, and measure it with all processes that it started."""
    command = [sys.executable, *map(str, words)]
    begun = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{command} failed: {child.stderr and child.stderr.read().decode()}")
    wall = time.perf_counter() - begun
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def make_table(path: Path, rows: int, columns: int) -> None:
    """Write a table of random numbers, in row groups, without having it in memory as a whole."""
    import numpy as np
    import polars as pl

    rng, step = np.random.default_rng(0), 250_000
    parts = path.parent / f".{path.name}"
    parts.mkdir(parents=True)
    for at, start in enumerate(range(0, rows, step)):
        x = rng.normal(size=(min(step, rows - start), columns))
        frame = pl.DataFrame({f"x{k}": x[:, k] for k in range(columns)})
        frame.write_parquet(parts / f"{at:05d}.parquet")
    pl.scan_parquet(parts / "*.parquet").sink_parquet(path)
    shutil.rmtree(parts)


def make_model(folder: Path, columns: int, members: int) -> None:
    """Save a PairNet with networks of the default sizes."""
    import numpy as np
    import polars as pl

    from pairnet import PairNet, Plan

    rng = np.random.default_rng(1)
    x = rng.normal(size=(FIT_ROWS, columns))
    t = (rng.random(FIT_ROWS) < 0.5).astype(int)
    y = x[:, 0] + t * (1 + x[:, 1]) + rng.normal(size=FIT_ROWS)
    plan = Plan(longest=100, patience=100, warm_up=20)
    method = PairNet(members=members, bootstrap=members > 1, plan=plan)
    frame = pl.DataFrame({f"x{k}": x[:, k] for k in range(columns)})
    method.fit(frame, y, treatment=t).save(folder)


def product_rate() -> float:
    """Return GFLOP a CPU second of a float32 product of 2048 x 200 by 200 x 200 in JAX."""
    import jax
    import numpy as np

    a, b = np.ones((2048, 200), np.float32), np.ones((200, 200), np.float32)
    product = jax.jit(lambda a, b: a @ b)
    a, b = jax.device_put(a), jax.device_put(b)
    best = 0.0
    for _ in range(10):
        begun = time.process_time()
        for _ in range(20):
            jax.block_until_ready(product(a, b))
        best = max(best, 20 * 2 * a.size * 200 / (time.process_time() - begun) / 1e9)
    return best


def flops_of_row(columns: int, members: int) -> float:
    """Count the operations of one row's effect: phi once, and both heads."""
    phi = columns * 200 + 2 * 200 * 200
    head = 200 * 100 + 100 * 100 + 100
    return 2.0 * members * (phi + 2 * head)


def one_row(model: Path, columns: int) -> tuple[float, float]:
    """Return milliseconds, and CPU milliseconds, of one row's effect by a loaded model: the best
    of ten medians."""
    import numpy as np
    import polars as pl

    import pairnet

    method = pairnet.load(model)
    row = pl.DataFrame({f"x{k}": np.zeros(1) for k in range(columns)})
    method.effect(row)
    walls, cpus = [], []
    for _ in range(10):
        times = []
        begun_cpu = time.process_time()
        for _ in range(50):
            begun = time.perf_counter()
            method.effect(row)
            times.append(time.perf_counter() - begun)
        cpus.append((time.process_time() - begun_cpu) / 50)
        walls.append(statistics.median(times))
    return 1e3 * min(walls), 1e3 * min(cpus)


def effects(model: Path, table: Path, out: Path, *more: object) -> Run:
    """Score a table by the command line."""
    return run("-m", "pairnet.cli", "effect", model, table, "-o", f"{out}/", *more)


def many(members: int) -> str:
    """Write a number of members."""
    return f"{members} member{'s' * (members > 1)}"


def main() -> None:
    """Measure everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=2, help="workers of the run with several")
    parser.add_argument("--evidence", action="store_true", help="measure it, too: minutes")
    options = parser.parse_args()
    from rich.console import Console
    from rich.table import Table

    rows, columns = options.rows, options.columns
    title = f"{rows:,} rows x {columns} columns, Parquet to Parquet, {os.cpu_count()} cores"
    heads = ("what", "s", "CPU s", "of a read", "rows / CPU s", "peak MiB")
    shown = Table(*heads, title=title, title_justify="left")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        big, small = place / "big.parquet", place / "small.parquet"
        make_table(big, rows, columns)
        make_table(small, ONE_BLOCK, columns)
        read, empty = run("-c", READ, big), run("-c", EMPTY)
        plain = read.cpu - empty.cpu

        def add(what: str, done: Run, start: float) -> None:
            own = done.cpu - start
            rate = f"{rows / own:,.0f}" if own > 0 else "-"
            ratio = f"{own / plain:.1f}"
            figures = (f"{done.wall:.1f}", f"{done.cpu:.1f}", ratio, rate, f"{done.peak:.0f}")
            shown.add_row(what, *figures)

        add("plain read by polars", read, empty.cpu)
        ways = [(m, ("--no-evidence",)) for m in (1, 5)] + [(5, ())] * options.evidence
        for members, more in ways:
            model = place / f"model{members}"
            if not model.exists():
                make_model(model, columns, members)
            what = (
                f"PairNet, {members} member{'s' * (members > 1)}{''.join(f', {m}' for m in more)}"
            )
            start = effects(model, small, place / f"start{members}{len(more)}", *more).cpu
            add(what, effects(model, big, place / f"out{members}{len(more)}", *more), start)
        jobs = ("--no-evidence", "--jobs", options.jobs)
        several = place / "several"  # a file for each worker, so that all of them start
        for worker in range(options.jobs):
            make_table(several / f"{worker}.parquet", ONE_BLOCK, columns)
        start = effects(place / "model1", several, place / "start_jobs", *jobs).cpu
        done = effects(place / "model1", big, place / "out_jobs", *jobs)
        add(f"PairNet, 1 member, --no-evidence, {options.jobs} workers", done, start)
        for members in (1, 5):
            wall, cpu = one_row(place / f"model{members}", columns)
            what = f"one row's effect, loaded, {many(members)}"
            shown.add_row(what, f"{wall:.2f} ms", f"{cpu:.2f} ms", "", "", "")
        rate = product_rate()
        for members in (1, 5):
            most = rate * 1e9 / flops_of_row(columns, members)
            what = f"bound: products at {rate:.0f} GFLOP/s, {many(members)}"
            shown.add_row(what, "", "", "", f"{most:,.0f}", "")
    Console(width=120).print(shown)


if __name__ == "__main__":
    main()
