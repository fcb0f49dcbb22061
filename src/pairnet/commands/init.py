"""`pairnet init`: looks at a table, asks which columns are meant, and gives the command to run.

Where nobody sits at a terminal, answers come from options or line by line from standard input.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
import select
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from pairnet.commands.asked import TableOptions
from pairnet.commands.choosing import Chosen, chosen, names_in
from pairnet.commands.glance import OUTCOMES, TREATMENTS, Glance, glances
from pairnet.commands.reading import read
from pairnet.commands.saying import paragraphs
from pairnet.commands.wording import notes
from pairnet.core.errors import BadInput, count_of
from pairnet.core.outcomes import outcome_of
from pairnet.core.treatments import Arms, Dose
from pairnet.core.words import word
from pairnet.evidence.leaks import announce_leaks
from pairnet.model import door

PATIENCE = 5.0  # seconds to wait for an answer from a pipe
WIDTH = 80
SHOWN = 8  # the most columns that a question names
Say = Callable[[str], None]


def init(asked: TableOptions, out: Path | None, say: Say) -> None:
    """Say what the columns of a table are, ask for what is not said, and print what to run.

    asked: treatment and outcome may be "", which means that they are not said.
    """
    table = read(asked.path, asked)
    columns = glances(table)
    say(f"{asked.path}: {count_of(table.frame.height)}, {len(columns)} columns.")
    for line in map(paragraphs, table.said):
        say(line)
    say("\n" + "\n".join(_listed(columns)) + "\n")
    likely = lambda fits, names: sorted(
        filter(fits, columns), key=lambda one: (not names.search(one.name), one.different > 10)
    )
    treatments = likely(lambda one: one.can_be_treatment, TREATMENTS)
    treatment = asked.treatment or _answer(
        "Which column says how each row was treated?", "--treatment", columns, treatments, say
    )
    outcomes = likely(lambda one: one.can_be_outcome and one.name != treatment, OUTCOMES)
    outcomes = sorted(outcomes, key=lambda one: one.is_earlier)
    outcome = asked.outcome or _answer(
        "Which column is the outcome?", "--outcome", columns, outcomes, say
    )
    later = [
        one.name for one in columns if one.may_be_later and one.name not in (treatment, outcome)
    ]
    ignored = names_in(table.frame.columns, asked.ignore)
    unclear = [one for one in columns if one.kind == "unclear" and one.name not in ignored]
    whole = dataclasses.replace(asked, treatment=treatment, outcome=outcome)
    trouble = [text for one in columns if one.name not in ignored for text in one.trouble]
    if not unclear:
        say("")
        trouble += _looked_at(chosen(whole), whole, say)
    if later := [name for name in later if name not in ignored]:
        names = ", ".join(map(repr, later))
        trouble.append(
            f"By the name, {names} may have been measured after the treatment, and what the "
            f"treatment changes is no covariate. If so: --ignore {shlex.quote(','.join(later))}."
        )
    _say_trouble(trouble, say)
    if unclear:
        names = ",".join(one.name for one in unclear)
        raise BadInput(
            "", "The table cannot be used yet: see above", f"Or say --ignore {shlex.quote(names)}."
        )
    say(f"To train a model:\n  {_command(whole, out)}")


def _looked_at(rows: Chosen, asked: TableOptions, say: Say) -> list[str]:
    """Say what the treatment and the outcome are; return what `fit` would warn of."""
    told: list[str] = []
    for line in map(paragraphs, rows.said):
        say(line)
    with notes(told=told, shown=False):
        table = door.enter(
            rows.schema.of_rows(rows.x),
            rows.outcome,
            rows.treatment,
            None,
            kind="auto",
            takes=(Arms, Dose),
            method="the stack",
        )
        t, y = np.asarray(table.rows.t), np.asarray(table.rows.y)
        announce_leaks(table.schema, np.asarray(table.rows.x), t, y, table.treatment)
    about = table.treatment.words(table.treatment.summary(t))
    say(paragraphs(f"Treatment {asked.treatment}, {about}."))
    say(paragraphs(f"Outcome {asked.outcome}, {_outcome_in_words(y, table.labels)}."))
    lost = rows.frame.height - len(t)
    if lost:
        say(f"{count_of(lost)} without a treatment or an outcome would be dropped.")
    if not table.treatment.comparisons() and not table.treatment.whole_range:
        first, second = map(word, table.treatment.example)
        told.append(
            "No arm has a name that means untreated, as control or placebo: later commands need "
            f"--from and --to, as --from {first} --to {second}."
        )
    return told


def _outcome_in_words(y: np.ndarray, labels: tuple[str, str] | None) -> str:
    outcome = outcome_of("auto", y)
    if labels is not None:
        return f"yes / no: {labels[1]!r} in {100 * y.mean():.1f} % of rows, else {labels[0]!r}"
    if outcome.name == "bernoulli":
        return f"yes / no: 1 in {100 * y.mean():.1f} % of rows"
    return f"a number from {y.min():,.5g} to {y.max():,.5g}, on average {y.mean():,.5g}"


def _listed(columns: Sequence[Glance]) -> Iterator[str]:
    """Yield the columns as lines: number, name, what it is, how many gaps, what it holds."""
    wide = min(max(len(one.name) for one in columns), 30)
    kinds = max(len(one.kind) for one in columns)
    for number, one in enumerate(columns, 1):
        gaps = f"; {one.missing:,} missing" if one.missing else ""
        line = f"{number:>3}  {one.name:<{wide}}  {one.kind:<{kinds}}  {one.about}{gaps}"
        yield line if len(line) <= WIDTH else f"{line[: WIDTH - 4]} ..."


def _answer(
    question: str, option: str, columns: Sequence[Glance], likely: Sequence[Glance], say: Say
) -> str:
    """Return the name of the column that a person means; raise where nobody answers."""
    number = {one.name: place for place, one in enumerate(columns, 1)}
    shown = ", ".join(f"{number[one.name]} {one.name}" for one in likely[:SHOWN])
    more = ", ..." if len(likely) > SHOWN else "."
    say(paragraphs(f"{question} It may be {shown}{more}" if likely else question))
    while True:
        line = _line("Its name or number: ")
        if line is None:
            problem = "must be said, as there is nobody to ask"
            few = ", ".join(one.name for one in likely[:SHOWN])
            raise BadInput(option, problem, f"It may be one of {few}{more}" if likely else "")
        names = [one.name for one in columns]
        if line in names:
            return line
        if re.fullmatch(r"\d+", line) and 1 <= int(line) <= len(names):
            return names[int(line) - 1]
        close = difflib.get_close_matches(line, names, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        say(f"There is no column {line!r}.{hint}")


def _line(prompt: str) -> str | None:
    """Return a line that is typed, or that comes through a pipe; None: there is none."""
    stdin = sys.stdin
    if stdin is None or stdin.closed:
        return None
    print(prompt, end="", flush=True)
    try:
        if not stdin.isatty() and _is_silent():
            return None
        line = stdin.readline()
    except (OSError, ValueError):
        line = ""
    if not stdin.isatty():
        print(line.strip())  # a pipe shows no answers
    return line.strip() if line else None


def _is_silent() -> bool:
    """Tell whether a pipe that nobody has closed says nothing."""
    try:
        return not select.select([sys.stdin], [], [], PATIENCE)[0]
    except (OSError, ValueError):  # no file, or a system that cannot tell
        return False


def _say_trouble(trouble: Sequence[str], say: Say) -> None:
    if not trouble:
        say("\nNothing looks like trouble.\n")
        return
    say("\nLook at this first:")
    say(paragraphs(*(f"- {text}" for text in trouble)) + "\n")


def _command(asked: TableOptions, out: Path | None) -> str:
    """Return the command that trains a model on the table."""
    folder = out or Path(f"{re.sub(r'[^A-Za-z0-9_-]+', '-', asked.path.name.split('.')[0])}-model")
    words = ["pairnet", "fit", str(asked.path)]
    words += [part for option in asked.typed().items() for part in option]
    words += ["--treatment", asked.treatment, "--outcome", asked.outcome]
    words += ["--ignore", asked.ignore] if asked.ignore else []
    return shlex.join([*words, "-o", str(folder)])
