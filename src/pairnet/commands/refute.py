"""`pairnet refute`: try to refute the average effect of a model, and keep what was found."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import polars as pl

from pairnet.commands.choosing import check_names, names_in, present
from pairnet.commands.options import FileOptions, RefuteOptions
from pairnet.commands.reading import in_lines_of, read_for
from pairnet.commands.rows import label_of
from pairnet.commands.saying import paragraphs
from pairnet.commands.wording import notes
from pairnet.methods import Estimator, load
from pairnet.model.folder import can_write
from pairnet.tables.exact import nameless, picked


def refute(
    folder: Path,
    table: Path | None,
    asked: RefuteOptions,
    file: FileOptions,
    say: Callable[[str], None],
) -> None:
    """Try to refute, print what was found, and save it in the folder of the model.

    table: where negative controls are that are no covariates.
    """
    can_write(folder)
    method = load(folder)
    T0, T1 = (
        label_of(method.treatment_, text, name)
        for text, name in ((asked.start, "T0"), (asked.to, "T1"))
    )
    known = [str(name) for name in method.schema_.names]
    frame = None if table is None else _rows_of_fit(method, table, file)
    names = names_in(known if frame is None else frame.columns, asked.controls)
    rows = None
    if frame is not None and table is not None:
        check_names(frame, table, {"--negative-controls": names})
        used = [str(column.name) for column in method.schema_.columns if column.features]
        rows = picked(frame, [*used, *(name for name in names if name not in used)])
    with notes(), nullcontext() if table is None else in_lines_of(table, file):
        found = method.refute(
            rows,
            T0=T0,
            T1=T1,
            negative_controls=names or None,
            repeats=asked.repeats,
            quick=asked.quick,
            seed=asked.seed,
        )
    said = found.notes()
    say("\n".join(str(found).splitlines()[: -len(said)]))
    say(paragraphs(*said))
    method.save(folder)
    say(paragraphs(f"Kept in {folder}: its reports show it."))


def _rows_of_fit(method: Estimator, table: Path, file: FileOptions) -> pl.DataFrame:
    """Return the rows of a table that `fit` took: those with a treatment and an outcome."""
    frame = read_for(method.schema_, table, file).frame
    for name in method.model_.names.values():
        if name in frame.columns:
            frame = frame.filter(present(nameless(frame, name)))
    return frame
