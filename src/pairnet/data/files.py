"""Reading data files: found in one of the data folders, or an error that says where it was looked for."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from pairnet.data.study import DataMissing
from pairnet.folders import data_folders


def find(study: str, name: str, folder: str | os.PathLike[str] | None) -> Path:
    """Return the path of a study's file: `folder/study/name` or `folder/name`."""
    looked = [path for base in data_folders(folder) for path in (base / study / name, base / name)]
    for path in looked:
        if path.is_file():
            return path
    raise DataMissing(
        f"Study {study!r} needs the file {name}, which is not on this machine. Looked for: "
        f"{', '.join(map(str, looked))}. Put it there, or say where it is with folder=..., --data or PAIRNET_DATA."
    )


def read_npz(path: Path, shapes: Mapping[str, tuple[int | None, ...]]) -> dict[str, np.ndarray]:
    """Read arrays from an npz file and check their shapes (None: any length)."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in shapes}
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, KeyError) as error:
        raise ValueError(
            f"{path} cannot be read ({error}): it is damaged or not the right file. Fetch it again."
        ) from None
    for name, shape in shapes.items():
        got = arrays[name].shape
        if len(got) != len(shape) or any(want not in (None, have) for want, have in zip(shape, got, strict=True)):
            raise ValueError(f"{path}: array {name!r} must have shape {shape}, got {got}. Is it the right file?")
    return arrays
