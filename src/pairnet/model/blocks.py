"""Answers about tables that are read in blocks: only the answers are in memory as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.model.model import Model
from pairnet.model.question import ask
from pairnet.tables.columns import Strangeness
from pairnet.tables.source import Scan, block_rows

if TYPE_CHECKING:
    import polars as pl


def effect(model: Model, scan: Scan, T0: Any, T1: Any) -> pl.Series:
    """Return the effect of each row of a table, in its order; T0 and T1 are one for all rows."""
    import polars as pl

    for name, treatment in (("T0", T0), ("T1", T1)):
        if np.ndim(treatment) > 0:
            raise BadInput(name, "must be one treatment for all rows of a table in blocks")
    schema, strangeness = model.schema, Strangeness()
    source = scan.source(schema)
    names = [name for name in schema.used if name in source.names] if schema.named else None
    parts = []
    for block in source.blocks(block_rows(len(schema.features)), names):
        try:
            table = schema.of_rows(block.frame if schema.named else block.frame.to_numpy())
            own = Strangeness()
            table.encoded = schema.encode_noting(table, own)
            parts.append(ask(model, table, T0, T1).effect)
        except BadInput as error:
            raise error.below(block.start) from None
        strangeness.add(own.notes)
    strangeness.tell()
    return pl.Series("effect", np.concatenate(parts))
