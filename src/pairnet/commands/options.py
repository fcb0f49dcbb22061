"""Every option of the command line: its type, its name, what it means, and its group in the help.

Of an option that is not said the value is None, where a command has to know that.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

DEFAULT_METHOD = "stack"  # of `pairnet fit`, if none is named
# The groups of options in the help.
COLUMNS, MODEL, ANSWER, MONEY = "Columns", "The model", "The answer", "Money"
FILE, OUTPUT, WORK = "The table's file", "Output", "The work"


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


def _option(group: str, metavar: str, text: str, *names: str, **more: Any) -> Any:
    """Return an option of a group of the help; metavar: what stands for its value there."""
    return typer.Option(*names, help=text, rich_help_panel=group, metavar=metavar or None, **more)


# The table's file
SeparatorOption = Annotated[
    str | None, _option(FILE, "MARK", "Between the values of a text file; left out, a comma.")
]
DecimalOption = Annotated[
    str | None,
    _option(FILE, "MARK", "Before decimals: '.', or ',' as in 12,5; left out, the file tells."),
]
ThousandsOption = Annotated[
    str | None,
    _option(FILE, "MARK", "Between thousands: ',' as in 1,234; left out, the file tells."),
]
NaOption = Annotated[
    str, _option(FILE, "WORD,WORD", "More values that mean missing: -9,unknown.", "--na")
]
SkipRowsOption = Annotated[
    int | None,
    _option(FILE, "NUMBER", "Lines above the column names; left out, the file tells.", min=0),
]
SheetOption = Annotated[
    str | None, _option(FILE, "NAME", "The sheet of a workbook, by its name or number.")
]

# The table and its columns
TableArgument = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="The table: .csv, .tsv or .txt; .csv.gz, .csv.zst or .tsv.gz; .xlsx, .xls, .xlsm, "
        ".xlsb or .ods; .json, .jsonl or .ndjson; .parquet, .feather or .arrow; .dta, .sav or "
        ".zsav. Or a query of a database: duckdb:///file.db::select ...; sqlite://... and "
        "postgresql://... likewise.",
    ),
]
RowsArgument = Annotated[
    str,
    typer.Argument(metavar="TABLE", help="The table of rows to ask about; or a folder of files."),
]
TreatmentOption = Annotated[
    str, _option(COLUMNS, "COLUMN", "The column that says how each row was treated.")
]
OutcomeOption = Annotated[
    str, _option(COLUMNS, "COLUMN", "The column of outcomes: numbers, yes / no, or two labels.")
]
AskedTreatmentOption = Annotated[
    str, _option(COLUMNS, "COLUMN", "The treatment; left out, you are asked.", "--treatment")
]
AskedOutcomeOption = Annotated[
    str, _option(COLUMNS, "COLUMN", "The outcome; left out, you are asked.", "--outcome")
]
LaterFolderOption = Annotated[
    Path | None, _option(OUTPUT, "FOLDER", "The folder for the model.", "--out", "-o")
]
CovariatesOption = Annotated[
    str, _option(COLUMNS, "NAME,NAME", "Use these columns only: names with commas between them.")
]
IgnoreOption = Annotated[str, _option(COLUMNS, "NAME,NAME", "Columns to leave out.")]
CategoriesOption = Annotated[str, _option(COLUMNS, "NAME,NAME", "Columns whose numbers are names.")]
KindOption = Annotated[
    Kind,
    _option(
        COLUMNS,
        "arms|dose|auto",
        "What the treatment is; auto: a dose, if it holds many different numbers.",
    ),
]
WeightsOption = Annotated[
    str | None,
    _option(COLUMNS, "COLUMN", "A column that says how much each row counts.", "--weights"),
]
ClustersOption = Annotated[
    str | None,
    _option(
        COLUMNS,
        "COLUMN",
        "A column whose equal values keep rows together: a village.",
        "--clusters",
    ),
]
PropensityOption = Annotated[
    str | None,
    _option(
        COLUMNS,
        "CHANCE",
        "Of an experiment: the chance of the treatment, as a number, a column, or "
        "arm=number,arm=number.",
        "--propensity",
    ),
]

# The model
ModelArgument = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="The folder of a model that `pairnet fit` made."),
]
FolderOption = Annotated[
    Path, _option(OUTPUT, "FOLDER", "The folder to keep the model in.", "--out", "-o")
]
MethodOption = Annotated[
    str,
    _option(MODEL, "METHOD", "The stack of several learners, or one, as `pairnet list` names it."),
]
PresetOption = Annotated[
    Preset | None,
    _option(MODEL, "fast|balanced|best", "How many learners the stack has; left out, balanced."),
]
TimeLimitOption = Annotated[
    str | None,
    _option(MODEL, "TIME", "After 90s, 5m or 1h the stack makes do with the learners it has."),
]
MembersOption = Annotated[
    int,
    _option(
        MODEL,
        "NUMBER",
        "How many folds the stack has, or networks to train and average.",
        min=1,
    ),
]
BootstrapOption = Annotated[
    bool | None,
    _option(
        MODEL,
        "",
        "Of one method: train each network on its own draw of the rows, for intervals; left out, "
        "yes.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    _option(MODEL, "NAME=VALUE", "A hyperparameter, as l2=0.1; more with more --set.", "--set"),
]
SeedOption = Annotated[
    int, _option(MODEL, "NUMBER", "The same seed gives the same numbers.", min=0)
]
MethodsOption = Annotated[
    str | None,
    _option(MODEL, "NAME,NAME", "Which methods to compare; left out, the stack and some learners."),
]
FoldsOption = Annotated[
    int,
    _option(MODEL, "NUMBER", "Parts of the table that are scored in turn; 1 is quick.", min=1),
]

# The answer
FromOption = Annotated[
    str | None, _option(ANSWER, "LABEL", "The arm or dose to compare with.", "--from")
]
ToOption = Annotated[
    str | None, _option(ANSWER, "LABEL", "The arm or dose whose effect is asked.", "--to")
]
OnlyToOption = Annotated[
    str | None, _option(ANSWER, "LABEL", "The one arm to give; left out, any.", "--to")
]
TargetOption = Annotated[
    Target | None,
    _option(
        ANSWER,
        "all|treated|untreated|overlap",
        "Whose average effect is said; overlap: who might have had either.",
    ),
]
AbstainOption = Annotated[
    bool, _option(ANSWER, "", "Leave rows without good evidence empty.", "--abstain")
]
EvidenceOption = Annotated[
    bool, _option(ANSWER, "", "Whether to write the evidence (slow for millions of rows).")
]
AlphaOption = Annotated[float, _option(ANSWER, "SHARE", "The share of intervals that may miss.")]
GoalOption = Annotated[
    str, _option(ANSWER, "max|min", "Whether a large outcome is good, or a small one.")
]
ByOption = Annotated[str, _option(ANSWER, "NAME,NAME", "Covariates whose groups are shown, too.")]

RefuteOption = Annotated[
    bool,
    _option(ANSWER, "", "Try to refute the effect first: fits the method again.", "--refute"),
]
CalculatorOption = Annotated[
    bool,
    _option(
        ANSWER,
        "",
        "Put a small copy of a large model into the page, for readers to ask.",
        "--calculator",
    ),
]
FitTableArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[TABLE]",
        help="The table of the fit, for negative controls that are no covariates.",
    ),
]
ControlsOption = Annotated[
    str,
    _option(
        COLUMNS,
        "NAME,NAME",
        "Outcomes that the treatment cannot have changed.",
        "--negative-controls",
    ),
]
RepeatsOption = Annotated[
    int, _option(WORK, "NUMBER", "How often each attempt is made that is cheap.", min=3)
]
QuickOption = Annotated[
    bool,
    _option(WORK, "", "Do not fit the method again, which takes longest.", "--quick"),
]

# Money
BudgetOption = Annotated[
    float | None, _option(MONEY, "NUMBER", "The most to spend; left out, there is no limit.")
]
CostOption = Annotated[
    str | None,
    _option(
        MONEY,
        "NUMBER",
        "What it costs to treat a row (of doses, a unit), or arm=number,arm=number.",
    ),
]
CostColumnOption = Annotated[
    str | None,
    _option(MONEY, "COLUMN", "A column of what each row costs, besides.", "--cost-column"),
]
WorthOption = Annotated[
    float | None,
    _option(MONEY, "NUMBER", "What a unit of the outcome is worth, in units of cost."),
]
BoundsOption = Annotated[
    str | None,
    _option(ANSWER, "LOW,HIGH", "Of doses: the smallest and the largest to give."),
]

# Output
OutOption = Annotated[
    Path,
    _option(OUTPUT, "FILE", "The table to write; its ending says the format.", "--out", "-o"),
]
EffectsOption = Annotated[
    str,
    _option(
        OUTPUT,
        "PATH",
        "Where effects are written; the ending says the format; with / at the end a folder of "
        ".parquet files, block by block.",
        "--out",
        "-o",
    ),
]
PageOption = Annotated[Path, _option(OUTPUT, "FILE", "The page to write.", "--out", "-o")]
ProgramOption = Annotated[
    Path,
    _option(OUTPUT, "FILE", "The file to write: model.onnx, or effects.stablehlo.", "--out", "-o"),
]
KeepOption = Annotated[
    str, _option(OUTPUT, "NAME,NAME", "Covariates to write, too: names, or all.")
]
QuietOption = Annotated[
    bool, _option(OUTPUT, "", "Say nothing but notes and errors.", "--quiet", "-q")
]
JsonOption = Annotated[
    bool, _option(OUTPUT, "", "Print one JSON object for programs, and no words.", "--json")
]
MarkdownOption = Annotated[
    Path | None,
    _option(OUTPUT, "FILE", "Of experiments: a Markdown file to write.", "--markdown"),
]
TablesOption = Annotated[
    Path | None, _option(OUTPUT, "FOLDER", "Of experiments: a folder for CSV files.", "--csv")
]

# The work
EngineOption = Annotated[
    str | None,
    _option(
        WORK,
        "ENGINE",
        "here, processes or ray; left out, processes if --jobs is above 1.",
        "--engine",
    ),
]
JobsOption = Annotated[
    int | None,
    _option(
        WORK,
        "NUMBER",
        "So many at the same time; left out, one, or all that Ray has.",
        "--jobs",
        min=1,
    ),
]
AddressOption = Annotated[
    str | None,
    _option(WORK, "HOST:PORT", "Of the Ray cluster; auto: the one that runs here.", "--address"),
]
CoresOption = Annotated[
    float | None, _option(WORK, "NUMBER", "With Ray: cores of a task.", "--cores")
]
GpusOption = Annotated[
    float | None, _option(WORK, "NUMBER", "With Ray: GPUs of a task; 0.25 is a quarter.", "--gpus")
]

# Experiments, studies and demonstrations
ExperimentsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="EXPERIMENT", help="Experiments, as `pairnet list --all` names them, or `all`."
    ),
]
StudyArgument = Annotated[
    str, typer.Argument(metavar="STUDY", help="The study, as `pairnet data` names it.")
]
ReplicationsOption = Annotated[
    int | None,
    _option(WORK, "NUMBER", "So many of each column; left out, all of the paper's.", min=1),
]
RowsOption = Annotated[
    str | None, _option(WORK, "NAME,NAME", "Only these rows: tarnet,pairnet.", "--methods")
]
DeviceOption = Annotated[str, _option(WORK, "DEVICE", "cpu, gpu, or auto: what JAX finds.")]
RetryOption = Annotated[bool, _option(WORK, "", "Do failed jobs again.", "--retry")]
MinutesOption = Annotated[
    float | None, _option(WORK, "NUMBER", "Begin no fit after so many minutes.", min=0)
]
KnownOption = Annotated[
    Path | None, _option(WORK, "FOLDER", "CSV files whose results need not be made.")
]
StoreOption = Annotated[Path, _option(WORK, "FOLDER", "Where results are.", "--store")]
DataOption = Annotated[
    Path | None,
    _option(WORK, "FOLDER", "Where data files are; left out, the usual places.", "--data"),
]
AgainOption = Annotated[bool, _option(WORK, "", "Fetch anew what is there already.", "--again")]
AllOption = Annotated[
    bool,
    typer.Option("--all", help="The parts for researchers, too: experiments, studies, networks."),
]
DEMO = "With --methods"
DemoOption = Annotated[
    Path | None,
    _option(
        OUTPUT, "PATH", "The folder to write (pairnet-demo); of --methods a picture.", "--out", "-o"
    ),
]
CompareMethodsOption = Annotated[
    bool,
    typer.Option("--methods", help="For researchers: compare the errors of TARNet and PairNet."),
]
StudyOption = Annotated[
    str | None, _option(DEMO, "STUDY", "confounded, which is made here, or ihdp.")
]
RealisationsOption = Annotated[
    int | None, _option(DEMO, "NUMBER", "How many realisations of it; left out, 5.", min=1)
]
DemoDataOption = Annotated[
    Path | None, _option(DEMO, "FOLDER", "Where the data files of ihdp are.")
]
