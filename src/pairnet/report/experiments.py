"""The report of experiments, laid out once for HTML, Markdown and the terminal.

For each experiment: the question, whether its claims held, and figures and tables that show our
numbers beside the paper's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pairnet.bench.experiment import Experiment
from pairnet.bench.results import Results
from pairnet.report.document import (
    Block,
    Break,
    Document,
    Emphasis,
    Link,
    Mono,
    Phrase,
    PhrasePart,
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
MARKED: tuple[PhrasePart, ...] = (
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
    claims = table(CLAIMS[:3], _claims(begun, 3), "Every claim, and what the results say of it")
    page.section("In short", paragraph(IN_SHORT), claims)
    return _with_sections(page, all_results)


def results_file(all_results: Sequence[Results]) -> Document:
    """Return the same as a page of the documentation, which begins with how results are made."""
    claims = table(CLAIMS, _claims(_begun(all_results), 4), "")
    page = Document("Results", INTRODUCTION).section("", claims)
    return _with_sections(page, all_results)


def in_brief(results: Results, rows: Sequence[str] | None = None) -> tuple[Block, Table]:
    """Return the title and the table of an experiment's first metric, or of some of its rows.

    Its cells hold less than those of the report, since a terminal has little room.
    """
    counts = sorted({cell.asked for cell in results.cells.values()}) or [0]
    runs = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    title = (Strong(results.experiment.title), f": means over {runs} replications")
    values = metric_table(results, results.experiment.metrics[0], rows, brief=True)
    return paragraph(title), values


def metric_table(
    results: Results, metric: str, rows: Sequence[str] | None = None, *, brief: bool = False
) -> Table:
    """Return the table of a metric: a cell for each row and column, or a line if they are many.

    It is folded, if possible, when it is long or not about the experiment's first metric. brief:
    whether medians and the paper's tests are left out.
    """
    experiment, cells = results.experiment, entries(results, metric, rows)
    columns = [c for c in experiment.columns if any(column == c for _, column in cells)]
    shown = [r for r in experiment.rows if any(row == r for row, _ in cells)]
    many = len(columns) > MANY
    lay_out = _a_line_a_cell if many else _side_by_side
    header, lines = lay_out(cells, shown, columns, brief)
    name = NAMES.get(metric, metric)
    folded = "" if metric == experiment.metrics[0] and not many else name
    caption: Phrase = (Strong(name), *_what_cells_say(experiment, metric, brief))
    return table(header, lines, caption, folded=folded)


def verdicts(results: Results) -> list[tuple[str, str, str]]:
    """Return each claim, whether it held, and the sentence with the counts."""
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


CLAIMS = ("experiment", "claim", "did it hold?", "counts")


def _claims(begun: Sequence[Results], columns: int) -> Iterator[tuple[Phrase, ...]]:
    """Yield a line for every claim, with a link to its experiment."""
    for results in begun:
        link = Link(Mono(results.experiment.name), results.experiment.title)
        for text, held, sentence in verdicts(results):
            yield (link, text, Strong(held), sentence)[:columns]


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


Cells = Mapping[tuple[str, str], Entry]
TableLines = tuple[tuple[str, ...], list[tuple[Phrase, ...]]]  # with the header before them
VALUES = ("mean", "median", "paper", "p", "paper's test", "runs")
BRIEF = ("mean", "paper", "p", "runs")


def _side_by_side(
    cells: Cells, rows: Sequence[str], columns: Sequence[str], brief: bool
) -> TableLines:
    lines: list[tuple[Phrase, ...]] = [
        (row, *(_cell(cells.get((row, column)), brief) for column in columns)) for row in rows
    ]
    return ("", *columns), lines


def _a_line_a_cell(
    cells: Cells, rows: Sequence[str], columns: Sequence[str], brief: bool
) -> TableLines:
    names = BRIEF if brief else VALUES
    places = [(row, column) for column in columns for row in rows if (row, column) in cells]
    lines: list[tuple[Phrase, ...]] = []
    for row, column in places:
        values = _values(cells[row, column])
        lines.append((column, row, *(values[name] for name in names)))
    return ("column", "row", *names), lines


def _what_cells_say(experiment: Experiment, metric: str, brief: bool) -> tuple[str, ...]:
    tests = _what_p_is(experiment, metric)
    if brief:
        return (": mean [the paper's].", f" {tests}")
    both = f"; p paired / p by the paper's test. {tests}" if tests else "."
    return (f": mean (median) [the paper's]{both}",)


def _what_p_is(experiment: Experiment, metric: str) -> str:
    """Write what is tested, if anything is."""
    reference = experiment.reference
    if reference is None or metric in NEUTRAL:
        return ""
    size = "larger" if metric in LARGER else "smaller"
    rival = reference if isinstance(reference, str) else "the row that it is compared with"
    return (
        f"p: one-sided paired t-test that {rival} has the {size} value; near 0, it has, near 1, "
        "this row has."
    )


def _values(entry: Entry) -> dict[str, Phrase]:
    """Return the parts of a cell, each for a column of its own."""
    return {
        "mean": _mean(entry),
        "median": figure_of(entry.median),
        "paper": _paper(entry),
        "p": p_text(entry.p_value),
        "paper's test": p_text(entry.p_paper),
        "runs": _runs(entry),
    }


def _cell(entry: Entry | None, brief: bool) -> Phrase:
    """Return the parts of a cell as one phrase."""
    if entry is None:
        return ""
    words: list[PhrasePart] = [_mean(entry)]
    words += [f" ({figure_of(entry.median)})"] * (not brief)
    words += [f" [{_paper(entry)}]"] * (entry.paper is not None)
    if entry.p_value is not None:
        paired, unpaired = p_text(entry.p_value), p_text(entry.p_paper)
        words += [Break("; "), f"p {paired}" if brief else f"{paired} / {unpaired}"]
    if entry.done < entry.asked:
        words += [Break(" "), f"({_runs(entry)})"]
    return tuple(words)


def _mean(entry: Entry) -> PhrasePart:
    text = figure_of(entry.mean)
    return Strong(text) if entry.best else Emphasis(text) if entry.tied else text


def _paper(entry: Entry) -> str:
    return "" if entry.paper is None else f"{entry.paper.value:g}"


def _runs(entry: Entry) -> str:
    """Write how many runs a mean is over, and how many it should be over."""
    failed = f", {entry.failed} failed" if entry.failed else ""
    return f"{entry.done}{'' if entry.done == entry.asked else f' of {entry.asked}'}{failed}"


def _how_made(results: Results) -> str:
    """Write with what results were made, how long it took, and what is missing."""
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
