"""`pairnet fit`: a table goes in, a model comes out, and people are told what was made of their
columns."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pairnet.commands.choosing import chosen
from pairnet.commands.options import TableOptions
from pairnet.commands.saying import paragraphs, stopping
from pairnet.commands.settings import OWN_OPTIONS, assignments, with_settings
from pairnet.commands.wording import notes, worded
from pairnet.core.treatments import Arms
from pairnet.methods import methods
from pairnet.model.folder import can_write
from pairnet.tables import Schema
from pairnet.tables.files import is_text
from pairnet.tables.hints import COMMAS_SAID
from pairnet.tables.values import word


def fit(
    asked: TableOptions,
    *,
    out: Path,
    method: str,
    options: dict[str, Any],
    settings: Sequence[str],
    say: Callable[[str], None],
) -> None:
    """Train a model on a table and keep it in a folder.

    options: hyperparameters that the command has options for; settings: others, as NAME=VALUE.
    """
    can_write(out)
    model = with_settings(methods[method](**options), assignments(settings, taken=OWN_OPTIONS))
    frame, x, given, observed, schema = chosen(asked)
    table, treatment, outcome = asked.path, asked.treatment, asked.outcome
    dropped = frame.height - x.height
    say(f"{table}: {frame.height:,} rows, {len(frame.columns)} columns.")
    if dropped:
        say(f"Dropped {dropped:,} rows without a treatment or an outcome; {x.height:,} are left.")
    say(f"Treatment: {treatment}. Outcome: {outcome}. Covariates:\n")
    say(schema.summary() + "\n")
    with stopping(), notes(but="Left out of the covariates"):
        _warn_of_commas(schema, is_text(table) and asked.decimal != ",")
        try:
            model.fit(x, observed, treatment=given)
        except ValueError as error:
            columns = f"The outcome is the column {outcome!r}, the treatment {treatment!r}."
            raise ValueError(f"{worded(error)} ({columns})") from None
        model.training_.summary["names"] = {
            "treatment": treatment,
            "outcome": outcome,
        }  # for the report
        model.set_params(verbose=False).save(out)
        decimal = None if asked.decimal == "." else asked.decimal
        reading = {"--separator": asked.separator, "--decimal": decimal}
        say(_ending(model, x, x.height, treatment, outcome, table, out, reading))


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
    model: Any,
    x: pl.DataFrame,
    rows: int,
    treatment: str,
    outcome: str,
    table: Path,
    out: Path,
    reading: dict[str, str | None],
) -> str:
    """Say what was learned, and what to type next."""
    kind, said = model.treatment_, model.training_.summary
    lines = [f"{type(model).__name__} was trained on {rows:,} rows in {said['seconds']:.0f} s."]
    if isinstance(kind, Arms):
        arms = ", ".join(
            f"{word(each['arm'])} ({each['rows']:,} rows)"
            for each in said["treatment"]["arms"][:10]
        )
        lines.append(
            f"Treatment {treatment}, {len(kind)} arms: {arms}{', ...' if len(kind) > 10 else ''}."
        )
        pairs = [(kind.baseline, label) for label in kind.others[:5]]
    else:
        first, last = kind.contrast
        lines.append(
            f"Treatment {treatment}, a dose from {kind.low:g} to {kind.high:g}, mostly {first:g} "
            f"to {last:g}."
        )
        pairs = [kind.contrast]
    labels = model.outcome_labels_
    what = f"the chance of {labels[1]!r}" if labels else outcome
    lines += [
        f"Average effect on {what} of {word(t1)} against {word(t0)}: {_average(model, x, t0, t1)}."
        for t0, t1 in pairs
    ]
    score = np.mean(said["held_out_score"])
    lines.append(
        f"Loss on rows held out of training: {score:.4g} (smaller is better, to compare methods "
        "with)."
    )
    size = sum(file.stat().st_size for file in out.iterdir()) / 2**20
    lines.append(f"Model: {out} ({size:.1f} MiB).")
    first, second = (shlex.quote(word(each)) for each in pairs[-1])
    name = lambda path: shlex.quote(str(path))
    read = "".join(
        f" {option} {shlex.quote(value)}" for option, value in reading.items() if value is not None
    )
    ask = (
        f"  pairnet effect {name(out)} {name(table)}{read} --from {first} --to {second} -o "
        "effects.csv"
    )
    return f"\n{paragraphs(*lines)}\n\nNext:\n{ask}\n  pairnet report {name(out)} -o report.html"


def _average(model: Any, x: pl.DataFrame, t0: Any, t1: Any) -> str:
    """Return the average effect with its interval, where there are rows that some member has not
    seen.

    It is the one that the report begins with: of the bootstrapped members, or, for arms without
    them, doubly robust.
    """
    asked = {"T0": t0, "T1": t1}
    if model.training_.draws.all() or not (model.bootstrap or isinstance(model.treatment_, Arms)):
        return (
            f"{model.ate(x, **asked):.4g} (its interval needs --members 2 or more, and --bootstrap)"
        )
    value = model.ate(x, **asked, kind="plugin" if model.bootstrap else "doubly robust")
    low, high = model.ate_interval(
        x, **asked, kind="bootstrap" if model.bootstrap else "doubly robust"
    )
    return f"{value:.4g} (95 % interval {low:.4g} to {high:.4g})"
