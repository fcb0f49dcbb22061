"""`pairnet fit`: a table goes in, a model comes out, and people are told what was made of it."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pairnet.commands.choosing import chosen
from pairnet.commands.saying import notes, paragraphs, stopping
from pairnet.core.errors import count_of
from pairnet.methods import methods
from pairnet.model.folder import can_write
from pairnet.model.model import Model
from pairnet.model.question import Question
from pairnet.tables import Schema
from pairnet.tables.files import is_text
from pairnet.tables.hints import COMMAS_SAID
from pairnet.tables.values import word

MOST_SHOWN = 5  # comparisons of which the average effect is shown


def fit(
    table: Path,
    *,
    treatment: str,
    outcome: str,
    out: Path,
    method: str,
    ignore: str,
    covariates: str,
    categories: str,
    separator: str | None,
    decimal: str,
    options: dict[str, Any],
    say: Callable[[str], None],
) -> None:
    """Train a model on a table and keep it in a folder."""
    can_write(out)
    kind = methods[method]
    found = chosen(table, treatment, outcome, ignore, covariates, categories, separator, decimal)
    frame, x, given, observed = found
    dropped = frame.height - x.height
    schema = Schema.of(x)
    say(f"{table}: {frame.height:,} rows, {len(frame.columns)} columns.")
    if dropped:
        say(f"Dropped {dropped:,} rows without a treatment or an outcome; {x.height:,} are left.")
    say(f"Treatment: {treatment}. Outcome: {outcome}. Covariates:\n")
    say(schema.summary() + "\n")
    with stopping(), notes(but="Left out of the covariates"):
        _warn_of_commas(schema, is_text(table) and decimal != ",")
        method = kind(**options)
        try:
            method.fit(x, observed, treatment=given)
        except ValueError as error:
            said = f"{error} (The outcome is the column {outcome!r}, the treatment {treatment!r}.)"
            raise ValueError(said) from None
        method.call_columns(treatment=treatment, outcome=outcome)
        method.set_params(verbose=False).save(out)
        reading = {"--separator": separator, "--decimal": None if decimal == "." else decimal}
        say(_ending(method, x, table, out, reading))


def _warn_of_commas(schema: Schema, option: bool) -> None:
    """Warn of columns that were meant to be numbers; `option`: there is one to read them."""
    names = [
        repr(each.name) for each in schema.columns if COMMAS_SAID in each.about() + each.hint()
    ]
    if names:
        few = ", ".join(names[:5]) + ", ..." * (len(names) > 5)
        advice = (
            "Say --decimal ',' if these are decimal commas."
            if option
            else "Write them with a decimal point."
        )
        warnings.warn(f"Not used as numbers, since they have commas: {few}. {advice}", stacklevel=2)


def _ending(
    method: Any, x: pl.DataFrame, table: Path, out: Path, reading: dict[str, str | None]
) -> str:
    """Say what was learned, and what to type next."""
    model = method.model_
    summary, treatment, names = model.memory.summary, model.treatment, model.names
    lines = [
        f"{type(method).__name__} was trained on {count_of(x.height)} in "
        f"{summary['seconds']:.0f} s.",
        f"Treatment {names['treatment']}, {treatment.words(summary['treatment'])}.",
        *_averages(method, x),
    ]
    if summary["held_out_score"]:
        score = np.mean(summary["held_out_score"])
        lines.append(
            f"Loss on rows held out of training: {score:.4g} (smaller is better, to compare "
            "methods with)."
        )
    size = sum(file.stat().st_size for file in out.iterdir()) / 2**20
    lines.append(f"Model: {out} ({size:.1f} MiB).")
    return f"\n{paragraphs(*lines)}\n\nNext:\n{_next(model, table, out, reading)}"


def _averages(method: Any, x: pl.DataFrame) -> Iterator[str]:
    """Yield a sentence on the average effect of each comparison, where its sign is no guess."""
    model = method.model_
    comparisons = model.treatment.comparisons()
    if not comparisons:
        yield (
            "No average effect is shown: no arm is called as untreated ones are, so say which arms "
            "to compare, as in the next commands."
        )
        return
    what = f"the chance of {model.labels[1]!r}" if model.labels else model.names["outcome"]
    question = method.ask(x, T0=comparisons[0][0], T1=comparisons[0][1])
    for T0, T1 in comparisons[:MOST_SHOWN]:
        average = _average(question.comparing(T0, T1))
        yield f"Average effect on {what} of {word(T1)} against {word(T0)}: {average}."


def _average(question: Question) -> str:
    """Return the average effect with its interval, if there are rows a member has not seen.

    It is the one that the report begins with: of the bootstrapped members, or, for arms without
    them, doubly robust.
    """
    memory = question.memory
    if not memory.resampled and (question.model.treatment.whole_range or not memory.honest):
        value = float(question.effect.mean())
        return f"{value:.4g} (its interval needs --members 2 or more, and --bootstrap)"
    kind = "bootstrap" if memory.resampled else "doubly robust"
    value = (question.average if memory.resampled else question.doubly_robust).value
    low, high = question.average_interval(kind=kind)
    return f"{value:.4g} (95 % interval {low:.4g} to {high:.4g})"


def _next(model: Model, table: Path, out: Path, reading: dict[str, str | None]) -> str:
    """Return the commands that people type next."""
    first, second = (shlex.quote(word(label)) for label in model.treatment.example)
    name = lambda path: shlex.quote(str(path))
    options = [(option, value) for option, value in reading.items() if value is not None]
    read = "".join(f" {option} {shlex.quote(value)}" for option, value in options)
    sides = f"--from {first} --to {second}"
    report = f"  pairnet report {name(out)} -o report.html"
    report += f" {sides}" * (not model.treatment.is_clear)
    return f"  pairnet effect {name(out)} {name(table)}{read} {sides} -o effects.csv\n{report}"
