"""The report of experiments: for each one the question, whether its claims held, figures and
tables, ours beside the paper's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pairnet.bench.experiment import Experiment
from pairnet.bench.results import Results
from pairnet.report.document import (
    Block,
    Break,
    Document,
    Emphasis,
    Link,
    Mono,
    Part,
    Phrase,
    Strong,
    Table,
    bullets,
    code,
    figure,
    paragraph,
    table,
    with_code,
)
from pairnet.report.entries import LARGER, NAMES, NEUTRAL, Entry, entries
from pairnet.report.experiments_figures import figures
from pairnet.report.words import figure_of, p_text

MANY = 6  # columns; where there are more, a table has a line for each cell
HELD = ("held", "held in part", "did not hold")
MARKED: tuple[Part, ...] = (
    Strong("Bold"),
    " is the best mean of a column, ",
    Emphasis("italic"),
    " one that a paired test cannot tell from it",
)
IN_SHORT = (
    "PEHE is the root mean square error of each row's effect: smaller is better. ",
    *MARKED,
    ".",
)
INTRODUCTION = (
    "Every table and figure of the paper, and some that it does not have, from runs of this code. ",
    Mono("pairnet run NAME"),
    " trains what is missing, ",
    Mono("pairnet report"),
    " makes this page. ",
    *MARKED,
    " (p >= 0.05). The paper's protocol is used with the best weights by validation loss; "
    '"our plan" is this library\'s default.',
)


def experiments_page(all_results: Sequence[Results]) -> Document:
    """Return the page of all experiments that have results; it begins with how many claims held."""
    begun = _begun(all_results)
    words = [held.removesuffix(", so far") for one in begun for _, held, _ in verdicts(one)]
    held, in_part, not_held = map(words.count, HELD)
    lead = (
        f"Of {len(words)} claims {held} held, {in_part} held in part and {not_held} did not, in "
        f"{len(begun)} of {len(all_results)} experiments that have results."
    )
    page = Document("PairNet's experiments, run anew", lead)
    claims = _claims(begun, "Every claim, and what the results say of it")
    page.section("In short", paragraph(IN_SHORT), claims)
    return _with_sections(page, all_results)


def results_file(all_results: Sequence[Results]) -> Document:
    """Return the same for a file of the documentation, which begins with how results are made."""
    page = Document("Results", INTRODUCTION).section("", _claims(_begun(all_results), ""))
    return _with_sections(page, all_results)


def in_brief(results: Results, rows: Sequence[str] | None = None) -> tuple[Block, Table]:
    """Return the title and the table of the first metric of an experiment, or of some rows."""
    counts = sorted({cell.asked for cell in results.cells.values()}) or [0]
    runs = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    title = Strong(results.experiment.title)
    metric = results.experiment.metrics[0]
    return paragraph((title, f": means over {runs} replications")), metric_table(
        results, metric, rows
    )


def metric_table(results: Results, metric: str, rows: Sequence[str] | None = None) -> Table:
    """Return the table of a metric: a cell for each row and column, or a line where they are many.

    It is folded, where it can be, if it is long or not of the experiment's first metric.
    """
    experiment, cells = results.experiment, entries(results, metric, rows)
    columns = [c for c in experiment.columns if any(column == c for _, column in cells)]
    shown = [r for r in experiment.rows if any(row == r for row, _ in cells)]
    caption = _caption(experiment, metric)
    if len(columns) > MANY:
        header: tuple[str, ...] = ("column", "row", *VALUES)
        places = [(row, column) for column in columns for row in shown if (row, column) in cells]
        lines: list[tuple[Phrase, ...]] = [
            (column, row, *_values(cells[row, column])) for row, column in places
        ]
    else:
        header = ("", *columns)
        lines = [(row, *(_cell(cells.get((row, column))) for column in columns)) for row in shown]
    first = metric == experiment.metrics[0] and len(columns) <= MANY
    return table(header, lines, caption, folded="" if first else NAMES.get(metric, metric))


def verdicts(results: Results) -> list[tuple[str, str, str]]:
    """Return what is claimed, whether it held, and the sentence with the counts."""
    judged: list[tuple[str, str, str]] = [
        (claim.text, *claim.judge(results)) for claim in results.experiment.claims
    ]
    if all(cell.done == cell.asked for cell in results.cells.values()):
        return judged
    return [
        (text, held if held == "not run" else f"{held}, so far", sentence)
        for text, held, sentence in judged
    ]


def _begun(all_results: Sequence[Results]) -> list[Results]:
    return [one for one in all_results if any(cell.done for cell in one.cells.values())]


def _claims(begun: Sequence[Results], caption: str) -> Table:
    """List every claim, with a link to its experiment."""
    lines = [
        (Link(Mono(one.experiment.name), one.experiment.title), text, Strong(held), sentence)
        for one in begun
        for text, held, sentence in verdicts(one)
    ]
    return table(("experiment", "claim", "did it hold?", "counts"), lines, caption)


def _with_sections(page: Document, all_results: Sequence[Results]) -> Document:
    begun = _begun(all_results)
    for results in begun:
        page.section(results.experiment.title, *_blocks(results))
    left = [results.experiment.name for results in all_results if results not in begun]
    if left:
        commands = "\n".join(f"pairnet run {name}" for name in left)
        missing = "The store has no results of these; each is one command."
        page.section("Not run yet", missing, code(commands))
    return page


def _blocks(results: Results) -> Iterator[Block]:
    experiment = results.experiment
    yield paragraph((Mono(f"pairnet run {experiment.name}"), f". {experiment.asks}"))
    yield bullets(
        (f"{text} ", Strong(f"{held.capitalize()}."), f" {sentence}")
        for text, held, sentence in verdicts(results)
    )
    for chart, caption in figures(results):
        yield figure(chart, caption)
    for metric in experiment.metrics:
        values = metric_table(results, metric)
        if values.rows:
            yield values
    if experiment.note:
        yield paragraph(with_code(experiment.note), kind="note")
    how = _how_made(results)
    if how:
        yield paragraph(how, kind="note")


def _caption(experiment: Experiment, metric: str) -> Phrase:
    """Name the metric, and say what the numbers of a cell are."""
    name, numbers = Strong(NAMES.get(metric, metric)), ": mean (median) [the paper's]"
    tests = _what_p_is(experiment, metric)
    if not tests:
        return (name, f"{numbers}.")
    return (name, f"{numbers}; p paired / p by the paper's test. {tests}")


def _what_p_is(experiment: Experiment, metric: str) -> str:
    """Say what is tested, if anything is."""
    reference = experiment.reference
    if reference is None or metric in NEUTRAL:
        return ""
    size = "larger" if metric in LARGER else "smaller"
    rival = reference if isinstance(reference, str) else "the row that it is compared with"
    return (
        f"p: one-sided paired t-test that {rival} has the {size} value; near 0, it has, near 1, "
        "this row has."
    )


VALUES = ("mean", "median", "paper", "p", "paper's test", "runs")


def _values(entry: Entry) -> tuple[Phrase, ...]:
    """Return the values of a cell, each for a column of its own."""
    tests = (p_text(entry.p_value), p_text(entry.p_paper))
    return (_mean(entry), figure_of(entry.median), _paper(entry), *tests, _runs(entry))


def _cell(entry: Entry | None) -> Phrase:
    """Return the values of a cell together."""
    if entry is None:
        return ""
    words: list[Part] = [_mean(entry), f" ({figure_of(entry.median)})"]
    words += [f" [{_paper(entry)}]"] * (entry.paper is not None)
    if entry.p_value is not None:
        words += [Break("; "), f"{p_text(entry.p_value)} / {p_text(entry.p_paper)}"]
    if entry.done < entry.asked:
        words += [Break(" "), f"({_runs(entry)})"]
    return tuple(words)


def _mean(entry: Entry) -> Part:
    text = figure_of(entry.mean)
    return Strong(text) if entry.best else Emphasis(text) if entry.tied else text


def _paper(entry: Entry) -> str:
    return "" if entry.paper is None else f"{entry.paper.value:g}"


def _runs(entry: Entry) -> str:
    """Say how many runs a mean is over, and how many it should be."""
    failed = f", {entry.failed} failed" if entry.failed else ""
    return f"{entry.done}{'' if entry.done == entry.asked else f' of {entry.asked}'}{failed}"


def _how_made(results: Results) -> str:
    """Say with what results were made, how long it took, and what they lack."""
    cells = results.cells.values()
    how = {f"pairnet {m['pairnet']}, jax {m['jax']}, {m['device']}" for m in results.made}
    seconds = sum(cell.seconds for cell in cells)
    missing, failed = sum(cell.missing for cell in cells), sum(cell.failed for cell in cells)
    sentences = []
    if how:
        made = f"Made with {'; '.join(sorted(how))}; {seconds:.0f} s of fitting"
        sentences.append(f"{made}, all processes added up.")
    if how and missing:
        sentences.append(f"{missing} runs are missing.")
    if failed:
        sentences.append(f"{failed} runs failed.")
    return " ".join(sentences)
