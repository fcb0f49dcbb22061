"""Experiments as one page of HTML: what was asked, whether it held, tables and figures, ours beside
the paper's."""

from __future__ import annotations

from collections.abc import Sequence

from pairnet.bench.results import Results
from pairnet.report.experiments import (
    NAMES,
    Entry,
    entries,
    figure_of,
    p_text,
    runs_text,
    verdicts,
    what_p_is,
)
from pairnet.report.experiments_figures import figures
from pairnet.report.page import Block, Page, bullets, code, details, figure, paragraph, table

HEADER = ("", "mean", "median", "paper", "p", "paper's test", "paper's p", "runs")


def experiments_page(all_results: Sequence[Results]) -> Page:
    """Return the page of all experiments that have results."""
    begun = [
        results for results in all_results if any(cell.done for cell in results.cells.values())
    ]
    judged = [
        (results.experiment.name, *verdict) for results in begun for verdict in verdicts(results)
    ]
    words = [held.removesuffix(", so far") for _, _, held, _ in judged]
    counts = {word: words.count(word) for word in ("held", "held in part", "did not hold")}
    lead = (
        f"Of {len(judged)} claims {counts['held']} held, {counts['held in part']} held in part and "
    )
    lead += (
        f"{counts['did not hold']} did not, in {len(begun)} of {len(all_results)} experiments "
        "that have results."
    )
    page = Page("PairNet's experiments, run anew", lead)
    said = (
        "PEHE is the root mean square error of each row's effect: smaller is better. ● marks "
        "the best mean of a "
    )
    said += "column, ○ one that a paired test cannot tell from it."
    brief = [(name, text, held) for name, text, held, _ in judged]
    summary = table(
        ("experiment", "claim", "did it hold?"),
        brief,
        "Every claim, and what the results say of it",
    )
    page.section("In short", said, summary)
    for results in begun:
        page.section(results.experiment.title, *_blocks(results))
    left = [results.experiment.name for results in all_results if results not in begun]
    if left:
        page.section(
            "Not run yet",
            "The store has no results of these; each is one command.",
            code(_commands(left)),
        )
    return page


def _commands(names: Sequence[str]) -> str:
    return "\n".join(f"pairnet run {name}" for name in names)


def _blocks(results: Results) -> list[Block | str]:
    experiment = results.experiment
    blocks: list[Block | str] = [experiment.asks]
    blocks.append(
        bullets(f"{text} {held.capitalize()}. {said}" for text, held, said in verdicts(results))
    )
    blocks += [figure(chart, text) for chart, text in figures(results)]
    for place, metric in enumerate(experiment.metrics):
        tables = _tables(results, metric)
        if tables:
            blocks += (
                tables
                if place == 0 and len(tables) <= 4
                else [details(NAMES.get(metric, metric), *tables)]
            )
    if experiment.note:
        blocks.append(paragraph(experiment.note, kind="note"))
    return [*blocks, paragraph(_made(results), kind="note")]


def _tables(results: Results, metric: str) -> list[Block]:
    experiment = results.experiment
    cells = entries(results, metric)
    tests = what_p_is(experiment, metric)
    found = []
    for column in experiment.columns:
        lines = [
            (row, *_values(cells[row, column])) for row in experiment.rows if (row, column) in cells
        ]
        if lines:
            told = [k for k in range(len(HEADER)) if k == 0 or any(line[k] for line in lines)]
            lines = [tuple(line[k] for k in told) for line in lines]
            caption = f"{column}: {NAMES.get(metric, metric)}. {tests}"
            found.append(table([HEADER[k] for k in told], lines, caption))
    return found


def _values(e: Entry) -> tuple[str, ...]:
    mark = " ●" if e.best else " ○" if e.tied else ""
    paper = ("", "") if e.paper is None else (f"{e.paper.value:g}", p_text(e.paper.p_value))
    ours = (figure_of(e.mean) + mark, figure_of(e.median))
    return (*ours, paper[0], p_text(e.p_value), p_text(e.p_paper), paper[1], runs_text(e))


def _made(results: Results) -> str:
    how = "; ".join(
        sorted({f"pairnet {m['pairnet']}, jax {m['jax']}, {m['device']}" for m in results.made})
    )
    seconds = sum(cell.seconds for cell in results.cells.values())
    failed, missing = (
        sum(getattr(c, name) for c in results.cells.values()) for name in ("failed", "missing")
    )
    said = [f"Command: pairnet run {results.experiment.name}."]
    said += [f"Made with {how}; {seconds:.0f} s of fitting, all processes added up."] * bool(how)
    said += [f"{missing} runs are missing."] * bool(missing and how) + [
        f"{failed} runs failed."
    ] * bool(failed)
    return " ".join(said)
