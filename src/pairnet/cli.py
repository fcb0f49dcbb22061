"""The command line: the list of commands. What they do is in `commands/`, imported on use."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from pairnet import __version__
from pairnet.commands.options import (
    DEFAULT_METHOD,
    LIST_OF_NAMES,
    BootstrapOption,
    ByOption,
    CategoriesOption,
    ClustersOption,
    CovariatesOption,
    DataOption,
    EngineOption,
    FileOptions,
    FromOption,
    IgnoreOption,
    JobsOption,
    Kind,
    KindOption,
    MembersOption,
    OutcomeOption,
    PresetOption,
    PropensityOption,
    SeedOption,
    SetOption,
    StoreOption,
    TableArgument,
    TableOptions,
    TargetOption,
    TimeLimitOption,
    TreatmentOption,
    WeightsOption,
    with_file_options,
)
from pairnet.commands.saying import INTERRUPTED
from pairnet.core.errors import NotInstalled

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
    seed: SeedOption = 0,
    out: Annotated[
        Path, typer.Option(help="Where the picture is written (.png, .pdf or .svg).")
    ] = Path("pairnet-demo.png"),
    data: Annotated[
        Path | None, typer.Option(help="Folder of data files, for studies that are not made here.")
    ] = None,
) -> None:
    """Train TARNet and PairNet on a study whose true effects are known, and compare them."""
    from pairnet.commands.demo import demo

    demo(study, realisations=realisations, seed=seed, out=out, data=data)


@app.command()
@with_file_options
def fit(
    file: FileOptions,
    table: TableArgument,
    treatment: TreatmentOption,
    outcome: OutcomeOption,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to keep the model in.")],
    method: Annotated[
        str, typer.Option(help="The stack of several learners, or one, as `pairnet list` names it.")
    ] = DEFAULT_METHOD,
    preset: PresetOption = None,
    time_limit: TimeLimitOption = None,
    settings: SetOption = None,
    covariates: CovariatesOption = "",
    ignore: IgnoreOption = "",
    categories: CategoriesOption = "",
    kind: KindOption = Kind.auto,
    members: MembersOption = 5,
    bootstrap: BootstrapOption = None,
    weights: WeightsOption = None,
    clusters: ClustersOption = None,
    propensity: PropensityOption = None,
    target: TargetOption = None,
    seed: SeedOption = 0,
) -> None:
    """Train a model on a table of people, treatments and outcomes."""
    from pairnet.commands.fit import fit

    options = {
        "preset": preset and preset.value,
        "time_limit": time_limit,
        "members": members,
        "bootstrap": bootstrap,
        "treatment": kind.value,
        "seed": seed,
        "verbose": True,
    }
    columns = (treatment, outcome, covariates, ignore, categories)
    asked = TableOptions(table, *columns, weights, clusters, propensity, **vars(file))
    fit(
        asked,
        out=out,
        method=method,
        options=options,
        settings=settings or [],
        target=target and target.value,
        say=_say,
    )


@app.command()
@with_file_options
def effect(
    file: FileOptions,
    model: Annotated[Path, typer.Argument(help="The folder of a model that `pairnet fit` made.")],
    table: Annotated[Path, typer.Argument(help="The table of rows to ask about.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Where effects are written; the ending says the format."),
    ],
    start: FromOption = None,
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
    keep: Annotated[
        str, typer.Option(help=f"Covariates to write, too: {LIST_OF_NAMES}, or all.")
    ] = "",
    target: TargetOption = None,
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
        asked=file,
        keep=keep,
        target=target and target.value,
        say=_say,
    )


def _say(text: str) -> None:
    print(text, flush=True)


data_app = typer.Typer(
    help="List the studies, fetch their files, and check them.", invoke_without_command=True
)
app.add_typer(data_app, name="data")


@data_app.callback()
def data_list(context: typer.Context) -> None:
    """List the studies: their size, where they come from, and whether they are on this machine."""
    if context.invoked_subcommand is None:
        from pairnet.commands.data import list_studies

        list_studies()


@data_app.command("get")
def data_get(
    study: Annotated[str, typer.Argument(help="The study, as `pairnet data` names it.")],
    folder: DataOption = None,
    again: Annotated[
        bool, typer.Option("--again", help="Fetch anew what is there already.")
    ] = False,
) -> None:
    """Download the files of a study, check them, and keep them in the data folder."""
    from pairnet.commands.data import get

    get(study, folder=folder, again=again)


@data_app.command("check")
def data_check(
    study: Annotated[
        str | None, typer.Argument(help="One study; left out, all that are on this machine.")
    ] = None,
    folder: DataOption = None,
) -> None:
    """Check the files on this machine against their hashes, and the studies against figures."""
    from pairnet.commands.data import check

    check(study, folder)


RESULTS_FOLDER = Path("pairnet-runs")


@app.command()
def report(
    model: Annotated[
        Path | None, typer.Argument(help="The folder of a model, made by `pairnet fit`.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path(
        "report.html"
    ),
    first: FromOption = None,
    second: Annotated[
        str | None, typer.Option("--to", help="The arm or dose that is compared.")
    ] = None,
    goal: Annotated[
        str, typer.Option(help="Whether a large outcome is good (max) or a small one (min).")
    ] = "max",
    target: TargetOption = None,
    by: ByOption = "",
    store: StoreOption = RESULTS_FOLDER,
    text: Annotated[
        Path | None, typer.Option("--markdown", help="Of experiments: a Markdown file to write.")
    ] = None,
    tables: Annotated[
        Path | None, typer.Option("--csv", help="Of experiments: a folder for CSV files.")
    ] = None,
) -> None:
    """Write one page for any browser: on a fitted model, or without one on experiments."""
    from pairnet.commands.report import report_of_experiments, report_of_model

    if model is None:
        report_of_experiments(out, store, text, tables)
    else:
        whose = target and target.value
        report_of_model(model, out, first=first, second=second, goal=goal, target=whose, by=by)


@app.command()
@with_file_options
def compare(
    file: FileOptions,
    table: TableArgument,
    treatment: TreatmentOption,
    outcome: OutcomeOption,
    methods: Annotated[
        str | None, typer.Option(help=f"Which methods: {LIST_OF_NAMES}; left out, some that suit.")
    ] = None,
    settings: SetOption = None,
    covariates: CovariatesOption = "",
    ignore: IgnoreOption = "",
    categories: CategoriesOption = "",
    kind: KindOption = Kind.auto,
    folds: Annotated[
        int, typer.Option(min=1, help="Parts of the table that are scored in turn; 1 is quick.")
    ] = 3,
    engine: EngineOption = None,
    jobs: JobsOption = 1,
    weights: WeightsOption = None,
    seed: SeedOption = 0,
) -> None:
    """Rank methods on your own table by held-out pairs; no true effects needed."""
    from pairnet.commands.compare import compare_methods
    from pairnet.commands.engines import engine_of

    columns = (treatment, outcome, covariates, ignore, categories)
    asked = TableOptions(table, *columns, weights, **vars(file))
    compare_methods(
        asked,
        methods=methods,
        kind=kind.value,
        settings=settings or [],
        folds=folds,
        seed=seed,
        engine=engine_of(engine, jobs),
    )


@app.command("export")
def export_(
    model: Annotated[Path, typer.Argument(help="The folder of a model that `pairnet fit` made.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write: effects.stablehlo.")],
) -> None:
    """Write a model in a format that can be served without pairnet."""
    from pairnet.commands.export import export_model

    export_model(model, out)


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
    store: StoreOption = RESULTS_FOLDER,
    device: Annotated[str, typer.Option(help="cpu, gpu, or auto: what JAX finds.")] = "auto",
    engine: EngineOption = None,
    jobs: JobsOption = 1,
    retry: Annotated[bool, typer.Option("--retry", help="Do failed jobs again.")] = False,
    minutes: Annotated[
        float | None, typer.Option(min=0, help="Begin no fit after so many minutes.")
    ] = None,
    known: Annotated[
        Path | None, typer.Option(help="Folder of CSV files whose results need not be made.")
    ] = None,
    data: DataOption = None,
) -> None:
    """Train what is missing of experiments; the same command goes on where it stopped."""
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
    from pairnet.commands.list import list_parts

    list_parts()


def main() -> None:
    """Run the command line.

    A mistake in what was asked ends with one line and exit code 2, not with a traceback.
    """
    try:
        app()
    except (ValueError, OSError, NotInstalled) as error:
        from pairnet.commands.wording import worded

        print(f"Error: {worded(error)}", file=sys.stderr)
        sys.exit(2)
    except SystemExit as end:
        if end.code == INTERRUPTED and type(end) is SystemExit:  # no command has said so yet
            print("Interrupted; nothing was written.", file=sys.stderr)
        raise


if __name__ == "__main__":
    main()
