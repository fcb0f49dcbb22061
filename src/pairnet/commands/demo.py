"""`pairnet demo`: the main job on a made table: what to type, what comes, how near it is."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pairnet.bench.customers import Customers, customers
from pairnet.commands.saying import paragraphs
from pairnet.core.errors import BadInput
from pairnet.core.writing import whole
from pairnet.model.question import ask_memory
from pairnet.tables.files import read_table, write_table

ROWS, NEW = 3000, 500
FOLDER, PICTURE = Path("pairnet-demo"), Path("pairnet-demo.png")
ABOUT = "about.txt"  # tells that a demonstration made the folder
BEST = 100  # new customers who are chosen by their effects
TOLD = (
    f"A shop gave some of {ROWS:,} customers a discount. What did that change of what each of them "
    "spends, and what would it change for customers whom it has not seen? The table is made here, "
    "so that the true effects are known. No command sees them."
)
Run = Callable[[Sequence[str]], None]


def demo(
    methods: bool, out: Path | None, seed: int, of_methods: Mapping[str, Any], run: Run
) -> None:
    """Do the main job on a table of customers; or, for researchers, compare methods on a study.

    of_methods: the options of the comparison; None: not said. run: does what a command line says.
    """
    said = {name: value for name, value in of_methods.items() if value is not None}
    if methods:
        from pairnet.commands.demo_methods import compare_on_study

        compare_on_study(**{"study": "confounded", **said}, seed=seed, out=out or PICTURE)
        return
    if said:
        name = next(iter(said))
        raise BadInput(f"--{name}", "is for the comparison of methods", "Say --methods, too.")
    _main_job(out or FOLDER, seed, run)


def _main_job(folder: Path, seed: int, run: Run) -> None:
    """Write tables into a folder, run the commands, and hold the answers against the truth."""
    _make(folder)
    old, new = customers(ROWS, seed), customers(NEW, seed, first=ROWS + 1)
    table, later, model = (
        folder / name for name in ("customers.csv", "new_customers.csv", "model")
    )
    effects, page = folder / "effects.csv", folder / "report.html"
    write_table(old.table, table)
    write_table(new.table.drop("discount", "spend"), later)
    print(paragraphs(TOLD))
    columns = ["--treatment", "discount", "--outcome", "spend"]
    sides = ["--from", "no", "--to", "yes"]
    commands = (
        ["fit", str(table), *columns, "--preset", "fast", "-o", str(model)],
        ["effect", str(model), str(later), *sides, "-o", str(effects)],
        ["report", str(model), "-o", str(page)],
    )
    for words in commands:
        print(f"\n$ pairnet {shlex.join(words)}\n", flush=True)
        run(words)
    print("\nHow near is that to the truth?\n")
    print(paragraphs(*_held_against(old, new, read_table(effects), model)))
    print(
        f"\nTo open:\n  {page}: the report, in a browser\n  {effects}: the effect on each new "
        f"customer\n  {table}: the table\n\nWith a table of your own:\n  pairnet init TABLE"
    )


def _make(folder: Path) -> None:
    """Make the folder, or take it if an earlier demonstration made it; raise for any other."""
    about = folder / ABOUT
    if folder.exists() and not folder.is_dir():
        raise BadInput("--out", f"must be a folder, and {folder} is a file")
    if folder.exists() and any(folder.iterdir()) and not about.exists():
        problem = f"is {folder}, which holds files that are not of a demonstration"
        raise BadInput("--out", problem, "Name a folder that does not exist yet.")
    folder.mkdir(parents=True, exist_ok=True)
    with whole(about) as file:
        file.write(f"{TOLD}\n".encode())


def _held_against(
    old: Customers, new: Customers, said: pl.DataFrame, folder: Path
) -> Iterator[str]:
    """Yield sentences on how near averages and effects are to the true ones."""
    from pairnet.methods import load

    question = ask_memory(load(folder).model_, "no", "yes")
    low, high = question.average_interval()
    truth, spend = old.effect.mean(), old.table["spend"].to_numpy()
    had = (old.table["discount"] == "yes").to_numpy()
    holds = "holds it" if low <= truth <= high else "misses it"
    yield (
        f"Average effect in the table: {truth:.2f} in truth, {question.average.value:.2f} by the "
        f"model; its interval, {low:.2f} to {high:.2f}, {holds}."
    )
    yield (
        f"To compare those who had the discount with those who had none says "
        f"{spend[had].mean() - spend[~had].mean():.2f}: it went to customers who spend little "
        "anyway."
    )
    effect, lower, upper = (said[name].to_numpy() for name in ("effect", "lower", "upper"))
    error = np.sqrt(np.mean((effect - new.effect) ** 2))
    spread = new.effect.std()
    yield (
        f"Each new customer: effects are off by {error:.2f} (root mean square), where true effects "
        f"differ by {spread:.2f} from customer to customer (standard deviation). "
        f"{np.mean((lower <= new.effect) & (new.effect <= upper)):.0%} of the 95 % intervals hold "
        "the true effect.".replace("%", " %", 1)
    )
    best = np.argsort(-effect)[:BEST]
    yield (
        f"Whom to give it to: the {BEST} new customers with the largest effects by the model have "
        f"a true effect of {new.effect[best].mean():.2f} on average, all {NEW} one of "
        f"{new.effect.mean():.2f}."
    )
