"""Where files live: the user's cache folder, and the folder of data files."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder for things that can be made again: `PAIRNET_CACHE`, or the system's usual
    place."""
    if given := os.environ.get("PAIRNET_CACHE"):
        return Path(given).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "pairnet"


def data_folders(folder: str | os.PathLike[str] | None = None) -> list[Path]:
    """Return where data files are looked for: the folder given, else `PAIRNET_DATA`, else the cache
    folder."""
    if folder is not None:
        return [Path(folder).expanduser()]
    given = os.environ.get("PAIRNET_DATA")
    return [*([Path(given).expanduser()] if given else []), cache_folder() / "data"]
