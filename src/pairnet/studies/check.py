"""Are the data on this machine right? Files by their hashes, studies by their known figures."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pairnet.studies.files import DataMissing, File, digest


@dataclass(frozen=True)
class Finding:
    """The result of one check. `good` is None if there was nothing to compare with."""

    what: str
    expected: str
    got: str
    good: bool | None


def check(name: str, folder: str | os.PathLike[str] | None = None) -> Iterator[Finding]:
    """Check the files of a study, and its figures.

    Raises `DataMissing` if the study is not on this machine.
    """
    from pairnet.studies import studies

    load = studies[name]
    about = load.about
    for file in (*about.files, *about.instead):
        if path := file.find(folder):
            yield _look_at(file, path)
    options = {"folder": folder} if about.files else {}
    try:
        study = load(**options)
    except ValueError as error:
        yield Finding("loading", "works", str(error), False)
        return
    yield Finding("loading", "works", "works", True)
    for figure in about.figures:
        value = float(figure.measure(study))
        good = bool(abs(value - figure.expected) <= figure.within)
        yield Finding(figure.what, f"{figure.expected:g}", f"{value:g}", good)


def _look_at(file: File, path: Path) -> Finding:
    """Compare the hash of a file with the known ones."""
    hashes = sorted({value for value in (file.sha256, file.url_sha256) if value})
    sha256 = digest(path)
    # A file that can be fetched but whose published hash is not recorded may differ from the copy
    # we know.
    is_unsure = not hashes or (file.url is not None and file.url_sha256 is None)
    good = True if sha256 in hashes else (None if is_unsure else False)
    expected = " or ".join(value[:12] for value in hashes) or "-"
    return Finding(file.name, expected, sha256[:12], good)


def failures(name: str, folder: str | os.PathLike[str] | None = None) -> list[str]:
    """Return what is wrong with a study's files; files that are missing are wrong, too."""
    try:
        return [
            f"{f.what} is {f.got} where {f.expected} was expected"
            for f in check(name, folder)
            if f.good is False
        ]
    except DataMissing as missing:
        return [str(missing)]
