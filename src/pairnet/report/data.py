"""Studies on the terminal: what there is, what is on this machine, and whether it is right."""

from __future__ import annotations

import os

from rich.console import Group, RenderableType
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from pairnet.studies import DataMissing, studies
from pairnet.studies.check import check
from pairnet.studies.study import About

MARKS = {True: ("yes", "green"), False: ("NO", "bold red"), None: ("not recorded", "yellow")}


def listing() -> RenderableType:
    """Return two tables of all studies: how large they are, and where they come from."""
    sizes = _table(("study", "rows", "covariates", "treatment", "realisations", "here"))
    sources = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column, ratio in (("study", None), ("source", 3), ("licence", 1)):
        sources.add_column(column, no_wrap=column == "study", ratio=ratio)
    for name in studies:
        about = studies[name].about
        numbers = (about.rows, about.covariates, about.treatment, about.realisations)
        sizes.add_row(name, *numbers, _state(about))
        sources.add_row(name, about.source, about.licence)
    hint = "pairnet data get NAME fetches a study, pairnet data check looks at what is here."
    return Group(sizes, "", sources, "", Text(hint, "dim"))


def _table(columns: tuple[str, ...]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=column == "study", min_width=len(column))
    return table


def _state(about: About) -> Text:
    """Write whether a study is on this machine."""
    files = (*about.files, *about.instead)
    if about.is_here():
        return Text("yes" if files else "made here", "green")
    return Text("can be fetched" if any(file.url for file in files) else "no", "yellow")


def checked(name: str | None, folder: str | os.PathLike[str] | None) -> tuple[RenderableType, int]:
    """Check one study, or all that are on this machine.

    Return a table of findings, and how many of them are wrong.
    """
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("study", "what", "expected", "got", "right"):
        table.add_column(column, no_wrap=column in ("study", "right"), overflow="fold")
    wrong = 0
    for study in studies if name is None else [name]:
        try:
            for finding in check(study, folder):
                word, style = MARKS[finding.good]
                values = (finding.what, finding.expected, finding.got)
                table.add_row(study, *values, Text(word, style))
                wrong += finding.good is False
        except DataMissing as missing:
            if name is not None:
                raise
            reason = str(missing).split(". ")[0]
            table.add_row(study, Text(reason, "dim"), "", "", Text("not here", "dim"))
    return table, wrong


class DownloadBar:
    """A bar on the terminal for one download, with the attributes that the downloader needs."""

    def __init__(self, label: str):
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns)
        self._task = self._progress.add_task(label, total=None)
        self._progress.start()

    @property
    def total(self) -> float:
        """How many bytes there are."""
        return self._progress.tasks[0].total or 0

    @total.setter
    def total(self, value: float) -> None:
        self._progress.update(self._task, total=value or None)

    def update(self, amount: int) -> None:
        """Count bytes that have come."""
        self._progress.advance(self._task, amount)

    def reset(self) -> None:
        """Start again from nothing."""
        self._progress.update(self._task, completed=0)

    def close(self) -> None:
        """Leave the bar as it is."""
        self._progress.stop()
