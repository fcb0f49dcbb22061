"""What commands take from a table: the covariates, treatments and outcomes of complete rows."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import operator
import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
import polars as pl

from pairnet.commands.asked import TableOptions
from pairnet.commands.reading import in_lines_of, read
from pairnet.core.errors import BadInput
from pairnet.tables import Schema
from pairnet.tables.columns import check_finite, understood
from pairnet.tables.declared import present, with_categories
from pairnet.tables.exact import nameless, picked
from pairnet.tables.location import Location
from pairnet.tables.single import as_array
from pairnet.tables.values import Numbers, Words, of_series

# text with more different values, most of which spell numbers, is meant to be numbers
MOST_LABELS = {"treatment": 10, "outcome": 2, "weight": 0, "clusters": 10, "propensity": 0}
# Columns beside covariates, treatment and outcome, and the options that name them.
BESIDE = {"weight": "--weights", "clusters": "--clusters", "propensity": "--propensity"}


class Chosen(NamedTuple):
    """What a command takes from a table."""

    frame: pl.DataFrame  # as it was read
    x: pl.DataFrame  # covariates of the rows that have a treatment and an outcome
    treatment: np.ndarray
    outcome: np.ndarray
    schema: Schema  # what the covariates are, learned from x
    weight: np.ndarray | None = None
    clusters: np.ndarray | None = None
    propensity: np.ndarray | float | dict[str, float] | None = None
    said: Sequence[str] = ()  # what was made of lines, and of columns that are no covariates

    @property
    def has_more(self) -> bool:
        """Whether rows had to have more than a treatment and an outcome."""
        return not (self.weight is None and self.clusters is None and self.propensity is None)


def chosen(asked: TableOptions) -> Chosen:
    """Read a table, and take from it what the options ask for."""
    words = {asked.categories, *names_in((), asked.categories)} - {""}
    table = read(asked.path, asked, words)
    frame, written = table.frame, table.cells.writing
    covariates = wanted_covariates(frame, asked)
    frame = with_categories(frame, names_in(frame.columns, asked.categories))
    beside = beside_of(frame, asked)
    needed = (asked.treatment, asked.outcome, *beside.values())
    with in_lines_of(asked.path, asked):
        table.check((*needed, *covariates))
    is_complete = functools.reduce(operator.and_, (present(nameless(frame, n)) for n in needed))
    kept = frame.filter(is_complete)
    if kept.height == 0:
        what = f"both a treatment ({asked.treatment!r}) and an outcome ({asked.outcome!r})"
        what += "".join(f", and a value in {name!r}" for name in beside.values())
        raise BadInput("", f"No row of {asked.path} has {what}")
    x = picked(kept, covariates)
    positions = is_complete.arg_true().to_numpy()  # errors name rows as they are in the file
    with in_lines_of(asked.path, asked, positions):
        schema = dataclasses.replace(Schema.of(x), written=written.of(covariates))
        treatment = _plain(kept, asked.treatment, "treatment")
        outcome = _plain(kept, asked.outcome, "outcome")
        columns = {name: _plain(kept, beside[name], name) for name in beside}
    if asked.propensity is not None and "propensity" not in beside:
        columns["propensity"] = by_arm(asked.propensity)
    told = [f"{name}: {about}." for name in needed if (about := written.about(name))]
    return Chosen(frame, x, treatment, outcome, schema, **columns, said=(*table.said, *told))


def beside_of(frame: pl.DataFrame, asked: TableOptions) -> dict[str, str]:
    """Return the columns of weights, clusters and propensities that are named."""
    named = {"weight": asked.weights, "clusters": asked.clusters, "propensity": asked.propensity}
    is_column = lambda role, name: role != "propensity" or by_arm(name, frame.columns) is None
    return {role: name for role, name in named.items() if name and is_column(role, name)}


def by_arm(text: str, columns: Sequence[str] = ()) -> Any:
    """Return a number, or the numbers of arms, that a text spells; None: it names a column."""
    if text in columns:
        return None
    try:
        if "=" not in text:
            return float(text)
        pairs = (part.rpartition("=") for part in text.split(","))
        return {arm.strip(): float(number) for arm, _, number in pairs}
    except ValueError:
        return None


def names_in(columns: Collection[str], text: str) -> list[str]:
    """Return the names in a list with commas; the whole text is one name if a column has it."""
    if text and text in columns:
        return [text]
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def check_names(frame: pl.DataFrame, table: Location, asked: Mapping[str, Sequence[str]]) -> None:
    """Raise if a table lacks a column that an option names; `asked` has the names by option."""
    for option, names in asked.items():
        if absent := [name for name in names if name not in frame.columns]:
            same = [name for name in frame.columns if name.lower() == absent[0].lower()]
            close = same or difflib.get_close_matches(absent[0], frame.columns, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else ""
            columns = textwrap.shorten(", ".join(frame.columns), 300, placeholder=" ...")
            problem = f"{table} has no column {absent[0]!r} ({option}). Its columns: {columns}"
            raise BadInput("", problem, hint)


def wanted_covariates(frame: pl.DataFrame, asked: TableOptions) -> list[str]:
    """Return the names of the covariates; raise if options name columns that cannot be meant."""
    others = (asked.treatment, asked.outcome)
    if asked.treatment == asked.outcome:
        problem = f"--treatment and --outcome both name {asked.treatment!r}"
        raise BadInput("", f"{problem}: they must be different columns")
    ignored, wanted = (
        names_in(frame.columns, asked.ignore),
        names_in(frame.columns, asked.covariates),
    )
    named = {
        "--treatment": [asked.treatment],
        "--outcome": [asked.outcome],
        "--ignore": ignored,
        "--covariates": wanted,
        "--categories": names_in(frame.columns, asked.categories),
    }
    beside = beside_of(frame, asked)
    for role, option in BESIDE.items():
        named[option] = [beside[role]] if role in beside else []
    check_names(frame, asked.path, named)
    if wrong := [name for name in (*others, *beside.values()) if name in wanted]:
        what = "the treatment or the outcome" if wrong[0] in others else "no covariate"
        raise BadInput("--covariates", f"names {wrong[0]!r}, which is {what}")
    left = (*others, *ignored, *beside.values())
    names = [name for name in wanted or frame.columns if name not in left]
    if not names:
        problem = f"No covariates are left of {asked.path}"
        advice = "it needs columns beside the treatment and the outcome"
        raise BadInput("", f"{problem}: {advice}")
    return names


def _plain(frame: pl.DataFrame, name: str, role: str) -> np.ndarray:
    """Return a treatment or an outcome that has a value in every row.

    Text that spells numbers becomes numbers; numbers mixed with words are an error.
    """
    column = nameless(frame, name)
    values = of_series(nw.from_native(column, series_only=True))
    if isinstance(values, Words) and not values.declared and len(values.words) > MOST_LABELS[role]:
        values = understood(name, values)
    if column.dtype.is_numeric():
        check_finite(name, column.cast(pl.Float64).to_numpy(), BESIDE.get(role, f"--{role}"))
    if isinstance(values, Numbers) and column.dtype == pl.String:
        return values.values
    return as_array(column)
