"""The application that commands belong to: its name, its groups, and how a command is added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from pairnet import __version__
from pairnet.commands.helping import Commands, Helped
from pairnet.commands.saying import INTERRUPTED

START, WORK, RESEARCH = "To start", "From a table to effects", "For researchers"
EPILOG = f"""`pairnet COMMAND --help` shows the options of a command, and an example.

Exit codes: 0 done; 1 something broke that should not; 2 what was asked is impossible, and nothing
was written; {INTERRUPTED} interrupted by Ctrl-C. Errors and notes go to standard error.
"""

app = typer.Typer(
    name="pairnet",
    cls=Commands,
    help="What would change for this person if the treatment changed? Effects from observational "
    "data.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def command(group: str, example: str, name: str | None = None) -> Callable:
    """Return what makes a command of a group of the list, with an example in its help."""
    return app.command(name, cls=Helped, rich_help_panel=group, epilog=example)


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
