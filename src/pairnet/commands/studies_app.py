"""`pairnet data`, a command that has commands of its own: list, get and check studies."""

from __future__ import annotations

from typing import Annotated

import typer

from pairnet.commands import research_options as research
from pairnet.commands.helping import Commands, Helped

studies_app = typer.Typer(
    cls=Commands,
    help="List the studies, fetch their files, and check them.",
    invoke_without_command=True,
    rich_markup_mode=None,
)


@studies_app.callback()
def data_list(context: typer.Context) -> None:
    """List the studies: their size, where they come from, and whether they are on this machine."""
    if context.invoked_subcommand is None:
        from pairnet.commands.data import list_studies

        list_studies()


@studies_app.command("get", cls=Helped, epilog="pairnet data get ihdp")
def data_get(
    study: research.StudyArgument,
    folder: research.DataOption = None,
    again: research.AgainOption = False,
) -> None:
    """Download the files of a study, check them, and keep them in the data folder."""
    from pairnet.commands.data import get

    get(study, folder=folder, again=again)


@studies_app.command("check", cls=Helped, epilog="pairnet data check ihdp")
def data_check(
    study: Annotated[
        str | None,
        typer.Argument(
            metavar="[STUDY]", help="One study; left out, all that are on this machine."
        ),
    ] = None,
    folder: research.DataOption = None,
) -> None:
    """Check the files on this machine against their hashes, and the studies against figures."""
    from pairnet.commands.data import check

    check(study, folder)
