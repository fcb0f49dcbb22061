"""The command line: one command a function. Heavy imports wait until a command needs them."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from pairnet import __version__

INTERRUPTED = 130  # the exit code that typer makes of Ctrl-C

app = typer.Typer(
    name="pairnet",
    help="What would change for this person if the treatment changed? Effects from observational "
    "data.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool | None) -> None:
    if wanted:
        print(f"pairnet {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool | None,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = None,
) -> None:
    """Options of all commands."""


@app.command()
def demo(
    study: Annotated[
        str, typer.Option(help="The study: confounded (made here) or ihdp.")
    ] = "confounded",
    realisations: Annotated[int, typer.Option(min=1, help="How many realisations of it.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")] = 0,
    out: Annotated[
        Path, typer.Option(help="Where the picture is written (.png, .pdf or .svg).")
    ] = Path("pairnet-demo.png"),
    data: Annotated[
        Path | None, typer.Option(help="Folder of data files, for studies that are not made here.")
    ] = None,
) -> None:
    """Train TARNet and PairNet on a study whose true effects are known, and compare them."""
    from rich.console import Console

    _can_write(out)
    print("Starting; the first run compiles the programs and keeps them ...", file=sys.stderr)
    from pairnet.bench.demo import demo as run
    from pairnet.studies import load, studies
    from pairnet.training.progress import bar

    loaders = {
        "confounded": lambda: load("confounded", realisations=realisations, seed=seed),
        "ihdp": lambda: load("ihdp", realisations=range(1, realisations + 1), folder=data),
    }
    if study not in loaders:
        _ = studies[study]  # an unknown name says so itself
        raise ValueError(f"The demo runs on {' or '.join(loaders)}, not on {study!r}.")
    table = loaders[study]()
    results = run(table, seed=seed, bar=bar)
    from pairnet.report.figures import (
        demo_figure,
    )  # not before training: drawing has its own heavy imports
    from pairnet.report.tables import comparison, verdict

    console = Console()
    console.print(comparison(table, results))
    console.print(verdict(results))
    demo_figure(table, results, seed=seed).savefig(out, dpi=150)
    console.print(f"Picture: {out}", highlight=False, soft_wrap=True)


class Kind(StrEnum):
    """What a treatment may be."""

    arms = "arms"
    dose = "dose"
    auto = "auto"


KIND = Annotated[
    Kind,
    typer.Option(help="What the treatment is; auto: a dose, if it holds many different numbers."),
]
LIST = "names with commas between them"
SEPARATOR = Annotated[
    str | None, typer.Option(help="Between the values of a CSV file; left out, a comma.")
]
DECIMAL = Annotated[
    str, typer.Option(help="Before the decimals in a CSV file: '.', or ',' as in 12,5.")
]


@app.command()
def fit(
    table: Annotated[
        Path, typer.Argument(help="The table: .csv, .tsv, .parquet, .feather or .arrow.")
    ],
    treatment: Annotated[str, typer.Option(help="The column that says how each row was treated.")],
    outcome: Annotated[
        str, typer.Option(help="The column of outcomes: numbers, yes / no, or two labels.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to keep the model in.")],
    method: Annotated[
        str, typer.Option(help="Which method, as `pairnet list` names it.")
    ] = "pairnet",
    covariates: Annotated[str, typer.Option(help=f"Use these columns only: {LIST}.")] = "",
    ignore: Annotated[str, typer.Option(help=f"Columns to leave out: {LIST}.")] = "",
    categories: Annotated[str, typer.Option(help=f"Columns whose numbers are names: {LIST}.")] = "",
    kind: KIND = Kind.auto,
    members: Annotated[
        int, typer.Option(min=1, help="How many networks to train and average.")
    ] = 5,
    bootstrap: Annotated[
        bool, typer.Option(help="Train each on its own draw of the rows, for intervals.")
    ] = True,
    separator: SEPARATOR = None,
    decimal: DECIMAL = ".",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")] = 0,
) -> None:
    """Train a model on a table of people, treatments and outcomes."""
    from pairnet.commands.fit import fit

    options = {
        "members": members,
        "bootstrap": bootstrap and members > 1,
        "treatment": kind.value,
        "seed": seed,
        "verbose": True,
    }
    names = {"treatment": treatment, "outcome": outcome, "covariates": covariates, "ignore": ignore}
    names |= {"categories": categories, "method": method}
    fit(table, out=out, separator=separator, decimal=decimal, options=options, say=_say, **names)


@app.command()
def effect(
    model: Annotated[Path, typer.Argument(help="The folder of a model that `pairnet fit` made.")],
    table: Annotated[Path, typer.Argument(help="The table of rows to ask about.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Where effects are written; the ending says the format."),
    ],
    start: Annotated[
        str | None, typer.Option("--from", help="The arm or dose to compare with.")
    ] = None,
    to: Annotated[
        str | None, typer.Option("--to", help="The arm or dose whose effect is asked.")
    ] = None,
    abstain: Annotated[
        bool, typer.Option("--abstain", help="Leave rows without good evidence empty.")
    ] = False,
    evidence: Annotated[
        bool, typer.Option(help="Write the evidence (slow to find for millions of rows).")
    ] = True,
    alpha: Annotated[float, typer.Option(help="The share of intervals that may miss.")] = 0.05,
    keep: Annotated[str, typer.Option(help=f"Covariates to write, too: {LIST}, or all.")] = "",
    separator: SEPARATOR = None,
    decimal: DECIMAL = ".",
) -> None:
    """Say for each row of a table what a change of treatment would change.

    Results stand beside identifiers and all other columns that are no covariates; --keep adds
    covariates.
    """
    from pairnet.commands.effect import effect

    effect(
        model,
        table,
        start=start,
        to=to,
        out=out,
        abstain=abstain,
        evidence=evidence,
        alpha=alpha,
        separator=separator,
        decimal=decimal,
        keep=keep,
        say=_say,
    )


def _say(text: str) -> None:
    print(text, flush=True)


data_app = typer.Typer(
    help="List the studies, fetch their files, and check them.", invoke_without_command=True
)
app.add_typer(data_app, name="data")
FOLDER = Annotated[
    Path | None, typer.Option("--data", help="Folder of data files; left out, the usual places.")
]


@data_app.callback()
def data_list(context: typer.Context) -> None:
    """List the studies: their size, where they come from, and whether they are on this machine."""
    if context.invoked_subcommand is not None:
        return
    from rich.console import Console

    from pairnet.report.data import listing

    Console().print(listing())


@data_app.command("get")
def data_get(
    study: Annotated[str, typer.Argument(help="The study, as `pairnet data` names it.")],
    folder: FOLDER = None,
    again: Annotated[
        bool, typer.Option("--again", help="Fetch anew what is there already.")
    ] = False,
) -> None:
    """Download the files of a study, check them, and keep them in the data folder."""
    from pairnet.report.data import DownloadBar
    from pairnet.studies.download import get

    paths = get(study, folder=folder, again=again, bar=DownloadBar)
    for path in paths:
        print(f"Fetched and checked: {path}")
    if not paths:
        print(f"{study} is here already, and as it should be.")


@data_app.command("check")
def data_check(
    study: Annotated[
        str | None, typer.Argument(help="One study; left out, all that are on this machine.")
    ] = None,
    folder: FOLDER = None,
) -> None:
    """Check the files on this machine against their known hashes, and the studies against their
    known figures."""
    from rich.console import Console

    from pairnet.report.data import checked

    table, wrong = checked(study, folder)
    Console().print(table)
    if wrong:
        raise ValueError(
            f"{wrong} things are not as they should be: see above. `pairnet data get NAME "
            "--again` mends."
        )


STORE = Annotated[Path, typer.Option("--store", help="Folder of results.")]
RUNS = Path("pairnet-runs")


@app.command()
def report(
    model: Annotated[
        Path | None, typer.Argument(help="The folder of a model, made by `pairnet fit`.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path(
        "report.html"
    ),
    first: Annotated[
        str | None, typer.Option("--from", help="The arm or dose to compare with.")
    ] = None,
    second: Annotated[
        str | None, typer.Option("--to", help="The arm or dose that is compared.")
    ] = None,
    goal: Annotated[
        str, typer.Option(help="Whether a large outcome is good (max) or a small one (min).")
    ] = "max",
    store: STORE = RUNS,
    text: Annotated[
        Path | None, typer.Option("--markdown", help="Of experiments: a Markdown file to write.")
    ] = None,
    tables: Annotated[
        Path | None, typer.Option("--csv", help="Of experiments: a folder for CSV files.")
    ] = None,
) -> None:
    """Write one page for any browser: on a fitted model, or without one on the experiments that
    `pairnet run` ran."""
    from pairnet.commands.report import report_of_experiments, report_of_model

    if model is None:
        report_of_experiments(out, store, text, tables)
    else:
        report_of_model(model, out, first=first, second=second, goal=goal)


@app.command()
def compare(
    table: Annotated[
        Path, typer.Argument(help="The table: .csv, .tsv, .parquet, .feather or .arrow.")
    ],
    treatment: Annotated[str, typer.Option(help="The column that says how each row was treated.")],
    outcome: Annotated[
        str, typer.Option(help="The column of outcomes: numbers, yes / no, or two labels.")
    ],
    methods: Annotated[
        str | None, typer.Option(help=f"Which methods: {LIST}; left out, some that suit.")
    ] = None,
    covariates: Annotated[str, typer.Option(help=f"Use these columns only: {LIST}.")] = "",
    ignore: Annotated[str, typer.Option(help=f"Columns to leave out: {LIST}.")] = "",
    categories: Annotated[str, typer.Option(help=f"Columns whose numbers are names: {LIST}.")] = "",
    kind: KIND = Kind.auto,
    folds: Annotated[
        int, typer.Option(min=1, help="Parts of the table that are scored in turn; 1 is quick.")
    ] = 3,
    separator: SEPARATOR = None,
    decimal: DECIMAL = ".",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same parts.")] = 0,
) -> None:
    """Rank methods on your own table by how well they predict differences of held-out pairs; no
    true effects needed."""
    from pairnet.commands.compare import compare_methods

    names = {"treatment": treatment, "outcome": outcome, "covariates": covariates, "ignore": ignore}
    names |= {"categories": categories, "kind": kind.value, "decimal": decimal}
    compare_methods(table, methods=methods, folds=folds, seed=seed, separator=separator, **names)


@app.command("run")
def run_(
    names: Annotated[
        list[str], typer.Argument(help="Experiments, as `pairnet list` names them, or `all`.")
    ],
    replications: Annotated[
        int | None,
        typer.Option(min=1, help="So many of each column; left out, all of the paper's."),
    ] = None,
    methods: Annotated[
        str | None, typer.Option(help="Only these rows, with commas: tarnet,pairnet.")
    ] = None,
    store: STORE = RUNS,
    device: Annotated[str, typer.Option(help="cpu, gpu, or auto: what JAX finds.")] = "auto",
    engine: Annotated[
        str | None,
        typer.Option(
            help="here (this process) or processes; left out, here for one job at a time."
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="So many processes side by side.")] = 1,
    retry: Annotated[bool, typer.Option("--retry", help="Do failed jobs again.")] = False,
    minutes: Annotated[
        float | None, typer.Option(min=0, help="Begin no fit after so many minutes.")
    ] = None,
    known: Annotated[
        Path | None, typer.Option(help="Folder of CSV files whose results need not be made.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder of data files; left out, the usual places.")
    ] = None,
) -> None:
    """Train what is missing of experiments. What is there is never done again, so a run goes on
    where it stopped."""
    from pairnet.commands.run import run

    if data is not None:
        os.environ["PAIRNET_DATA"] = str(data)  # for the processes, too
    run(
        names,
        replications=replications,
        methods=methods,
        store=store,
        device=device,
        engine=engine,
        jobs=jobs,
        retry=retry,
        minutes=minutes,
        known=known,
    )


@app.command("list")
def list_() -> None:
    """List the methods, experiments, studies and parts, with a line on each."""
    from rich.console import Console
    from rich.table import Table

    from pairnet.core.registry import summary
    from pairnet.losses import losses
    from pairnet.methods import methods
    from pairnet.networks import networks
    from pairnet.pairing import pairings
    from pairnet.paper import experiments
    from pairnet.studies import studies

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    for registry in (methods, studies, networks, losses, pairings):
        table.add_row(f"[bold]{registry.kind}[/bold]", "")
        for name in registry:
            table.add_row(f"  {name}", summary(registry[name]))
        if registry is methods:
            table.add_row("[bold]experiment[/bold]", "")
            for name, each in experiments.items():
                table.add_row(f"  {name}", each.asks)
    Console().print(table)


def _can_write(out: Path) -> None:
    """Find out before training, not after it, that the picture could not be written."""
    if out.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise ValueError(f"--out must end in .png, .pdf or .svg, got {str(out)!r}.")
    from pairnet.core.writing import can_write

    can_write(out, "--out")


def main() -> None:
    """Run the command line; a mistake in what was asked ends with one line and exit code 2, not
    with a traceback."""
    try:
        app()
    except (ValueError, OSError) as error:
        from pairnet.commands.saying import in_options

        print(f"Error: {in_options(str(error))}", file=sys.stderr)
        sys.exit(2)
    except SystemExit as end:
        if (
            end.code == INTERRUPTED and type(end) is SystemExit
        ):  # else the command has said what became of its work
            print("Interrupted; nothing was written.", file=sys.stderr)
        raise


if __name__ == "__main__":
    main()
