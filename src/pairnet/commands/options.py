"""Options of the command line: their types, names, meaning, and groups in the help.

Those for researchers and demonstrations are in `research_options.py`.

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


def option(group: str, metavar: str, text: str, *names: str, **more: Any) -> Any:
    """Return an option of a group of the help; metavar: what stands for its value there."""
    return typer.Option(*names, help=text, rich_help_panel=group, metavar=metavar or None, **more)


# The table's file
SeparatorOption = Annotated[
    str | None, option(FILE, "MARK", "Between the values of a text file; left out, a comma.")
]
DecimalOption = Annotated[
    str | None,
    option(FILE, "MARK", "Before decimals: '.', or ',' as in 12,5; left out, the file tells."),
]
ThousandsOption = Annotated[
    str | None,
    option(FILE, "MARK", "Between thousands: ',' as in 1,234; left out, the file tells."),
]
NaOption = Annotated[
    str, option(FILE, "WORD,WORD", "More values that mean missing: -9,unknown.", "--na")
]
SkipRowsOption = Annotated[
    int | None,
    option(FILE, "NUMBER", "Lines above the column names; left out, the file tells.", min=0),
]
SheetOption = Annotated[
    str | None, option(FILE, "NAME", "The sheet of a workbook, by its name or number.")
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
    str, option(COLUMNS, "COLUMN", "The column that says how each row was treated.")
]
OutcomeOption = Annotated[
    str, option(COLUMNS, "COLUMN", "The column of outcomes: numbers, yes / no, or two labels.")
]
AskedTreatmentOption = Annotated[
    str, option(COLUMNS, "COLUMN", "The treatment; left out, you are asked.", "--treatment")
]
AskedOutcomeOption = Annotated[
    str, option(COLUMNS, "COLUMN", "The outcome; left out, you are asked.", "--outcome")
]
LaterFolderOption = Annotated[
    Path | None, option(OUTPUT, "FOLDER", "The folder for the model.", "--out", "-o")
]
CovariatesOption = Annotated[
    str, option(COLUMNS, "NAME,NAME", "Use these columns only: names with commas between them.")
]
IgnoreOption = Annotated[str, option(COLUMNS, "NAME,NAME", "Columns to leave out.")]
CategoriesOption = Annotated[str, option(COLUMNS, "NAME,NAME", "Columns whose numbers are names.")]
KindOption = Annotated[
    Kind,
    option(
        COLUMNS,
        "arms|dose|auto",
        "What the treatment is; auto: a dose, if it holds many different numbers.",
    ),
]
WeightsOption = Annotated[
    str | None,
    option(COLUMNS, "COLUMN", "A column that says how much each row counts.", "--weights"),
]
ClustersOption = Annotated[
    str | None,
    option(
        COLUMNS,
        "COLUMN",
        "A column whose equal values keep rows together: a village.",
        "--clusters",
    ),
]
PropensityOption = Annotated[
    str | None,
    option(
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
    Path, option(OUTPUT, "FOLDER", "The folder to keep the model in.", "--out", "-o")
]
MethodOption = Annotated[
    str,
    option(MODEL, "METHOD", "The stack of several learners, or one, as `pairnet list` names it."),
]
PresetOption = Annotated[
    Preset | None,
    option(MODEL, "fast|balanced|best", "How many learners the stack has; left out, balanced."),
]
TimeLimitOption = Annotated[
    str | None,
    option(MODEL, "TIME", "After 90s, 5m or 1h the stack makes do with the learners it has."),
]
MembersOption = Annotated[
    int,
    option(
        MODEL,
        "NUMBER",
        "How many folds the stack has, or networks to train and average.",
        min=1,
    ),
]
BootstrapOption = Annotated[
    bool | None,
    option(
        MODEL,
        "",
        "Of one method: train each network on its own draw of the rows, for intervals; left out, "
        "yes.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    option(MODEL, "NAME=VALUE", "A hyperparameter, as l2=0.1; more with more --set.", "--set"),
]
SeedOption = Annotated[int, option(MODEL, "NUMBER", "The same seed gives the same numbers.", min=0)]
MethodsOption = Annotated[
    str | None,
    option(MODEL, "NAME,NAME", "Which methods to compare; left out, the stack and some learners."),
]
FoldsOption = Annotated[
    int,
    option(MODEL, "NUMBER", "Parts of the table that are scored in turn; 1 is quick.", min=1),
]

# The answer
FromOption = Annotated[
    str | None, option(ANSWER, "LABEL", "The arm or dose to compare with.", "--from")
]
ToOption = Annotated[
    str | None, option(ANSWER, "LABEL", "The arm or dose whose effect is asked.", "--to")
]
OnlyToOption = Annotated[
    str | None, option(ANSWER, "LABEL", "The one arm to give; left out, any.", "--to")
]
TargetOption = Annotated[
    Target | None,
    option(
        ANSWER,
        "all|treated|untreated|overlap",
        "Whose average effect is said; overlap: who might have had either.",
    ),
]
AbstainOption = Annotated[
    bool, option(ANSWER, "", "Leave rows without good evidence empty.", "--abstain")
]
EvidenceOption = Annotated[
    bool, option(ANSWER, "", "Whether to write the evidence (slow for millions of rows).")
]
AlphaOption = Annotated[float, option(ANSWER, "SHARE", "The share of intervals that may miss.")]
GoalOption = Annotated[
    str, option(ANSWER, "max|min", "Whether a large outcome is good, or a small one.")
]
ByOption = Annotated[str, option(ANSWER, "NAME,NAME", "Covariates whose groups are shown, too.")]

RefuteOption = Annotated[
    bool,
    option(ANSWER, "", "Try to refute the effect first: fits the method again.", "--refute"),
]
CalculatorOption = Annotated[
    bool,
    option(
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
    option(
        COLUMNS,
        "NAME,NAME",
        "Outcomes that the treatment cannot have changed.",
        "--negative-controls",
    ),
]
RepeatsOption = Annotated[
    int, option(WORK, "NUMBER", "How often each attempt is made that is cheap.", min=3)
]
QuickOption = Annotated[
    bool,
    option(WORK, "", "Do not fit the method again, which takes longest.", "--quick"),
]

# Money
BudgetOption = Annotated[
    float | None, option(MONEY, "NUMBER", "The most to spend; left out, there is no limit.")
]
CostOption = Annotated[
    str | None,
    option(
        MONEY,
        "NUMBER",
        "What it costs to treat a row (of doses, a unit), or arm=number,arm=number.",
    ),
]
CostColumnOption = Annotated[
    str | None,
    option(MONEY, "COLUMN", "A column of what each row costs, besides.", "--cost-column"),
]
WorthOption = Annotated[
    float | None,
    option(MONEY, "NUMBER", "What a unit of the outcome is worth, in units of cost."),
]
BoundsOption = Annotated[
    str | None,
    option(ANSWER, "LOW,HIGH", "Of doses: the smallest and the largest to give."),
]

# Output
OutOption = Annotated[
    Path,
    option(OUTPUT, "FILE", "The table to write; its ending says the format.", "--out", "-o"),
]
EffectsOption = Annotated[
    str,
    option(
        OUTPUT,
        "PATH",
        "Where effects are written; the ending says the format; with / at the end a folder of "
        ".parquet files, block by block.",
        "--out",
        "-o",
    ),
]
PageOption = Annotated[Path, option(OUTPUT, "FILE", "The page to write.", "--out", "-o")]
ProgramOption = Annotated[
    Path,
    option(OUTPUT, "FILE", "The file to write: model.onnx, or effects.stablehlo.", "--out", "-o"),
]
KeepOption = Annotated[str, option(OUTPUT, "NAME,NAME", "Covariates to write, too: names, or all.")]
QuietOption = Annotated[
    bool, option(OUTPUT, "", "Say nothing but notes and errors.", "--quiet", "-q")
]
JsonOption = Annotated[
    bool, option(OUTPUT, "", "Print one JSON object for programs, and no words.", "--json")
]
MarkdownOption = Annotated[
    Path | None,
    option(OUTPUT, "FILE", "Of experiments: a Markdown file to write.", "--markdown"),
]
TablesOption = Annotated[
    Path | None, option(OUTPUT, "FOLDER", "Of experiments: a folder for CSV files.", "--csv")
]

# The work
EngineOption = Annotated[
    str | None,
    option(
        WORK,
        "ENGINE",
        "here, processes or ray; left out, processes if --jobs is above 1.",
        "--engine",
    ),
]
JobsOption = Annotated[
    int | None,
    option(
        WORK,
        "NUMBER",
        "So many at the same time; left out, one, or all that Ray has.",
        "--jobs",
        min=1,
    ),
]
AddressOption = Annotated[
    str | None,
    option(WORK, "HOST:PORT", "Of the Ray cluster; auto: the one that runs here.", "--address"),
]
CoresOption = Annotated[
    float | None, option(WORK, "NUMBER", "With Ray: cores of a task.", "--cores")
]
GpusOption = Annotated[
    float | None, option(WORK, "NUMBER", "With Ray: GPUs of a task; 0.25 is a quarter.", "--gpus")
]
