"""Tables of experiments for people: on the terminal, in Markdown, and on a page; ours beside the
paper's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rich.table import Table

from pairnet.bench.experiment import Experiment
from pairnet.bench.results import Results
from pairnet.paper.printed import Printed, printed

SURE = 0.05
NAMES = {
    "pehe_out": "PEHE, test rows",
    "pehe_in": "PEHE, training rows",
    "pehe_by_row_out": "PEHE by row, test rows",
    "pehe_by_row_in": "PEHE by row, training rows",
    "mise_out": "integrated squared error, test rows",
    "policy_error_out": "dosage policy error, test rows",
    "correlation": "correlation with the true error",
    "regret": "regret of the chosen model",
    "models": "models ranked",
    "mmd": "MMD",
    "bound": "the bound",
    "risk": "risk of effects",
    "loss": "the loss in the bound",
    "distance": "the distance in the bound",
}
LARGER = ("correlation",)  # metrics of which large values are good
NEUTRAL = ("models",)  # metrics of which no value is good


@dataclass(frozen=True)
class Entry:
    """What a cell of a printed table says: our mean and median, of how many, the tests, and the
    paper's number."""

    mean: float
    median: float
    done: int
    asked: int
    failed: int
    p_value: float | None  # paired: the reference is better
    p_paper: float | None  # unpaired, as the paper's code tests
    paper: Printed | None
    best: bool  # of its column
    tied: bool  # not more than chance worse than the best


def entries(
    results: Results, metric: str, rows: Sequence[str] | None = None
) -> dict[tuple[str, str], Entry]:
    """Return the cells of a table of one metric."""
    experiment = results.experiment
    shown = list(experiment.rows if rows is None else rows)
    found = {}
    for column in experiment.columns:
        means = {row: results.mean(row, column, metric) for row in shown}
        known = {row: mean for row, mean in means.items() if mean is not None}
        sign = -1 if metric in LARGER else 1
        best = (
            min(known, key=lambda row: sign * known[row])
            if known and metric not in NEUTRAL
            else None
        )
        for row, mean in known.items():
            cell = results.cells[row, column]
            values = results.known(row, column, metric)
            rival = None if metric in NEUTRAL else experiment.rival_of(row)
            tested = results.test(rival, row, column, metric) if rival else None
            against = results.test(best, row, column, metric) if best and best != row else None
            p_best = None if against is None else _directed(against.p_value, metric)
            p_paper = results.papers_test(rival, row, column, metric) if rival else None
            found[row, column] = Entry(
                mean=mean,
                median=float(np.median(values)),
                done=len(values),
                asked=cell.asked,
                failed=cell.failed,
                p_value=None if tested is None else _directed(tested.p_value, metric),
                p_paper=None if p_paper is None else _directed(p_paper, metric),
                paper=printed(experiment.name, row, column, metric),
                best=row == best,
                tied=row == best or (p_best is not None and p_best >= SURE),
            )
    return found


def _directed(p: float, metric: str) -> float:
    return 1 - p if metric in LARGER else p


def figure_of(value: float) -> str:
    """Return a number with the three digits that a reader compares."""
    return format(value, "#.3g").rstrip(".") if 1e-3 <= abs(value) < 1e4 else f"{value:.3g}"


def p_text(p: float | None) -> str:
    """Return a p-value as people write it."""
    if p is None:
        return ""
    return (
        "< 0.001"
        if p < 0.001
        else "> 0.999"
        if p > 0.999
        else f"{p:.3f}"
        if p < 0.1
        else f"{p:.2f}"
    )


def terminal_table(results: Results, rows: Sequence[str] | None = None) -> Table:
    """Return the first metric of an experiment for the terminal: our mean, the paper's in brackets,
    p below."""
    experiment = results.experiment
    metric = experiment.metrics[0]
    cells = entries(results, metric, rows)
    columns = [c for c in experiment.columns if any((row, c) in cells for row in experiment.rows)]
    wide = len(columns) > 6
    table = Table(
        title=f"{experiment.title}: {NAMES.get(metric, metric)}",
        title_justify="left",
        caption_justify="left",
    )
    if wide:  # one line a cell
        for name in ("column", "row"):
            table.add_column(name, overflow="fold")
        for name in ("mean", "median", "p", "paper", "runs"):
            table.add_column(name, justify="right", no_wrap=True)
        for column in columns:
            for row in experiment.rows:
                if (row, column) in cells:
                    e = cells[row, column]
                    paper = "" if e.paper is None else f"{e.paper.value:g}"
                    marked = f"[bold]{figure_of(e.mean)}[/bold]" if e.best else figure_of(e.mean)
                    table.add_row(
                        column,
                        row,
                        marked,
                        figure_of(e.median),
                        p_text(e.p_value),
                        paper,
                        runs_text(e),
                    )
    else:
        table.add_column("", overflow="fold")
        for column in columns:
            table.add_column(column, justify="right")
        for row in experiment.rows if rows is None else rows:
            if any((row, column) in cells for column in columns):
                table.add_row(row, *(_brief(cells.get((row, column))) for column in columns))
    table.caption = caption(results, metric)
    return table


def _brief(e: Entry | None) -> str:
    if e is None:
        return ""
    mean = f"[bold]{figure_of(e.mean)}[/bold]" if e.best else figure_of(e.mean)
    paper = "" if e.paper is None else f" ({e.paper.value:g})"
    p = "" if e.p_value is None else f"\np {p_text(e.p_value)}"
    return f"{mean}{paper}{p}" + ("" if e.done == e.asked else f"\n{runs_text(e)}")


def runs_text(e: Entry) -> str:
    """Say how many runs a mean is over, and how many it should be."""
    failed = f", {e.failed} failed" if e.failed else ""
    return f"{e.done}{failed}" if e.done == e.asked else f"{e.done} of {e.asked}{failed}"


def caption(results: Results, metric: str) -> str:
    """Say what the numbers of a table are."""
    counts = sorted({cell.asked for cell in results.cells.values()})
    runs = (
        f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}" if counts else "no"
    )
    said = f"Means over {runs} replications; the paper's in brackets where it has one. "
    return said + what_p_is(results.experiment, metric)


def what_p_is(experiment: Experiment, metric: str) -> str:
    """Say what is tested."""
    if experiment.reference is None or metric in NEUTRAL:
        return ""
    size = "larger" if metric in LARGER else "smaller"
    of = (
        experiment.reference
        if isinstance(experiment.reference, str)
        else "the row that it is compared with"
    )
    return (
        f"p: one-sided paired t-test that {of} has the {size} value; near 0, it has, near 1, "
        "this row has."
    )


def verdicts(results: Results) -> list[tuple[str, str, str]]:
    """Return what is claimed, whether it held, and the sentence with the counts."""
    judged: list[tuple[str, str, str]] = [
        (claim.text, *claim.judge(results)) for claim in results.experiment.claims
    ]
    if all(cell.done == cell.asked for cell in results.cells.values()):
        return judged
    return [
        (text, held if held == "not run" else f"{held}, so far", said)
        for text, held, said in judged
    ]
