"""The door for tables that are read in blocks: what a fit needs of them, in bounded memory.

The table is read twice: once to learn what its columns are (`pairnet.tables.gathered`), and once to
turn its covariates into numbers of 32 bits, which lie in a file if they are many. Rows stay in the
order of the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.spool import spooled
from pairnet.core.treatments import Treatment, treatment_of
from pairnet.core.types import Rows
from pairnet.model import door
from pairnet.model.designs import clusters_of, design_of, group_names
from pairnet.model.named import check_named
from pairnet.tables.gathered import encoded, gathered
from pairnet.tables.source import Scan

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
    named = {role: name for role, name in roles.items() if name is not None}
    if isinstance(propensity, str):
        named["propensity"] = propensity
    for role, name in named.items():
        if not isinstance(name, str):
            came = f"values of the type {type(name).__name__}"
            problem = f"must name a column of a table that is read in blocks, got {came}"
            raise BadInput(role, problem)
    source = scan.source()
    check_named(named, source.names)
    covariates = [name for name in source.names if name not in named.values()]
    in_weight = lambda frame: _has_weight(frame, named.get("sample_weight"))
    known = gathered(source, covariates, list(named.values()), in_weight, seed)
    if not known.rows:
        raise BadInput("X", f"has no row in {scan.path} that takes part")
    rows = known.rows
    of = lambda role: known.beside[named[role]] if role in named else None
    outcome, labels = door.outcomes(_compact(of("y")), rows)
    received = door.treatment_column(_compact(of("treatment")), rows)
    weight = door.weights(of("sample_weight"), rows)
    together = group_names(of("groups"), rows)
    schema = known.schema()
    taken = treatment_of(received, kind, takes, method)
    t = taken.encode(received, "treatment")
    taken = taken.arranged(t, lambda: np.argsort(np.argsort(outcome, kind="stable")))
    t = taken.encode(received, "treatment")
    x = spooled(rows, len(schema.features))
    encoded(source, schema, known, covariates, x)
    chances = of("propensity") if isinstance(propensity, str) else propensity
    return door.FitTable(
        Rows(x, t, outcome, weight),
        known.place,
        schema,
        taken,
        labels,
        {role: named[key] for role, key in (("treatment", "treatment"), ("outcome", "y"))},
        clusters_of(together, t, taken),
        design_of(chances, rows, taken),
    )


def _has_weight(frame: pl.DataFrame, name: str | None) -> np.ndarray:
    """Tell which rows of a block have a weight; weights that are none are found later."""
    if name is None:
        return np.ones(frame.height, bool)
    return np.asarray((frame.get_column(name) != 0).fill_null(True).to_numpy(), bool)


def _compact(column: pl.Series | None) -> Any:
    """Return a column; text of few different values as an array, which costs no object a row."""
    import polars as pl

    if column is None or column.dtype != pl.String or column.null_count():
        return column
    words = column.unique().sort()
    if len(words) > MOST_LABELS:
        return column
    return np.asarray(words.to_list())[column.cast(pl.Enum(words)).to_physical().to_numpy()]
