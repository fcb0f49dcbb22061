"""Options that several commands share, each with its type and its help, once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

NAMES = "names with commas between them"


class Kind(StrEnum):
    """What a treatment may be."""

    arms = "arms"
    dose = "dose"
    auto = "auto"


@dataclass(frozen=True)
class TableOptions:
    """A table in a file, and what people say of it.

    covariates, ignore, categories: names of columns, with commas between them. separator, decimal:
    what a text file has between values, and before the decimals of numbers.
    """

    path: Path
    treatment: str
    outcome: str
    covariates: str = ""
    ignore: str = ""
    categories: str = ""
    separator: str | None = None
    decimal: str = "."


TABLE = Annotated[Path, typer.Argument(help="The table: .csv, .tsv, .parquet, .feather or .arrow.")]
TREATMENT = Annotated[str, typer.Option(help="The column that says how each row was treated.")]
OUTCOME = Annotated[
    str, typer.Option(help="The column of outcomes: numbers, yes / no, or two labels.")
]
COVARIATES = Annotated[str, typer.Option(help=f"Use these columns only: {NAMES}.")]
IGNORE = Annotated[str, typer.Option(help=f"Columns to leave out: {NAMES}.")]
CATEGORIES = Annotated[str, typer.Option(help=f"Columns whose numbers are names: {NAMES}.")]
KIND = Annotated[
    Kind,
    typer.Option(help="What the treatment is; auto: a dose, if it holds many different numbers."),
]
SEPARATOR = Annotated[
    str | None, typer.Option(help="Between the values of a CSV file; left out, a comma.")
]
DECIMAL = Annotated[
    str, typer.Option(help="Before the decimals in a CSV file: '.', or ',' as in 12,5.")
]
SETTINGS = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A hyperparameter, as l2=0.1; more with more --set."
    ),
]
SEED = Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")]
FIRST = Annotated[str | None, typer.Option("--from", help="The arm or dose to compare with.")]
DATA_FOLDER = Annotated[
    Path | None, typer.Option("--data", help="Folder of data files; left out, the usual places.")
]
STORE = Annotated[Path, typer.Option("--store", help="Folder of results.")]
