"""Where a page comes from: the file, its hash, dates, versions, and how to make all of it again."""

from __future__ import annotations

import pprint
import re
import textwrap
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime

import numpy as np

from pairnet import __version__
from pairnet.core.errors import count_of
from pairnet.inference.targets import TARGETS
from pairnet.report.document import Block, Link, Phrase, code, details, paragraph, table
from pairnet.report.model.parts import Part
from pairnet.report.model.subject import Subject

TITLE = "How to reproduce"
SHORT = 12  # letters of a hash in a line
WIDTH = 78  # of lines of code
SAME = (
    "The same rows in any order, seed and versions give the same numbers on the same kind of "
    "machine."
)


def source_line(subject: Subject) -> Phrase:
    """Write in a line where the page comes from."""
    return (", ".join(_origin(subject)) + ". ", Link(TITLE, TITLE), ".")


def reproduction(subject: Subject, command: str, by: Sequence[str | int]) -> Part:
    """Return the part on how to make the model and the page again.

    command: what was typed to make the page; "" if it was made in Python.
    """
    parameters = subject.method.get_params(deep=False)
    parameters.pop("verbose")
    shown = pprint.pformat(parameters, width=WIDTH, sort_dicts=False)
    source = subject.summary.get("source")
    commands: list[Block] = []
    if source is not None:
        typed = "\n".join(filter(None, (source["command"], command)))
        commands = [paragraph("On the command line:"), code(typed), paragraph("In Python:")]
    blocks: list[Block] = [
        table(("what", "which"), _facts(subject), "What this page is about"),
        *commands,
        code(_in_python(subject, by)),
        paragraph(SAME),
        details("All hyperparameters", code(shown)),
    ]
    return Part(TITLE, f"{', '.join(_origin(subject))}.", tuple(blocks))


def question(subject: Subject) -> str:
    """Write the question in words."""
    return f"What does {subject.comparison} do to {subject.names['outcome']}?"


def _origin(subject: Subject) -> Iterator[str]:
    """Yield the file, when it was fitted, the version and the seed."""
    summary, source = subject.summary, subject.summary.get("source")
    rows = count_of(summary["rows"])
    if source is None:
        yield f"{rows} of a table in Python"
    else:
        digest = f", SHA-256 {source['sha256'][:SHORT]}…" if source["sha256"] else ""
        yield f"{source['file']} ({rows}{digest})"
    fitted = f" on {_day(summary['made'])}" if "made" in summary else ""
    yield f"fitted{fitted} with pairnet {summary['versions']['pairnet']}"
    yield f"seed {subject.method.seed}"


def _facts(subject: Subject) -> Iterator[tuple[str, str]]:
    """Yield what makes the page traceable, by name."""
    summary, source = subject.summary, subject.summary.get("source")
    yield "question", question(subject)
    yield "whose average", TARGETS[subject.target].removeprefix("over ").removeprefix("among ")
    yield "a good outcome", "large" if subject.goal > 0 else "small"
    if source is None:
        yield "file", "not known: the table was passed in Python"
    else:
        yield "file", f"{source['file']}, {count_of(source['rows'])}"
        yield "SHA-256 of the file", source["sha256"] or "not known"
    yield "rows of the fit", f"{summary['rows']:,}"
    if not subject.is_memory:
        yield "rows of this page", f"{len(subject.x):,} others"
    yield "fitted", _day(summary["made"]) if "made" in summary else "not known"
    yield "page made", f"{_written(datetime.now(UTC).date())} with pairnet {__version__}"
    yield "seed", str(subject.method.seed)
    yield "versions", ", ".join(f"{name} {value}" for name, value in summary["versions"].items())


def _in_python(subject: Subject, by: Sequence[str | int]) -> str:
    """Return the code that makes the model and the page again."""
    method, memory, names = subject.method, subject.memory, subject.model.names
    used = sorted(set(re.findall(r"[A-Z][A-Za-z]+(?=\()", repr(method))))
    column = lambda role, other: f"table[{names[role]!r}]" if role in names else other
    given = [f"treatment={column('treatment', 'treatment')}"]
    given += ["sample_weight=weights"] * bool(np.ptp(memory.weight) > 0)
    given += ["groups=clusters"] * (memory.clusters is not None)
    given += ["propensity=chances"] * (memory.design is not None)
    first, second = subject.labels
    asked = [f"T0={first!r}", f"T1={second!r}", f"target={subject.target!r}"]
    asked += [] if subject.goal > 0 else ["goal='min'"]
    asked += [f"by={list(by)!r}"] if by else []
    rows = "" if subject.is_memory else ", X, y, treatment"
    return "\n".join(
        (
            f"from pairnet import {', '.join(used)}",
            "",
            *_covariates(subject),
            f"model = {method!r}  # seed {method.seed}",
            f"model.fit(X, {column('outcome', 'y')}, {', '.join(given)})",
            f"model.report('report.html'{rows}, {', '.join(asked)})",
        )
    )


def _covariates(subject: Subject) -> list[str]:
    """Return the lines of code that take the covariates from the table."""
    schema, rows = subject.schema, subject.summary["rows"]
    if not schema.named:
        return [f"# X: {len(schema.columns)} columns, {rows:,} rows"]
    listing = ", ".join(repr(name) for name in schema.names)
    lines = textwrap.wrap(listing, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return [f"# table: {rows:,} rows", "X = table[[", *(f"    {line}" for line in lines), "]]"]


def _day(text: str) -> str:
    return _written(datetime.fromisoformat(text).date())


def _written(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
