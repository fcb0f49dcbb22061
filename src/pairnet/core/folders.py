"""Where files live: the user's cache folder, and the folder of data files."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

from pairnet.core.errors import BadInput


class NoHome(BadInput):
    """The error where nobody says in which folder files can be kept."""

    def __init__(self) -> None:
        problem = "This user has no home folder, so there is no place for files that are kept"
        super().__init__("", problem, "Set the environment variable PAIRNET_CACHE to a folder.")


def cache_folder() -> Path:
    """Return the folder for files that can be made again.

    It is `PAIRNET_CACHE`, or the system's usual place.
    """
    try:
        return _cache_folder()
    except RuntimeError:
        raise NoHome from None


def _cache_folder() -> Path:
    if wanted := os.environ.get("PAIRNET_CACHE"):
        return Path(wanted).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "pairnet"


def data_folders(folder: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return where data files are looked for: in `folder`, else `PAIRNET_DATA` and the cache."""
    if folder is not None:
        return [Path(folder).expanduser()]
    shared = os.environ.get("PAIRNET_DATA")
    folders = [Path(shared).expanduser()] if shared else []
    with suppress(NoHome):
        folders.append(cache_folder() / "data")
    return folders


def own_data_folder(folder: str | os.PathLike[str] | None = None) -> Path:
    """Return where data files are fetched to: `folder`, else a part of the cache."""
    return cache_folder() / "data" if folder is None else Path(folder).expanduser()
