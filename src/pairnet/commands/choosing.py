"""What commands take from a table: the covariates, treatments and outcomes of complete rows."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import narwhals as nw
import numpy as np
import polars as pl

from pairnet.commands.options import TableOptions
from pairnet.commands.wording import in_lines
from pairnet.core.errors import BadInput
from pairnet.tables import Schema
from pairnet.tables.columns import check_finite, understood
from pairnet.tables.exact import nameless, picked, replaced
from pairnet.tables.files import read_table
from pairnet.tables.single import as_array
from pairnet.tables.values import Numbers, Words, of_series

# text with more different values, most of which spell numbers, is meant to be numbers
MOST_LABELS = {"treatment": 10, "outcome": 2}


class Chosen(NamedTuple):
    """What a command takes from a table."""

    frame: pl.DataFrame  # as it was read
    x: pl.DataFrame  # covariates of the rows that have a treatment and an outcome
    treatment: np.ndarray
    outcome: np.ndarray
    schema: Schema  # what the covariates are, learned from x


def chosen(asked: TableOptions) -> Chosen:
    """Read a table, and take from it what the options ask for."""
    frame = read_table(asked.path, asked.separator, decimal=asked.decimal)
    covariates = _covariates(frame, asked)
    frame = _with_categories(frame, names_in(frame.columns, asked.categories))
    both = (asked.treatment, asked.outcome)
    has_treatment, has_outcome = (_present(nameless(frame, name)) for name in both)
    is_complete = has_treatment & has_outcome
    kept = frame.filter(is_complete)
    if kept.height == 0:
        what = f"both a treatment ({asked.treatment!r}) and an outcome ({asked.outcome!r})"
        raise BadInput("", f"No row of {asked.path} has {what}")
    x = picked(kept, covariates)
    positions = is_complete.arg_true().to_numpy()  # errors name rows as they are in the file
    with in_lines(asked.path, asked.separator, positions):
        schema = Schema.of(x)
        treatment = _plain(kept, asked.treatment, "treatment")
        outcome = _plain(kept, asked.outcome, "outcome")
    return Chosen(frame, x, treatment, outcome, schema)


def names_in(columns: Collection[str], text: str) -> list[str]:
    """Return the names in a list with commas; the whole text is one name if a column has it."""
    if text and text in columns:
        return [text]
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def check_names(frame: pl.DataFrame, table: Path, asked: Mapping[str, Sequence[str]]) -> None:
    """Raise if a table lacks a column that an option names; `asked` has the names by option."""
    for option, names in asked.items():
        if absent := [name for name in names if name not in frame.columns]:
            same = [name for name in frame.columns if name.lower() == absent[0].lower()]
            close = same or difflib.get_close_matches(absent[0], frame.columns, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else ""
            columns = textwrap.shorten(", ".join(frame.columns), 300, placeholder=" ...")
            problem = f"{table} has no column {absent[0]!r} ({option}). Its columns: {columns}"
            raise BadInput("", problem, hint)


def _covariates(frame: pl.DataFrame, asked: TableOptions) -> list[str]:
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
    check_names(frame, asked.path, named)
    if wrong := [name for name in others if name in wanted]:
        problem = f"names {wrong[0]!r}, which is the treatment or the outcome"
        raise BadInput("--covariates", problem)
    names = [name for name in wanted or frame.columns if name not in (*others, *ignored)]
    if not names:
        problem = f"No covariates are left of {asked.path}"
        advice = "it needs columns beside the treatment and the outcome"
        raise BadInput("", f"{problem}: {advice}")
    return names


def _with_categories(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return a table in which the columns of these names are declared to be categories."""
    return replaced(frame, {name: _category(name, nameless(frame, name)) for name in names})


def _category(name: str, column: pl.Series) -> pl.Series:
    try:
        return column.cast(pl.String).cast(pl.Categorical)
    except pl.exceptions.PolarsError:
        problem = f"names column {name!r}, which holds values of the type {column.dtype}"
        raise BadInput("--categories", f"{problem}: expected text, numbers or dates") from None


def _present(column: pl.Series) -> pl.Series:
    """Tell which rows have a value other than NaN and empty text."""
    has_value = column.is_not_null()
    if column.dtype.is_float():
        return has_value & column.is_not_nan().fill_null(False)
    if column.dtype == pl.String:
        return has_value & (column.str.strip_chars() != "").fill_null(False)
    return has_value


def _plain(frame: pl.DataFrame, name: str, role: str) -> np.ndarray:
    """Return a treatment or an outcome that has a value in every row.

    Text that spells numbers becomes numbers; numbers mixed with words are an error.
    """
    column = nameless(frame, name)
    values = of_series(nw.from_native(column, series_only=True))
    if isinstance(values, Words) and not values.declared and len(values.words) > MOST_LABELS[role]:
        values = understood(name, values)
    if column.dtype.is_numeric():
        check_finite(name, column.cast(pl.Float64).to_numpy(), f"--{role}")
    if isinstance(values, Numbers) and column.dtype == pl.String:
        return values.values
    return as_array(column)
