"""The door for tables that are read in blocks: what a fit needs of them, in bounded memory.

The table is read twice: once to learn what its columns are (`pairnet.tables.gathered`), and once to
turn its covariates into numbers of 32 bits, which lie in a file if they are many. Then rows stay in
the order of the files; else they are sorted by content, as those of tables in memory are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pairnet.core.errors import BadInput, listed
from pairnet.core.spool import is_in_file, spooled
from pairnet.core.treatments import Treatment, treatment_of
from pairnet.core.types import Rows
from pairnet.model import door
from pairnet.model.designs import clusters_of, design_of, group_names
from pairnet.model.named import check_named
from pairnet.tables.declared import present
from pairnet.tables.exact import nameless
from pairnet.tables.gathered import encoded, gathered
from pairnet.tables.source import Scan, Source

if TYPE_CHECKING:
    import polars as pl

MOST_LABELS = 1000  # different texts of a treatment or an outcome that are kept as numbers


def enter(
    scan: Scan,
    y: Any,
    treatment: Any,
    sample_weight: Any,
    *,
    groups: Any = None,
    propensity: Any = None,
    kind: str,
    takes: tuple[type[Treatment], ...],
    method: str,
    seed: int = 0,
) -> door.FitTable:
    """Check the arguments of a fit, and return the table as arrays; see `door.enter`.

    y, treatment and the others are names of columns.
    """
    door.has_treatment(treatment, "fit")
    roles = {"y": y, "treatment": treatment, "sample_weight": sample_weight, "groups": groups}
    named = _names_of(roles | {"propensity": propensity if isinstance(propensity, str) else None})
    source = scan.source()
    check_named(named, source.names)
    own = source.names if scan.covariates is None else scan.covariates
    covariates = [name for name in own if name not in named.values()]
    _check_columns(source, covariates, scan.categories)
    categories = [name for name in scan.categories if name in covariates]
    keep = lambda frame: _takes_part(frame, named, scan.complete)
    known = gathered(source, covariates, list(named.values()), keep, seed, categories)
    if not known.rows:
        named_columns = listed([repr(name) for name in named.values()])
        lacks = f"a value in each of {named_columns}" if scan.complete else "a weight"
        raise BadInput("", f"No row of {scan.path} has {lacks}")
    rows = known.rows
    of = lambda role: known.beside[named[role]] if role in named else None
    outcome, labels = door.outcomes(_compact(of("y")), rows)
    received = door.treatment_column(_compact(of("treatment")), rows)
    weight = door.weights(of("sample_weight"), rows)
    together = group_names(of("groups"), rows)
    schema = replace(known.schema(), written=source.writing.of(covariates))
    taken = treatment_of(received, kind, takes, method)
    t = taken.encode(received, "treatment")
    taken = taken.arranged(t, lambda: np.argsort(np.argsort(outcome, kind="stable")))
    t = taken.encode(received, "treatment")
    x = spooled(rows, len(schema.features))
    encoded(source, schema, known, covariates, x)
    chances = of("propensity") if isinstance(propensity, str) else propensity
    design = design_of(chances, rows, taken)
    order = slice(None) if is_in_file(x) else door.canonical_order(x, outcome, t)
    t = t[order]
    return door.FitTable(
        Rows(x[order], t, outcome[order], weight[order]),
        known.place[order],
        schema,
        taken,
        labels,
        {role: named[key] for role, key in (("treatment", "treatment"), ("outcome", "y"))},
        clusters_of(None if together is None else together[order], t, taken),
        None if design is None else design[order],
        known.all_rows,
    )


def _names_of(roles: Mapping[str, Any]) -> dict[str, str]:
    """Return the columns that are named, by their roles; raise for what is no name."""
    named = {role: name for role, name in roles.items() if name is not None}
    for role, name in named.items():
        if not isinstance(name, str):
            came = f"values of the type {type(name).__name__}"
            problem = f"must name a column of a table that is read in blocks, got {came}"
            raise BadInput(role, problem)
    return named


def _check_columns(source: Source, covariates: Sequence[str], categories: Sequence[str]) -> None:
    """Raise if covariates are named that are not there, or can be read in two ways."""
    for name in (*covariates, *categories):
        if name not in source.names:
            raise BadInput("X", f"has no column {name!r}: {source.path}")
    for name in covariates:
        if name in source.doubts:
            raise source.doubts[name]


def _takes_part(frame: pl.DataFrame, named: Mapping[str, str], complete: bool) -> np.ndarray:
    """Tell which rows of a block take part: those of weight 0 do not.

    complete: whether rows that lack a value in one of the columns named do not, either.
    """
    mask = np.ones(frame.height, bool)
    if "sample_weight" in named:
        has_weight = nameless(frame, named["sample_weight"]) != 0
        mask &= np.asarray(has_weight.fill_null(True).to_numpy(), bool)
    for name in named.values() if complete else ():
        mask &= present(nameless(frame, name)).to_numpy()
    return mask


def _compact(column: pl.Series | None) -> Any:
    """Return a column; text of few different values as an array, which costs no object a row."""
    import polars as pl

    if column is None or column.dtype != pl.String or column.null_count():
        return column
    words = column.unique().sort()
    if len(words) > MOST_LABELS:
        return column
    return np.asarray(words.to_list())[column.cast(pl.Enum(words)).to_physical().to_numpy()]
