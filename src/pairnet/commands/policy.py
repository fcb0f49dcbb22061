"""`pairnet policy`: whom to treat how with a budget, one line a row of a table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl

from pairnet.commands.asked import FileOptions, PolicyOptions
from pairnet.commands.choosing import by_arm, check_names
from pairnet.commands.reading import in_lines_of, read_for
from pairnet.commands.rows import (
    beside_results,
    check_is_not,
    check_is_not_in,
    covariates_of,
    label_of,
)
from pairnet.commands.saying import paragraphs
from pairnet.commands.scored import in_digits
from pairnet.commands.telling import Teller
from pairnet.commands.wording import notes
from pairnet.core.errors import BadInput, count_of
from pairnet.core.treatments import Treatment
from pairnet.core.words import spelled
from pairnet.core.writing import can_write
from pairnet.methods import load
from pairnet.tables.exact import nameless
from pairnet.tables.files import check_writes, write_table
from pairnet.tables.location import Location

RESULTS = ("plan", "gain", "spent")


def policy(
    folder: Path,
    table: Location,
    out: Path,
    asked: PolicyOptions,
    file: FileOptions,
    teller: Teller,
) -> None:
    """Write what each row of a table gets, what that gains, and what it costs."""
    say = teller.say
    check_writes(out)
    can_write(out, "--out")
    check_is_not(out, table)
    method = load(folder)
    check_is_not_in(out, folder)
    schema, treatment = method.schema_, method.treatment_
    T0, T1 = label_of(treatment, asked.start, "T0"), label_of(treatment, asked.to, "T1")
    read = read_for(schema, table, file)
    frame = read.frame
    check_names(frame, table, {"--cost-column": [asked.column] if asked.column else []})
    x = covariates_of(schema, frame, table)
    beside = beside_results(schema, frame, table, asked.keep, RESULTS)
    with notes(told=teller.notes), in_lines_of(table, file):
        found = method.policy(
            x,
            budget=asked.budget,
            cost=_cost(asked, frame, treatment),
            worth=asked.worth,
            T0=T0,
            T1=T1,
            bounds=_bounds(asked.bounds),
            goal=asked.goal,
            alpha=asked.alpha,
        )
    results = {"plan": pl.Series("plan", found.labels.tolist())}
    for name, values in (("gain", found.gain), ("spent", found.cost)):
        results[name] = in_digits(name, values)
    write_table(pl.DataFrame({name: frame[name] for name in beside} | results), out)
    for line in map(paragraphs, read.said):
        say(line)
    said = found.notes()
    say(f"Whom to treat, of {count_of(len(found.gain))}:")
    say("\n".join(str(found).splitlines()[: -len(said)]))
    say(paragraphs(*said))
    written = [*beside[:3], *(["..."] if len(beside) > 3 else []), *results]
    say(paragraphs(f"Written: {out}, with the columns {', '.join(written)}."))
    teller.tell(
        lambda: {
            "command": "policy",
            "model": folder,
            "table": table,
            "rows": len(found.gain),
            "plan": Counter(map(str, found.labels.tolist())),
            "gain": found.gain.sum(),
            "spent": found.cost.sum(),
            "written": out,
            "columns": [*beside, *results],
        }
    )


def _cost(asked: PolicyOptions, frame: pl.DataFrame, treatment: Treatment) -> Any:
    """Return what is typed, and the numbers of a column, as the cost of a treatment."""
    column = _numbers(frame, asked.column) if asked.column else None
    if asked.cost is None:
        return column
    typed, more = by_arm(asked.cost), 0.0 if column is None else column
    if typed is None:
        raise BadInput("cost", f"must be a number, or arm=number,arm=number, got {asked.cost!r}")
    if not isinstance(typed, dict):
        return typed + more
    return {treatment.label_in(arm, "cost"): number + more for arm, number in typed.items()}


def _numbers(frame: pl.DataFrame, name: str) -> Any:
    column = nameless(frame, name)
    if not column.dtype.is_numeric():
        problem = f"names column {name!r}, which holds values of the type {column.dtype}"
        raise BadInput("--cost-column", f"{problem}: expected numbers")
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _bounds(text: str | None) -> Any:
    if text is None:
        return None
    ends = [spelled(part.strip()) for part in text.split(",")]
    if len(ends) != 2 or ends[0] != ends[0] or ends[1] != ends[1]:
        raise BadInput("bounds", f"must be two doses with a comma between them, got {text!r}")
    return tuple(ends)
