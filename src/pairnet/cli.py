"""The command line: the list of commands. What they do is in `commands/`, imported on use."""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pairnet.commands import options as its
from pairnet.commands import research_options as research
from pairnet.commands.application import RESEARCH, START, WORK, app, command
from pairnet.commands.asked import (
    EffectOptions,
    EngineOptions,
    FileOptions,
    PolicyOptions,
    RefuteOptions,
    SayingOptions,
    TableOptions,
    with_engine_options,
    with_file_options,
    with_saying_options,
)
from pairnet.commands.saying import INTERRUPTED
from pairnet.commands.studies_app import studies_app
from pairnet.core.errors import NotInstalled

if TYPE_CHECKING:
    from pairnet.commands.telling import Teller
    from pairnet.engines import AbstractEngine
    from pairnet.tables.location import Location

RESULTS_FOLDER = Path("pairnet-runs")


@command(START, "pairnet demo\npairnet demo --methods")
def demo(
    out: research.DemoOption = None,
    seed: its.SeedOption = 0,
    methods: research.CompareMethodsOption = False,
    study: research.StudyOption = None,
    realisations: research.RealisationsOption = None,
    data: research.DemoDataOption = None,
) -> None:
    """See how it works, on a made table whose true effects are known: takes about a minute."""
    from pairnet.commands.demo import demo

    asked = {"study": study, "realisations": realisations, "data": data}
    demo(methods, out, seed, asked, _run)


@command(START, "pairnet init customers.csv")
@with_file_options
def init(
    file: FileOptions,
    table: its.TableArgument,
    treatment: its.AskedTreatmentOption = "",
    outcome: its.AskedOutcomeOption = "",
    ignore: its.IgnoreOption = "",
    out: its.LaterFolderOption = None,
) -> None:
    """Look at a table, choose the treatment and the outcome, and get the command to run."""
    from pairnet.commands.init import init

    asked = TableOptions(_location(table), treatment, outcome, "", ignore, **vars(file))
    init(asked, out, _teller(SayingOptions()).say)


@command(
    WORK,
    "pairnet fit customers.csv \\\n  --treatment discount --outcome spend -o model/",
)
@with_file_options
@with_saying_options
@with_engine_options
def fit(
    file: FileOptions,
    saying: SayingOptions,
    where: EngineOptions,
    table: its.TableArgument,
    treatment: its.TreatmentOption,
    outcome: its.OutcomeOption,
    out: its.FolderOption,
    covariates: its.CovariatesOption = "",
    ignore: its.IgnoreOption = "",
    categories: its.CategoriesOption = "",
    kind: its.KindOption = its.Kind.auto,
    weights: its.WeightsOption = None,
    clusters: its.ClustersOption = None,
    propensity: its.PropensityOption = None,
    method: its.MethodOption = its.DEFAULT_METHOD,
    preset: its.PresetOption = None,
    time_limit: its.TimeLimitOption = None,
    members: its.MembersOption = 5,
    bootstrap: its.BootstrapOption = None,
    settings: its.SetOption = None,
    seed: its.SeedOption = 0,
    target: its.TargetOption = None,
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
        "verbose": not (saying.quiet or saying.json),
    }
    columns = (treatment, outcome, covariates, ignore, categories)
    asked = TableOptions(_location(table), *columns, weights, clusters, propensity, **vars(file))
    fit(
        asked,
        out=out,
        method=method,
        options=options,
        settings=settings or [],
        target=target and target.value,
        engine=_engine(where),
        command=typed(),
        teller=_teller(saying),
    )


@command(
    WORK,
    "pairnet effect model/ new_customers.csv \\\n  --from 0 --to 10 -o effects.csv",
)
@with_file_options
@with_saying_options
@with_engine_options
def effect(
    file: FileOptions,
    saying: SayingOptions,
    where: EngineOptions,
    model: its.ModelArgument,
    table: its.RowsArgument,
    out: its.EffectsOption,
    start: its.FromOption = None,
    to: its.ToOption = None,
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

    into_folder = out.endswith(("/", os.sep))
    whose = target and target.value
    wanted = (Path(out), into_folder, start, to, abstain, evidence, alpha, keep, whose)
    own = _engine(where)
    chosen = own if where.engine or own.workers > 1 else None
    asked = EffectOptions(*wanted)
    effect(model, _location(table), asked, file, chosen, teller=_teller(saying))


@command(
    WORK,
    "pairnet policy model/ new_customers.csv \\\n  --budget 10000 --cost 5 -o plan.csv",
)
@with_file_options
@with_saying_options
def policy(
    file: FileOptions,
    saying: SayingOptions,
    model: its.ModelArgument,
    table: its.RowsArgument,
    out: its.OutOption,
    budget: its.BudgetOption = None,
    cost: its.CostOption = None,
    cost_column: its.CostColumnOption = None,
    worth: its.WorthOption = None,
    start: its.FromOption = None,
    to: its.OnlyToOption = None,
    bounds: its.BoundsOption = None,
    goal: its.GoalOption = "max",
    alpha: its.AlphaOption = 0.05,
    keep: its.KeepOption = "",
) -> None:
    """Say whom to treat how: what gains most for its cost, until the budget is spent."""
    from pairnet.commands.policy import policy

    what = (budget, cost, cost_column, worth, start, to, bounds, goal, alpha)
    policy(model, _location(table), out, PolicyOptions(*what, keep), file, _teller(saying))


def _location(text: str) -> Location:
    """Return the file, or the query of a database, that a text names."""
    from pairnet.tables.location import location_of

    return location_of(text)


@command(WORK, "pairnet refute model/")
@with_file_options
@with_saying_options
def refute(
    file: FileOptions,
    saying: SayingOptions,
    model: its.ModelArgument,
    table: its.FitTableArgument = None,
    start: its.FromOption = None,
    to: its.ToOption = None,
    controls: its.ControlsOption = "",
    repeats: its.RepeatsOption = 10,
    quick: its.QuickOption = False,
    seed: its.SeedOption = 0,
) -> None:
    """Try to refute the average effect of a model; its reports show what was found."""
    from pairnet.commands.refute import refute

    asked = RefuteOptions(start, to, controls, repeats, quick, seed)
    refute(model, table, asked, file, _teller(saying))


def _engine(where: EngineOptions) -> AbstractEngine:
    """Return the engine that is asked for."""
    from pairnet.commands.engines import engine_of

    return engine_of(*dataclasses.astuple(where))


def _run(words: Sequence[str]) -> None:
    """Do what a command line says, within another command."""
    app(list(words), standalone_mode=False)


def _teller(asked: SayingOptions) -> Teller:
    from pairnet.commands.telling import Teller

    return Teller(asked)


@command(WORK, "pairnet report model/ -o report.html")
def report(
    models: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[MODEL]...",
            help="The folder of a model that `pairnet fit` made; or several folders.",
        ),
    ] = None,
    out: its.PageOption = Path("report.html"),
    first: its.FromOption = None,
    second: its.ToOption = None,
    goal: its.GoalOption = "max",
    target: its.TargetOption = None,
    by: its.ByOption = "",
    refute: its.RefuteOption = False,
    calculator: its.CalculatorOption = False,
    store: research.StoreOption = RESULTS_FOLDER,
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
        asked: dict[str, Any] = {"first": first, "second": second, "goal": goal, "target": whose}
        asked |= {"by": by, "refute": refute, "calculator": calculator}
        report_of_models(models, out, command=typed(), **asked)


@command(
    WORK,
    "pairnet compare customers.csv \\\n  --treatment discount --outcome spend",
)
@with_file_options
@with_saying_options
@with_engine_options
def compare(
    file: FileOptions,
    saying: SayingOptions,
    where: EngineOptions,
    table: its.TableArgument,
    treatment: its.TreatmentOption,
    outcome: its.OutcomeOption,
    covariates: its.CovariatesOption = "",
    ignore: its.IgnoreOption = "",
    categories: its.CategoriesOption = "",
    kind: its.KindOption = its.Kind.auto,
    weights: its.WeightsOption = None,
    methods: its.MethodsOption = None,
    settings: its.SetOption = None,
    folds: its.FoldsOption = 3,
    seed: its.SeedOption = 0,
) -> None:
    """Rank methods on your own table by held-out pairs; no true effects needed."""
    from pairnet.commands.compare import compare_methods

    columns = (treatment, outcome, covariates, ignore, categories)
    asked = TableOptions(_location(table), *columns, weights, **vars(file))
    compare_methods(
        asked,
        methods=methods,
        kind=kind.value,
        settings=settings or [],
        folds=folds,
        seed=seed,
        engine=_engine(where),
        teller=_teller(saying),
    )


@command(WORK, "pairnet export model/ -o effects.stablehlo", "export")
def export_(
    model: its.ModelArgument,
    out: its.ProgramOption,
    first: its.FromOption = None,
    second: its.ToOption = None,
) -> None:
    """Write a model in a format that can be served without pairnet."""
    from pairnet.commands.export import export_model

    export_model(model, out, first=first, second=second)


@command(RESEARCH, "pairnet run table1 --replications 10 \\\n  --methods tarnet,pairnet", "run")
@with_engine_options
def run_(
    where: EngineOptions,
    names: research.ExperimentsArgument,
    replications: research.ReplicationsOption = None,
    methods: research.RowsOption = None,
    store: research.StoreOption = RESULTS_FOLDER,
    device: research.DeviceOption = "auto",
    retry: research.RetryOption = False,
    minutes: research.MinutesOption = None,
    known: research.KnownOption = None,
    data: research.DataOption = None,
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
        engine=where.engine,
        jobs=where.jobs,
        needs={"address": where.address, "cores": where.cores, "gpus": where.gpus},
        retry=retry,
        minutes=minutes,
        known=known,
    )


@command(START, "pairnet list\npairnet list --all", "list")
def list_(everything: research.AllOption = False) -> None:
    """List the methods to fit and the files to read; with --all every part there is."""
    from pairnet.commands.list import list_parts

    list_parts(everything)


app.add_typer(studies_app, name="data", rich_help_panel=RESEARCH)


def main() -> None:
    """Run the command line.

    A mistake in what was asked ends with one line and exit code 2, not with a traceback.
    """
    try:
        app(prog_name="pairnet")
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
