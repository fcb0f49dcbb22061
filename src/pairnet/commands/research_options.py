"""Options of the commands for researchers, and of demonstrations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pairnet.commands.options import OUTPUT, WORK, option

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
    option(WORK, "NUMBER", "So many of each column; left out, all of the paper's.", min=1),
]
RowsOption = Annotated[
    str | None, option(WORK, "NAME,NAME", "Only these rows: tarnet,pairnet.", "--methods")
]
DeviceOption = Annotated[str, option(WORK, "DEVICE", "cpu, gpu, or auto: what JAX finds.")]
RetryOption = Annotated[bool, option(WORK, "", "Do failed jobs again.", "--retry")]
MinutesOption = Annotated[
    float | None, option(WORK, "NUMBER", "Begin no fit after so many minutes.", min=0)
]
KnownOption = Annotated[
    Path | None, option(WORK, "FOLDER", "CSV files whose results need not be made.")
]
StoreOption = Annotated[Path, option(WORK, "FOLDER", "Where results are.", "--store")]
DataOption = Annotated[
    Path | None,
    option(WORK, "FOLDER", "Where data files are; left out, the usual places.", "--data"),
]
AgainOption = Annotated[bool, option(WORK, "", "Fetch anew what is there already.", "--again")]
AllOption = Annotated[
    bool,
    typer.Option("--all", help="The parts for researchers, too: experiments, studies, networks."),
]
DEMO = "With --methods"
DemoOption = Annotated[
    Path | None,
    option(
        OUTPUT, "PATH", "The folder to write (pairnet-demo); of --methods a picture.", "--out", "-o"
    ),
]
CompareMethodsOption = Annotated[
    bool,
    typer.Option("--methods", help="For researchers: compare the errors of TARNet and PairNet."),
]
StudyOption = Annotated[
    str | None, option(DEMO, "STUDY", "confounded, which is made here, or ihdp.")
]
RealisationsOption = Annotated[
    int | None, option(DEMO, "NUMBER", "How many realisations of it; left out, 5.", min=1)
]
DemoDataOption = Annotated[Path | None, option(DEMO, "FOLDER", "Where the data files of ihdp are.")]
