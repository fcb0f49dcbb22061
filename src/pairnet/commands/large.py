"""Tables that `pairnet fit` reads in blocks: a folder of files, or a file that is large."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl

from pairnet.commands.asked import TableOptions
from pairnet.commands.choosing import beside_of, by_arm, names_in, wanted_covariates
from pairnet.core.errors import BadInput
from pairnet.methods import Estimator
from pairnet.model import streamed
from pairnet.model.door import FitTable
from pairnet.tables.files import format_of
from pairnet.tables.location import Location
from pairnet.tables.source import scan

LARGE = 2**28  # bytes of a file that is not read whole


def is_large(path: Location) -> bool:
    """Tell whether a table is a folder, or a file that is large and can be read in parts."""
    if not isinstance(path, Path):
        return False
    if path.is_dir():
        return True
    with suppress(OSError, BadInput):
        return path.stat().st_size > LARGE and format_of(path).has_parts
    return False


def entered(asked: TableOptions, learner: Estimator, say: Callable[[str], None]) -> FitTable:
    """Read a table in blocks, and return what a fit needs of the rows that can take part."""
    _check_options(asked)
    assert isinstance(asked.path, Path)
    words = tuple(word for word in map(str.strip, asked.na.split(",")) if word)
    options: dict[str, Any] = {"separator": asked.separator, "decimal": asked.decimal, "na": words}
    names = scan(asked.path, **options).source().names
    empty = pl.DataFrame({name: [] for name in names})
    covariates = wanted_covariates(empty, asked)
    beside = beside_of(empty, asked)
    chances: Any = beside.get("propensity")
    if asked.propensity is not None and chances is None:
        chances = by_arm(asked.propensity)
    say(f"{asked.path} is read in blocks, twice: once to learn what its columns are.")
    table = scan(
        asked.path,
        **options,
        covariates=covariates,
        categories=names_in(names, asked.categories),
        complete=True,
    )
    return streamed.enter(
        table,
        asked.outcome,
        asked.treatment,
        beside.get("weight"),
        groups=beside.get("clusters"),
        propensity=chances,
        kind=learner.treatment,
        takes=learner.takes,
        method=learner.label,
        seed=learner.seed,
    )


def _check_options(asked: TableOptions) -> None:
    """Raise for options of files that are read whole."""
    for option in ("--thousands", "--skip-rows", "--sheet"):
        if option in asked.typed():
            problem = f"is for a file that is read whole; {asked.path} is read in blocks"
            raise BadInput(option, problem, "Write the table plainly first, as .parquet, say.")
