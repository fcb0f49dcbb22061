"""Arrays that may be larger than memory: kept in a file without a name.

The file lies in the cache folder and has no name from the beginning on, so that the system removes
it with the array, and also when the process is killed.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.folders import cache_folder

IN_MEMORY = 2**28  # bytes of an array that needs no file
SPARE = 2**28  # bytes that are left free on the disk


def spooled(rows: int, columns: int) -> np.ndarray:
    """Return an array of float32 to be filled: in memory if it is small, else in a file."""
    size = 4 * rows * columns
    if size <= IN_MEMORY:
        return np.empty((rows, columns), np.float32)
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _check_room(folder, size)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.truncate(size)
            return np.memmap(file, np.float32, "r+", shape=(rows, columns))
    except OSError as error:
        raise _no_room(folder, size, error.strerror or str(error)) from None


def is_in_file(values: np.ndarray) -> bool:
    """Tell whether an array is kept in a file."""
    return isinstance(values, np.memmap)


def _check_room(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < size + SPARE:
        raise _no_room(folder, size, f"only {free / 2**20:,.0f} MiB are free")


def _no_room(folder: Path, size: int, why: str) -> BadInput:
    problem = f"The table as numbers needs {size / 2**20:,.0f} MiB in {folder}, but {why}"
    advice = "Make room, or set the environment variable PAIRNET_CACHE to a folder on another disk."
    return BadInput("", problem, advice)
