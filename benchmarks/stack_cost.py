"""What a stack costs: from a CSV file to a report, a million rows, the size of the saved model.

    python benchmarks/stack_cost.py [--presets fast,balanced] [--rows 5000] [--many 1000000]
    python benchmarks/stack_cost.py --alike     # networks hardly trained, all learners speak

The file has 20 mixed columns: numbers with and without gaps, flags, categories and dates. Commands
are processes of their own, and nothing is compiled before the first one. On a machine that others
use as well, CPU seconds say more than seconds.

What answers cost hangs on which learners speak, and not on how long they were trained. So `--alike`
gives all learners of a preset the same weight, and trains networks for a moment only: no stack of
that preset and so many rows takes longer to answer.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

import numpy as np
import polars as pl


def table(rows: int, seed: int) -> pl.DataFrame:
    """Return a table of 20 mixed columns, a treatment and an outcome."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=(rows, 12))
    columns: dict[str, object] = {f"number{k}": numbers[:, k] for k in range(10)}
    for k in (10, 11):
        gaps = rng.random(rows) < 0.1
        columns[f"gaps{k}"] = pl.Series(np.where(gaps, np.nan, numbers[:, k])).fill_nan(None)
    for k in range(4):
        columns[f"flag{k}"] = rng.random(rows) < (k + 1) / 6
    levels = rng.integers(0, 5, (rows, 3))
    for k, name in enumerate(("region", "plan", "channel")):
        columns[name] = np.array(["north", "south", "east", "west", "far"])[levels[:, k]]
    columns["since"] = np.datetime64("2020-01-01") + rng.integers(0, 2000, rows)
    gain = 1 + np.sin(2 * numbers[:, 0]) + (levels[:, 0] == 1)
    treated = rng.random(rows) < 1 / (1 + np.exp(-numbers[:, 1]))
    columns["offer"] = np.where(treated, "yes", "no")
    noise = rng.normal(size=rows)
    columns["spend"] = numbers[:, 1] + numbers[:, 2] ** 2 + gain * treated + noise
    return pl.DataFrame(columns)


def told(what: str, does) -> None:
    """Print the seconds and CPU seconds of a function, those of its processes among them."""
    spent = lambda: sum(
        sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    begun, cpu = time.perf_counter(), spent()
    does()
    seconds, cpu = time.perf_counter() - begun, spent() - cpu
    print(f"{what}: {seconds:.1f} s, {cpu:.1f} CPU s", flush=True)


def commands(folder: Path, preset: str) -> None:
    """Time the commands from a CSV file to a report."""
    model, data = folder / f"model-{preset}", str(folder / "table.csv")
    pairnet = (sys.executable, "-m", "pairnet.cli")
    columns = ("--treatment", "offer", "--outcome", "spend")
    steps = {
        "fit": (data, *columns, "--preset", preset, "-o", str(model)),
        "effect": (str(model), data, "-o", str(folder / "effects.csv")),
        "report": (str(model), "-o", str(folder / "report.html")),
    }
    for name, words in steps.items():
        does = lambda name=name, words=words: subprocess.run(
            [*pairnet, name, *words], check=True, capture_output=True
        )
        told(f"{preset}, {name}", does)


def alike(folder: Path, preset: str) -> None:
    """Save a stack whose learners all speak alike, and whose networks are hardly trained."""
    import pairnet
    from pairnet.learners.networked import NetworkEstimator
    from pairnet.learners.weighing import Task
    from pairnet.methods.stack import for_arms
    from pairnet.training import Plan

    plan = Plan(longest=50, patience=50)
    learners = [
        dataclasses.replace(each, plan=plan) if isinstance(each, NetworkEstimator) else each
        for each in for_arms(preset)
    ]
    own = pl.read_csv(folder / "table.csv", try_parse_dates=True)
    same = lambda task, nu=0.0: np.full(task.answers.shape[1], 1 / task.answers.shape[1])
    with mock.patch.object(Task, "shares", same):
        stack = pairnet.Stack(learners=learners).fit(
            own.drop("offer", "spend"), own["spend"], treatment=own["offer"]
        )
    stack.save(folder / f"model-{preset}")


def many(folder: Path, preset: str, rows: int) -> None:
    """Time loading, and the effects of many rows, in Python and by the command."""
    import pairnet

    model, some = folder / f"model-{preset}", table(rows, 1)
    size = sum(file.stat().st_size for file in model.rglob("*") if file.is_file())
    print(f"{preset}, saved: {size / 2**20:.1f} MiB", flush=True)
    loaded: list = []
    told(f"{preset}, loading", lambda: loaded.append(pairnet.load(model)))
    told(f"{preset}, loading again", lambda: pairnet.load(model))
    own = some.drop("offer", "spend")
    told(f"{preset}, effect of {rows:,} rows", lambda: loaded[0].effect(own))
    print(loaded[0].weights_, flush=True)
    path = folder / "many.parquet"
    some.write_parquet(path)
    words = ("effect", str(model), str(path), "-o", str(folder / "many-effects.parquet"))
    told(
        f"{preset}, `pairnet effect` of a file of {rows:,} rows",
        lambda: subprocess.run(
            [sys.executable, "-m", "pairnet.cli", *words], check=True, capture_output=True
        ),
    )


def main() -> None:
    """Measure every preset, and print a line a figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--presets", default="fast,balanced")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--many", type=int, default=1_000_000)
    parser.add_argument("--alike", action="store_true")
    parser.add_argument("--folder", type=Path, help="kept; left out: a new one, removed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = args.folder or Path(made)
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["PAIRNET_CACHE"] = str(folder / "cache")
        table(args.rows, 0).write_csv(folder / "table.csv")
        for preset in args.presets.split(","):
            (alike if args.alike else commands)(folder, preset)
            many(folder, preset, args.many)


if __name__ == "__main__":
    main()
