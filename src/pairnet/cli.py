"""The command line: the list of commands. What they do is in `commands/`, imported on use."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from pairnet import __version__
from pairnet.commands import options as its
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
    study: its.StudyOption = "confounded",
    realisations: Annotated[int, typer.Option(min=1, help="How many realisations of it.")] = 5,
    seed: its.SeedOption = 0,
    out: Annotated[
        Path, typer.Option(help="Where the picture is written (.png, .pdf or .svg).")
    ] = Path("pairnet-demo.png"),
    data: its.DemoDataOption = None,
) -> None:
    """Train TARNet and PairNet on a study whose true effects are known, and compare them."""
    from pairnet.commands.demo import demo

    demo(study, realisations=realisations, seed=seed, out=out, data=data)


@app.command()
@its.with_file_options
def fit(
    file: its.FileOptions,
    table: its.TableArgument,
    treatment: its.TreatmentOption,
    outcome: its.OutcomeOption,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to keep the model in.")],
    method: its.MethodOption = its.DEFAULT_METHOD,
    preset: its.PresetOption = None,
    time_limit: its.TimeLimitOption = None,
    settings: its.SetOption = None,
    covariates: its.CovariatesOption = "",
    ignore: its.IgnoreOption = "",
    categories: its.CategoriesOption = "",
    kind: its.KindOption = its.Kind.auto,
    members: its.MembersOption = 5,
    bootstrap: its.BootstrapOption = None,
    weights: its.WeightsOption = None,
    clusters: its.ClustersOption = None,
    propensity: its.PropensityOption = None,
    target: its.TargetOption = None,
    seed: its.SeedOption = 0,
) -> None:
    """Train a model on a table of people, treatments and outcomes."""
    from pairnet.commands.fit import fit
    from pairnet.commands.typed import typed

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
    asked = its.TableOptions(table, *columns, weights, clusters, propensity, **vars(file))
    fit(
        asked,
        out=out,
        method=method,
        options=options,
        settings=settings or [],
        target=target and target.value,
        say=_say,
        command=typed(),
    )


@app.command()
@its.with_file_options
def effect(
    file: its.FileOptions,
    model: its.ModelArgument,
    table: Annotated[Path, typer.Argument(help="The table of rows to ask about.")],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="Where effects are written; the ending says the format."),
    ],
    start: its.FromOption = None,
    to: Annotated[
        str | None, typer.Option("--to", help="The arm or dose whose effect is asked.")
    ] = None,
    abstain: its.AbstainOption = False,
    evidence: its.EvidenceOption = True,
    alpha: its.AlphaOption = 0.05,
    keep: its.KeepOption = "",
    target: its.TargetOption = None,
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


@app.command()
@its.with_file_options
def policy(
    file: its.FileOptions,
    model: its.ModelArgument,
    table: Annotated[Path, typer.Argument(help="The table of rows to treat.")],
    out: its.OutOption,
    budget: its.BudgetOption = None,
    cost: its.CostOption = None,
    cost_column: its.CostColumnOption = None,
    worth: its.WorthOption = None,
    start: its.FromOption = None,
    to: Annotated[
        str | None, typer.Option("--to", help="The one arm to give; left out, any.")
    ] = None,
    bounds: its.BoundsOption = None,
    goal: its.GoalOption = "max",
    alpha: its.AlphaOption = 0.05,
    keep: its.KeepOption = "",
) -> None:
    """Say whom to treat how: what gains most for its cost, until the budget is spent."""
    from pairnet.commands.policy import policy

    what = (budget, cost, cost_column, worth, start, to, bounds, goal, alpha)
    policy(model, table, out, its.PolicyOptions(*what, keep), file, _say)


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
    folder: its.DataOption = None,
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
    folder: its.DataOption = None,
) -> None:
    """Check the files on this machine against their hashes, and the studies against figures."""
    from pairnet.commands.data import check

    check(study, folder)


RESULTS_FOLDER = Path("pairnet-runs")


@app.command()
def report(
    models: Annotated[
        list[Path] | None,
        typer.Argument(help="The folder of a model, made by `pairnet fit`; or several folders."),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path(
        "report.html"
    ),
    first: its.FromOption = None,
    second: Annotated[
        str | None, typer.Option("--to", help="The arm or dose that is compared.")
    ] = None,
    goal: its.GoalOption = "max",
    target: its.TargetOption = None,
    by: its.ByOption = "",
    store: its.StoreOption = RESULTS_FOLDER,
    text: its.MarkdownOption = None,
    tables: its.TablesOption = None,
) -> None:
    """Write one page for any browser: on fitted models, or without one on experiments."""
    from pairnet.commands.report import report_of_experiments, report_of_models
    from pairnet.commands.typed import typed

    if not models:
        report_of_experiments(out, store, text, tables)
    else:
        whose = target and target.value
        report_of_models(
            models,
            out,
            first=first,
            second=second,
            goal=goal,
            target=whose,
            by=by,
            command=typed(),
        )


@app.command()
@its.with_file_options
def compare(
    file: its.FileOptions,
    table: its.TableArgument,
    treatment: its.TreatmentOption,
    outcome: its.OutcomeOption,
    methods: its.MethodsOption = None,
    settings: its.SetOption = None,
    covariates: its.CovariatesOption = "",
    ignore: its.IgnoreOption = "",
    categories: its.CategoriesOption = "",
    kind: its.KindOption = its.Kind.auto,
    folds: its.FoldsOption = 3,
    engine: its.EngineOption = None,
    jobs: its.JobsOption = 1,
    weights: its.WeightsOption = None,
    seed: its.SeedOption = 0,
) -> None:
    """Rank methods on your own table by held-out pairs; no true effects needed."""
    from pairnet.commands.compare import compare_methods
    from pairnet.commands.engines import engine_of

    columns = (treatment, outcome, covariates, ignore, categories)
    asked = its.TableOptions(table, *columns, weights, **vars(file))
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
    model: its.ModelArgument,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write: effects.stablehlo.")],
) -> None:
    """Write a model in a format that can be served without pairnet."""
    from pairnet.commands.export import export_model

    export_model(model, out)


@app.command("run")
def run_(
    names: its.ExperimentsArgument,
    replications: its.ReplicationsOption = None,
    methods: its.RowsOption = None,
    store: its.StoreOption = RESULTS_FOLDER,
    device: Annotated[str, typer.Option(help="cpu, gpu, or auto: what JAX finds.")] = "auto",
    engine: its.EngineOption = None,
    jobs: its.JobsOption = 1,
    retry: Annotated[bool, typer.Option("--retry", help="Do failed jobs again.")] = False,
    minutes: its.MinutesOption = None,
    known: its.KnownOption = None,
    data: its.DataOption = None,
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
