"""Where files live: the user's cache folder, and the folder of data files."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder for files that can be made again.

    It is `PAIRNET_CACHE`, or the system's usual place.
    """
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
    return [*([Path(shared).expanduser()] if shared else []), cache_folder() / "data"]
