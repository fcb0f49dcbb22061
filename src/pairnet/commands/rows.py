"""Rows of a table that a model is asked about, and where the results go."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import polars as pl

from pairnet.commands.choosing import check_names, names_in
from pairnet.core.treatments import Treatment
from pairnet.tables import Schema
from pairnet.tables.columns import is_identifiers_name
from pairnet.tables.exact import picked
from pairnet.tables.location import Location


def label_of(treatment: Treatment, text: str | None, argument: str) -> Any:
    """Return the arm or dose that a text names, or None for no text."""
    return None if text is None else treatment.label_in(text, argument)


def check_is_not(out: Path, table: Location) -> None:
    """Raise if the results would overwrite the table that they are about."""
    if isinstance(table, Path) and out.exists() and table.exists() and out.samefile(table):
        raise ValueError(
            f"--out is the table itself, {table}: its covariates would be lost. Name another file."
        )


def check_is_not_in(out: Path, folder: Path) -> None:
    """Raise if results would lie among the files of a model."""
    if out.absolute().parent.samefile(folder):
        raise ValueError(
            f"--out would lie among the files of the model, in {folder}. Name a file somewhere "
            "else."
        )


def covariates_of(schema: Schema, frame: pl.DataFrame, table: Location) -> Any:
    """Return the model's covariates from a table that may hold more columns."""
    if not schema.named:
        return (
            frame.to_numpy() if all(dtype.is_numeric() for dtype in frame.dtypes) else frame.rows()
        )
    return picked(frame, used_of(schema, frame.columns, table))


def used_of(schema: Schema, names: Collection[str], table: Location) -> list[str]:
    """Return the names of the model's covariates; raise if a table lacks one."""
    used = list(schema.used)
    if absent := [name for name in used if name not in names]:
        few = ", ".join(map(repr, absent[:5])) + (", ..." if len(absent) > 5 else "")
        raise ValueError(
            f"{table} lacks {len(absent)} of the {len(used)} covariates of the model: {few}."
        )
    return used


def beside_results(
    schema: Schema, frame: pl.DataFrame, table: Location, keep: str, results: Collection[str]
) -> list[str]:
    """Return the columns to write beside the results.

    They are identifiers, all columns that are no covariates, and those to keep.
    """
    wanted = frame.columns if keep == "all" else names_in(frame.columns, keep)
    check_names(frame, table, {"--keep": wanted})
    used = {column.name for column in schema.columns if column.features}
    carried = lambda name: name in wanted or name not in used or is_identifiers_name(name)
    return [name for name in frame.columns if carried(name) and name not in results]
