"""Covariates X and controls W as one table, whatever they are: X first, then W."""

from __future__ import annotations

from typing import Any

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.model import door
from pairnet.tables import AbstractTable, opened


def joined(X: Any, W: Any) -> tuple[Any, int]:
    """Return a table with the columns of X and of W, and how many columns are those of X.

    X may be None: then all columns are controls.
    """
    controls = table_of(W)
    if X is None:
        return controls.native(), 0
    known = table_of(X)
    if known.rows != controls.rows:
        problem = f"must have the rows of X: expected {known.rows}, got {controls.rows}"
        raise BadInput("W", problem)
    door.aligned(X, W=W)
    if known.names is None and controls.names is None:
        return np.hstack([_array(known), _array(controls)]), known.width
    names = _names(known, "X"), _names(controls, "W")
    if both := sorted(set(names[0]) & set(names[1])):
        raise BadInput("W", f"has columns that X has, too: {both[:5]}", "Pass each column once.")
    return _side_by_side(known, controls, names), known.width


def table_of(X: Any) -> AbstractTable:
    """Open a table; one column alone, as EconML takes it, is a table of one column."""
    is_series = np.ndim(X) == 1 and not isinstance(X, list | tuple)
    return opened(np.asarray(X).reshape(-1, 1) if is_series else X)


def _array(table: AbstractTable) -> np.ndarray:
    return np.asarray(table.native())


def _names(table: AbstractTable, letter: str) -> tuple[str, ...]:
    return table.names or tuple(f"{letter}{place}" for place in range(table.width))


def _side_by_side(
    known: AbstractTable, controls: AbstractTable, names: tuple[tuple[str, ...], tuple[str, ...]]
) -> Any:
    """Return a frame of both tables, of the library of the first one that is a frame."""
    import narwhals as nw

    frames = [nw.from_native(t.native()) if t.names else None for t in (known, controls)]
    first = next(frame for frame in frames if frame is not None)
    parts = []
    for table, frame, own in zip((known, controls), frames, names, strict=True):
        if frame is None:
            columns = {name: _array(table)[:, at] for at, name in enumerate(own)}
            frame = nw.from_dict(columns, backend=first.implementation)
        elif frame.implementation != first.implementation:
            raise BadInput("W", "must be a data frame of the library of X, or an array")
        parts.append(nw.maybe_reset_index(frame))
    return nw.concat(parts, how="horizontal").to_native()
