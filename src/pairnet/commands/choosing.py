"""What commands take of a table: covariates, treatments and outcomes of the rows that have them;
columns by name."""

from __future__ import annotations

import difflib
import textwrap
from pathlib import Path
from typing import NamedTuple

import narwhals as nw
import numpy as np
import polars as pl

from pairnet.commands.saying import in_lines
from pairnet.tables import Schema
from pairnet.tables.columns import check_finite, understood
from pairnet.tables.files import read_table
from pairnet.tables.values import Numbers, Words, of_series

MOST_LABELS = 10  # text with more different values that mostly spell numbers is meant to be numbers


class Chosen(NamedTuple):
    """What a command takes of a table."""

    frame: pl.DataFrame  # as it was read
    x: pl.DataFrame  # covariates of the rows that have a treatment and an outcome
    treatment: np.ndarray
    outcome: np.ndarray


def chosen(
    table: Path,
    treatment: str,
    outcome: str,
    ignore: str = "",
    covariates: str = "",
    categories: str = "",
    separator: str | None = None,
    decimal: str = ".",
) -> Chosen:
    """Read a table, and take from it what was asked for."""
    frame = read_table(table, separator, decimal=decimal)
    frame, names = _choose(frame, table, treatment, outcome, ignore, covariates, categories)
    complete = _present(frame[treatment]) & _present(frame[outcome])
    with in_lines(table, separator):
        _check(frame, names, treatment, outcome, complete)
    kept = frame.filter(complete)
    if kept.height == 0:
        raise ValueError(
            f"No row of {table} has both a treatment ({treatment!r}) and an outcome ({outcome!r})."
        )
    return Chosen(
        frame, kept.select(names), _plain(kept[treatment], MOST_LABELS), _plain(kept[outcome], 2)
    )


def _check(
    frame: pl.DataFrame, names: list[str], treatment: str, outcome: str, complete: pl.Series
) -> None:
    """Raise what is wrong with values before rows are dropped, so that errors name rows as they are
    in the file."""
    Schema.of(frame.select(names))
    for option, name, labels in (
        ("--treatment", treatment, MOST_LABELS),
        ("--outcome", outcome, 2),
    ):
        _plain(frame.select(pl.when(complete).then(name).alias(name))[name], labels)
        if frame[name].dtype.is_numeric():
            check_finite(name, frame[name].cast(pl.Float64).to_numpy(), option)


def _choose(
    frame: pl.DataFrame,
    table: Path,
    treatment: str,
    outcome: str,
    ignore: str,
    covariates: str,
    categories: str,
) -> tuple[pl.DataFrame, list[str]]:
    """Return the table with its categories declared, and the names of the covariates."""
    if treatment == outcome:
        raise ValueError(
            f"--treatment and --outcome both name {treatment!r}: they must be different columns."
        )
    left, chosen, declared = (listed(frame, text) for text in (ignore, covariates, categories))
    asked = {"--treatment": [treatment], "--outcome": [outcome], "--ignore": left}
    check_names(frame, table, asked | {"--covariates": chosen, "--categories": declared})
    if wrong := [name for name in (treatment, outcome) if name in chosen]:
        raise ValueError(f"--covariates names {wrong[0]!r}, which is the treatment or the outcome.")
    names = [name for name in chosen or frame.columns if name not in (treatment, outcome, *left)]
    if not names:
        raise ValueError(
            f"No covariates are left of {table}: it needs columns beside the treatment and the "
            "outcome."
        )
    text = [pl.col(name).cast(pl.String).cast(pl.Categorical) for name in declared]
    return frame.with_columns(text), names


def listed(frame: pl.DataFrame, text: str) -> list[str]:
    """Return the names in a list with commas; a column whose own name has commas is one name."""
    if text and text in frame.columns:
        return [text]
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def check_names(frame: pl.DataFrame, table: Path, asked: dict[str, list[str]]) -> None:
    """Raise if a table lacks a column that an option names."""
    for option, names in asked.items():
        if absent := [name for name in names if name not in frame.columns]:
            same = [name for name in frame.columns if name.lower() == absent[0].lower()]
            close = same or difflib.get_close_matches(absent[0], frame.columns, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            known = textwrap.shorten(", ".join(frame.columns), 300, placeholder=" ...")
            raise ValueError(
                f"{table} has no column {absent[0]!r} ({option}). Its columns: {known}.{hint}"
            )


def _present(column: pl.Series) -> pl.Series:
    known = column.is_not_null()
    if column.dtype.is_float():
        return known & column.is_not_nan().fill_null(False)
    return (
        known & (column.str.strip_chars() != "").fill_null(False)
        if column.dtype == pl.String
        else known
    )


def _plain(column: pl.Series, labels: int) -> np.ndarray:
    """Return a treatment or an outcome; text that spells numbers is numbers, and mixed with words
    an error."""
    values = of_series(nw.from_native(column, series_only=True))
    if isinstance(values, Words) and not values.declared:
        values = understood(column.name, values) if len(values.words) > labels else values
    if isinstance(values, Numbers) and column.dtype == pl.String:
        return values.values
    return column.to_numpy()
