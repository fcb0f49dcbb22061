"""Options that several commands share, each with its type and its help, once."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

DEFAULT_METHOD = "stack"  # of `pairnet fit`, if none is named
LIST_OF_NAMES = "names with commas between them"


class Preset(StrEnum):
    """Which learners a stack has."""

    fast = "fast"
    balanced = "balanced"
    best = "best"


class Kind(StrEnum):
    """What a treatment may be."""

    arms = "arms"
    dose = "dose"
    auto = "auto"


class Target(StrEnum):
    """Whose average effect is said."""

    all = "all"
    treated = "treated"
    untreated = "untreated"
    overlap = "overlap"


SeparatorOption = Annotated[
    str | None, typer.Option(help="Between the values of a CSV file; left out, a comma.")
]
DecimalOption = Annotated[
    str | None,
    typer.Option(help="Before decimals: '.', or ',' as in 12,5; left out, the file tells."),
]
ThousandsOption = Annotated[
    str | None,
    typer.Option(help="Between thousands: ',' as in 1,234; left out, the file tells."),
]
NaOption = Annotated[
    str,
    typer.Option("--na", help="More values that mean missing: -9,unknown."),
]
SkipRowsOption = Annotated[
    int | None,
    typer.Option(min=0, help="Lines above the column names; left out, the file tells."),
]
SheetOption = Annotated[
    str | None, typer.Option(help="The sheet of a workbook, by its name or number.")
]


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """What the user says about how a table is written in its file; None: the file tells.

    separator, decimal, thousands: the character between values, and the marks of numbers. na: words
    for missing values, with commas between them. skip_rows: how many lines stand above the names
    of columns. sheet: of a workbook, its name or number.
    """

    separator: SeparatorOption = None
    decimal: DecimalOption = None
    thousands: ThousandsOption = None
    na: NaOption = ""
    skip_rows: SkipRowsOption = None
    sheet: SheetOption = None

    def typed(self) -> dict[str, str]:
        """Return the options that are said, as they are typed."""
        said = {name: value for name, value in vars(self).items() if value not in (None, "")}
        own = {field.name for field in dataclasses.fields(FileOptions)}
        return {f"--{name.replace('_', '-')}": str(said[name]) for name in said if name in own}


def with_file_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of files, which it takes as one argument, `file`."""
    fields = dataclasses.fields(FileOptions)
    hints = get_type_hints(FileOptions, include_extras=True)

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        file = {field.name: given.pop(field.name) for field in fields}
        command(file=FileOptions(**file), **given)

    own = inspect.signature(command, eval_str=True).parameters.values()
    both = [parameter for parameter in own if parameter.name != "file"]
    keyword = inspect.Parameter.KEYWORD_ONLY
    for field in fields:
        hint, default = hints[field.name], field.default
        both.append(inspect.Parameter(field.name, keyword, default=default, annotation=hint))
    both = [parameter.replace(kind=keyword) for parameter in both]
    with_options.__signature__ = inspect.Signature(both)  # type: ignore[attr-defined]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in both}
    return with_options


@dataclass(frozen=True)
class TableOptions(FileOptions):
    """A table in a file, and what the user says about it.

    covariates, ignore, categories: names of columns, with commas between them. weights, clusters:
    columns of weights, and of what keeps rows together. propensity: a column of chances of the
    treated arm, a number, or arm=number for each arm, with commas between them.
    """

    path: Path
    treatment: str
    outcome: str
    covariates: str = ""
    ignore: str = ""
    categories: str = ""
    weights: str | None = None
    clusters: str | None = None
    propensity: str | None = None


@dataclass(frozen=True)
class PolicyOptions:
    """What `pairnet policy` is asked for.

    cost: a number, or arm=number with commas between them. column: of what a row costs beside that.
    bounds: the smallest and the largest dose, with a comma between them.
    """

    budget: float | None = None
    cost: str | None = None
    column: str | None = None
    worth: float | None = None
    start: str | None = None
    to: str | None = None
    bounds: str | None = None
    goal: str = "max"
    alpha: float = 0.05
    keep: str = ""


TableArgument = Annotated[
    Path,
    typer.Argument(
        help="The table: .csv, .tsv or .txt; .csv.gz, .csv.zst or .tsv.gz; .xlsx, .xls, .xlsm, "
        ".xlsb or .ods; .json, .jsonl or .ndjson; .parquet, .feather or .arrow; .dta, .sav or "
        ".zsav."
    ),
]
TreatmentOption = Annotated[
    str, typer.Option(help="The column that says how each row was treated.")
]
OutcomeOption = Annotated[
    str, typer.Option(help="The column of outcomes: numbers, yes / no, or two labels.")
]
CovariatesOption = Annotated[str, typer.Option(help=f"Use these columns only: {LIST_OF_NAMES}.")]
IgnoreOption = Annotated[str, typer.Option(help=f"Columns to leave out: {LIST_OF_NAMES}.")]
CategoriesOption = Annotated[
    str, typer.Option(help=f"Columns whose numbers are names: {LIST_OF_NAMES}.")
]
MembersOption = Annotated[
    int, typer.Option(min=1, help="How many folds the stack has, or networks to train and average.")
]
BootstrapOption = Annotated[
    bool | None,
    typer.Option(
        help="Of one method: train each network on its own draw of the rows, for intervals; left "
        "out, yes."
    ),
]
PresetOption = Annotated[
    Preset | None,
    typer.Option(help="How many learners the stack has; left out, balanced."),
]
TimeLimitOption = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", help="After 90s, 5m or 1h the stack makes do with the learners it has."
    ),
]
KindOption = Annotated[
    Kind,
    typer.Option(help="What the treatment is; auto: a dose, if it holds many different numbers."),
]
TargetOption = Annotated[
    Target | None, typer.Option(help="Whose average effect; overlap: who might have had either.")
]
WeightsOption = Annotated[
    str | None, typer.Option("--weights", help="A column that says how much each row counts.")
]
ClustersOption = Annotated[
    str | None,
    typer.Option("--clusters", help="A column whose equal values keep rows together: a village."),
]
PropensityOption = Annotated[
    str | None,
    typer.Option(
        "--propensity",
        metavar="COLUMN|NUMBER",
        help="Of an experiment: the chance of the treatment, or arm=number,arm=number.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A hyperparameter, as l2=0.1; more with more --set."
    ),
]
EngineOption = Annotated[
    str | None,
    typer.Option("--engine", help="here or processes; left out, processes if --jobs is above 1."),
]
JobsOption = Annotated[int, typer.Option("--jobs", min=1, help="So many processes side by side.")]
SeedOption = Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")]
ByOption = Annotated[
    str, typer.Option(help=f"Covariates whose groups are shown, too: {LIST_OF_NAMES}.")
]
ModelArgument = Annotated[
    Path, typer.Argument(help="The folder of a model that `pairnet fit` made.")
]
OutOption = Annotated[
    Path, typer.Option("--out", "-o", help="The table to write; its ending says the format.")
]
KeepOption = Annotated[
    str, typer.Option(help=f"Covariates to write, too: {LIST_OF_NAMES}, or all.")
]
GoalOption = Annotated[
    str, typer.Option(help="Whether a large outcome is good (max) or a small one (min).")
]
AlphaOption = Annotated[float, typer.Option(help="The share of intervals that may miss.")]
BudgetOption = Annotated[
    float | None, typer.Option(help="The most to spend; left out, there is no limit.")
]
CostOption = Annotated[
    str | None,
    typer.Option(
        metavar="NUMBER",
        help="What it costs to treat a row (of doses, a unit), or arm=number,arm=number.",
    ),
]
CostColumnOption = Annotated[
    str | None, typer.Option("--cost-column", help="A column of what each row costs, besides.")
]
WorthOption = Annotated[
    float | None, typer.Option(help="What a unit of the outcome is worth, in units of cost.")
]
BoundsOption = Annotated[
    str | None,
    typer.Option(metavar="LOW,HIGH", help="Of doses: the smallest and the largest to give."),
]
AbstainOption = Annotated[
    bool, typer.Option("--abstain", help="Leave rows without good evidence empty.")
]
EvidenceOption = Annotated[
    bool, typer.Option(help="Write the evidence (slow to find for millions of rows).")
]
MarkdownOption = Annotated[
    Path | None, typer.Option("--markdown", help="Of experiments: a Markdown file to write.")
]
TablesOption = Annotated[
    Path | None, typer.Option("--csv", help="Of experiments: a folder for CSV files.")
]
ReplicationsOption = Annotated[
    int | None,
    typer.Option(min=1, help="So many of each column; left out, all of the paper's."),
]
MinutesOption = Annotated[
    float | None, typer.Option(min=0, help="Begin no fit after so many minutes.")
]
KnownOption = Annotated[
    Path | None, typer.Option(help="Folder of CSV files whose results need not be made.")
]
FoldsOption = Annotated[
    int, typer.Option(min=1, help="Parts of the table that are scored in turn; 1 is quick.")
]
StudyOption = Annotated[str, typer.Option(help="The study: confounded (made here) or ihdp.")]
DemoDataOption = Annotated[
    Path | None, typer.Option(help="Folder of data files, for studies that are not made here.")
]
MethodOption = Annotated[
    str, typer.Option(help="The stack of several learners, or one, as `pairnet list` names it.")
]
MethodsOption = Annotated[
    str | None,
    typer.Option(help=f"Which methods: {LIST_OF_NAMES}; left out, the stack and some learners."),
]
ExperimentsArgument = Annotated[
    list[str], typer.Argument(help="Experiments, as `pairnet list` names them, or `all`.")
]
RowsOption = Annotated[
    str | None, typer.Option(help="Only these rows, with commas: tarnet,pairnet.")
]
CalculatorOption = Annotated[
    bool,
    typer.Option(
        "--calculator", help="Put a small copy of a large model into the page, for readers to ask."
    ),
]
FromOption = Annotated[str | None, typer.Option("--from", help="The arm or dose to compare with.")]
DataOption = Annotated[
    Path | None, typer.Option("--data", help="Folder of data files; left out, the usual places.")
]
StoreOption = Annotated[Path, typer.Option("--store", help="Folder of results.")]
