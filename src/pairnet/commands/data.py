"""`pairnet data`: which studies there are, and whether their files are as they must be."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from pairnet.core.errors import BadInput
from pairnet.report import data as pages
from pairnet.studies import download


def list_studies() -> None:
    """Print a table of all studies."""
    Console().print(pages.listing())


def get(study: str, *, folder: Path | None, again: bool) -> None:
    """Download the files of a study."""
    paths = download.get(study, folder=folder, again=again, bar=pages.DownloadBar)
    for path in paths:
        print(f"Fetched and checked: {path}")
    if not paths:
        print(f"{study} is here already, and as it should be.")


def check(study: str | None, folder: Path | None) -> None:
    """Check the files of one study, or of all that are on this machine, and print the results."""
    table, wrong = pages.checked(study, folder)
    Console().print(table)
    if wrong:
        problem = f"{wrong} things are not as they should be: see above"
        raise BadInput("", problem, "`pairnet data get NAME --again` mends.")
