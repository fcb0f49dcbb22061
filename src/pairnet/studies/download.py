"""Fetches a study's files: they are downloaded beside their place, checked, then moved there."""

from __future__ import annotations

import os
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from pairnet.core.errors import BadInput
from pairnet.core.folders import data_folders
from pairnet.studies.check import failures
from pairnet.studies.files import File, digest


class ProgressBar(Protocol):
    """What a progress bar offers: the total, an update when something has come, and the end."""

    total: float

    def update(self, amount: int) -> None: ...
    def reset(self) -> None: ...
    def close(self) -> None: ...


class DownloadFailed(OSError):
    """A file could not be fetched; nothing of it was kept."""


def get(
    name: str,
    *,
    folder: str | os.PathLike[str] | None = None,
    again: bool = False,
    bar: Callable[[str], ProgressBar] | None = None,
) -> list[Path]:
    """Download the files that study `name` lacks, and return the new ones.

    With `again`, every file that has an address is fetched. Files go to `folder`, or to the data
    folder of the user's cache. If a file's hash is wrong, or the study does not have its known
    figures afterwards, the file is not kept; what was there before stays as it was.
    """
    from pairnet.studies import studies

    about = studies[name].about
    either = (*about.files, *about.instead)
    files = [file for file in either if file.url]
    if not files:
        raise BadInput("", _nothing_to_get(name, either))
    base = data_folders(folder)[-1]
    if not again and not failures(name, folder):
        return []
    wanted = files if again else [file for file in files if not _is_right(file, folder)] or files
    _nothing_in_the_way(name, wanted, folder, base)
    base.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=base, prefix=".fetching-") as scratch:
        staged = Path(scratch) / "data"
        for file in wanted:
            _fetch(file, staged, bar)
        together = about.instead if set(wanted) <= set(about.instead) else about.files
        _judge(name, wanted, [file for file in together if file not in wanted], staged, folder)
        return [path for file in wanted for path in _settle(file, staged, base)]


def _nothing_in_the_way(name: str, wanted: list[File], folder, base: Path) -> None:
    """Raise if another copy of a file would be read instead of the one that is fetched."""
    for file in wanted:
        path = file.find(folder)
        if path is not None and base not in path.parents:
            raise BadInput(
                "",
                f"{path} would be read before what is fetched to {base}: delete it first, or fetch "
                f"to its place with `pairnet data get {name} --data FOLDER`.",
            )


def _is_right(file: File, folder) -> bool:
    """Tell whether a file is there and is the copy we know."""
    path = file.find(folder)
    return path is not None and digest(path) in (file.sha256, file.url_sha256)


def _fetch(file: File, staged: Path, bar: Callable[[str], ProgressBar] | None) -> None:
    """Download one file into a scratch folder, and check its hash if it is recorded."""
    import pooch

    pooch.get_logger().setLevel("WARNING")  # we say ourselves what is going on
    target = staged / file.path
    name = "archive" if file.unpack else file.name
    progress = bar(file.name) if bar else None
    try:
        got = pooch.retrieve(
            str(file.url),
            known_hash=f"sha256:{file.url_sha256}" if file.url_sha256 else None,
            fname=name,
            path=target.parent,
            downloader=pooch.HTTPDownloader(progressbar=progress or False, timeout=60),
        )
    except BaseException as error:
        if progress:
            progress.close()
        if not isinstance(error, Exception):  # Ctrl-C
            raise
        # requests and urllib3 raise many types, which all mean the same to the user
        raise DownloadFailed(
            f"{file.name} could not be fetched from {file.url}: {_reason(error)}. Nothing was "
            "kept. Try again, or fetch it in a browser and put it at "
            f"{data_folders()[-1] / file.path}."
        ) from None
    if file.unpack:
        _unpack(Path(got), target.parent, file)


def _unpack(archive: Path, folder: Path, file: File) -> None:
    """Unpack an archive; the folder in it that holds `file` becomes that file's folder."""
    inside = archive.parent.parent / "unpacked"
    try:
        if zipfile.is_zipfile(archive):
            shutil.unpack_archive(archive, inside, format="zip")
        else:  # "data": no path may lead out of the folder
            shutil.unpack_archive(archive, inside, format="tar", filter="data")
    except (shutil.ReadError, tarfile.TarError, zipfile.BadZipFile, OSError, EOFError) as error:
        raise DownloadFailed(
            f"What {file.url} gave is not an archive ({_reason(error)}): it may ask for a "
            "confirmation that only a browser can give. Fetch it by hand and unpack it so that "
            f"{data_folders()[-1] / file.path} exists."
        ) from None
    archive.unlink()
    path = min(inside.rglob(file.name), key=lambda path: len(path.parts), default=None)
    if path is None:
        raise DownloadFailed(
            f"The archive that {file.url} gave holds no {file.name}. Nothing was kept."
        )
    folder.rmdir()
    os.replace(path.parent, folder)


def _judge(name: str, wanted: list[File], others: list[File], staged: Path, folder) -> None:
    """Check files whose hash is not recorded by the study's own figures."""
    if all(file.url_sha256 for file in wanted):
        return
    for file in others:  # what the study already has, beside what has just come
        path = file.find(folder)
        if path is not None:
            (staged / file.path).parent.mkdir(parents=True, exist_ok=True)
            os.symlink(path.absolute(), staged / file.path)
    wrong = failures(name, staged)
    for file in others:
        (staged / file.path).unlink(missing_ok=True)
    if wrong:
        raise DownloadFailed(
            f"What was fetched for {name} is not what it should be: {'; '.join(wrong[:3])}. "
            "Nothing was kept."
        )


def _settle(file: File, staged: Path, base: Path) -> list[Path]:
    """Move a checked file (with `unpack`, its whole folder) to its place."""
    source, target = staged / file.path, base / file.path
    if file.unpack:
        source, target = source.parent, target.parent
        shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, target)
    return [target]


def how_to_get(name: str) -> str:
    """Write how a study comes to this machine: the command that fetches it, if there is one."""
    from pairnet.studies import studies

    about = studies[name].about
    either = (*about.files, *about.instead)
    if any(file.url for file in either):
        return f"`pairnet data get {name}` fetches study {name!r}."
    return _nothing_to_get(name, either)


def _nothing_to_get(name: str, files: tuple[File, ...]) -> str:
    if not files:
        return (
            f"Study {name!r} is made by this package: there is nothing to fetch. Try "
            f"load({name!r})."
        )
    places = ", ".join(str(data_folders()[-1] / file.path) for file in files)
    return (
        f"Study {name!r} has no public address to fetch it from. If you have its files, put them "
        f"at {places}."
    )


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) < 300 else text[:300] + " ..."
