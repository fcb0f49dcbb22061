"""Experiments as Markdown: for each one the question, whether the claims held, and its tables."""

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

MANY = 6  # columns from which on a table has one line a cell


def markdown(all_results: Sequence[Results], *, intro: str) -> str:
    """Return all experiments that have results as one Markdown page."""
    begun = [
        results for results in all_results if any(cell.done for cell in results.cells.values())
    ]
    parts = [intro.strip(), _summary(begun)]
    parts += [_section(results) for results in begun]
    left = [results.experiment.name for results in all_results if results not in begun]
    if left:
        parts.append(f"Not run yet: {', '.join(f'`{name}`' for name in left)}.")
    return "\n\n".join(parts) + "\n"


def _summary(all_results: Sequence[Results]) -> str:
    lines = ["| experiment | claim | did it hold? | counts |", "| --- | --- | --- | --- |"]
    for results in all_results:
        for text, held, sentence in verdicts(results):
            name = results.experiment.name
            lines.append(
                f"| [`{name}`](#{_anchor(results.experiment.title)}) | {text} | **{held}** | "
                f"{sentence} |"
            )
    return "\n".join(lines)


def _section(results: Results) -> str:
    experiment = results.experiment
    parts = [f"## {experiment.title}", f"`pairnet run {experiment.name}`. {experiment.asks}"]
    parts.append(
        "\n".join(
            f"- {text} **{held.capitalize()}.** {said}" for text, held, said in verdicts(results)
        )
    )
    for metric in experiment.metrics:
        cells = entries(results, metric)
        if cells:
            parts.append(_table(results, metric, cells))
    if experiment.note:
        parts.append(experiment.note)
    parts.append(_made(results))
    return "\n\n".join(part for part in parts if part)


def _table(results: Results, metric: str, cells: dict[tuple[str, str], Entry]) -> str:
    experiment = results.experiment
    columns = [
        column
        for column in experiment.columns
        if any((row, column) in cells for row in experiment.rows)
    ]
    rows = [row for row in experiment.rows if any((row, column) in cells for column in columns)]
    tests = what_p_is(experiment, metric)
    title = f"**{NAMES.get(metric, metric)}**: mean (median) [the paper's]"
    title += f"; p paired / p by the paper's test. {tests}" if tests else "."
    if len(columns) > MANY:
        lines = [
            "| column | row | mean | median | paper | p | paper's test | runs |",
            "|" + " --- |" * 8,
        ]
        for column in columns:
            for row in rows:
                if (row, column) in cells:
                    e = cells[row, column]
                    values = (
                        _mean(e),
                        figure_of(e.median),
                        _paper(e),
                        p_text(e.p_value),
                        p_text(e.p_paper),
                    )
                    lines.append(f"| {column} | {row} | {' | '.join(values)} | {runs_text(e)} |")
    else:
        lines = [f"| | {' | '.join(columns)} |", "|" + " --- |" * (len(columns) + 1)]
        lines += [
            f"| {row} | {' | '.join(_cell(cells.get((row, column))) for column in columns)} |"
            for row in rows
        ]
    return title + "\n\n" + "\n".join(lines)


def _cell(e: Entry | None) -> str:
    if e is None:
        return ""
    paper = f" [{_paper(e)}]" if e.paper else ""
    tests = "" if e.p_value is None else f"; {p_text(e.p_value)} / {p_text(e.p_paper)}"
    runs = "" if e.done == e.asked else f" ({runs_text(e)})"
    return f"{_mean(e)} ({figure_of(e.median)}){paper}{tests}{runs}"


def _mean(e: Entry) -> str:
    text = figure_of(e.mean)
    return f"**{text}**" if e.best else f"*{text}*" if e.tied else text


def _paper(e: Entry) -> str:
    return "" if e.paper is None else f"{e.paper.value:g}"


def _made(results: Results) -> str:
    seconds = sum(cell.seconds for cell in results.cells.values())
    failed = sum(cell.failed for cell in results.cells.values())
    missing = sum(cell.missing for cell in results.cells.values())
    how = "; ".join(
        sorted({f"pairnet {m['pairnet']}, jax {m['jax']}, {m['device']}" for m in results.made})
    )
    said = f"Made with {how}; {seconds:.0f} s of fitting, all processes added up." if how else ""
    said += f" {missing} runs are missing." * bool(
        missing and how
    ) + f" {failed} runs failed." * bool(failed)
    return said.strip()


def _anchor(title: str) -> str:
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -_")
    return kept.replace(" ", "-")
