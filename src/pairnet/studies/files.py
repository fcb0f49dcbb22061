"""Data files: where they are looked for, how they are read, and what to do if one is missing."""

from __future__ import annotations

import csv
import gzip
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.folders import data_folders


class DataMissing(FileNotFoundError):
    """A data file that is not on this machine."""


@dataclass(frozen=True, kw_only=True)
class File:
    """A data file: its place in a data folder, its hash, and its public address, if it has one.

    The hash is that of the copy we know. The file at the address may differ from it in ways that do
    not matter (the order of rows, an archive around it), and its own hash may not be recorded: such
    a download is judged by the study's figures.
    """

    path: str  # "study/name"
    sha256: str | None = None
    url: str | None = None
    url_sha256: str | None = None
    unpack: bool = False  # the address gives an archive that is unpacked beside `path`
    optional: bool = False  # the study can do without, or has the same in another file

    @property
    def name(self) -> str:
        """The file's name, without its folder."""
        return self.path.rsplit("/", 1)[-1]

    def find(self, folder: str | os.PathLike[str] | None = None) -> Path | None:
        """Return where the file is, or None; it may lie in a data folder or in its sub-folder."""
        return next((path for path in self.places(folder) if path.is_file()), None)

    def places(self, folder: str | os.PathLike[str] | None = None) -> list[Path]:
        """Return all places where the file is looked for."""
        return [
            path for base in data_folders(folder) for path in (base / self.path, base / self.name)
        ]

    def need(self, study: str, folder: str | os.PathLike[str] | None = None) -> Path:
        """Return where the file is, or raise and say how to get it."""
        path = self.find(folder)
        if path is None:
            places = ", ".join(map(str, self.places(folder))) or "nothing, without a home folder"
            fetch = (
                f"Run `pairnet data get {study}`, or" if self.url else "It has no public address:"
            )
            raise DataMissing(
                f"Study {study!r} needs the file {self.name}, which is not on this machine. Looked "
                f"for: {places}. {fetch} put it there, or say where it is with folder=..., --data "
                "or PAIRNET_DATA."
            )
        return path


class Damaged(ValueError):
    """The error for a file that is not as it must be, with advice."""

    def __init__(self, path: Path, what: str, mend: str = "fetch it again"):
        super().__init__(
            f"{path} {what}. It is damaged or not the right file: delete it and {mend}."
        )
        self.path, self.what = path, what

    def of(self, study: str, public: bool) -> Damaged:
        """Return the same error, with the command that repairs the file."""
        again = f"fetch it again with `pairnet data get {study}`"
        return Damaged(
            self.path,
            self.what,
            again if public else "put a right copy there; it has no public address",
        )


def read_npz(path: Path, shapes: Mapping[str, tuple[int | None, ...]]) -> dict[str, np.ndarray]:
    """Read arrays from an npz file, and check their shapes (None: any length)."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in shapes}
    except (
        Exception
    ) as error:  # zip, zlib and numpy raise many types, which all mean the same to the user
        raise Damaged(path, f"cannot be read ({error})") from None
    for name, shape in shapes.items():
        got = arrays[name].shape
        sizes = zip(shape, got, strict=False)
        if len(got) != len(shape) or any(want not in (None, have) for want, have in sizes):
            raise Damaged(path, f"must hold an array {name!r} of shape {shape}, got {got}")
    return arrays


def read_csv(path: Path, rows: int, columns: Sequence[str]) -> dict[str, np.ndarray]:
    """Read a CSV file, gzipped or not, as text; check its rows and that it has these columns."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", newline="", encoding="utf-8") as stream:
            header, *lines = csv.reader(stream)
        names = [name.strip(" '’\"") for name in header]
        values = np.asarray(lines)
    except Exception as error:  # likewise for gzip, zlib and csv
        raise Damaged(path, f"cannot be read ({error})") from None
    missing = [name for name in columns if name not in names]
    if missing:
        raise Damaged(
            path, f"lacks the columns {', '.join(missing[:5])}; it has {', '.join(names[:5])}, ..."
        )
    if values.shape != (rows, len(names)):
        raise Damaged(
            path, f"must hold {rows} rows of {len(names)} values, got shape {values.shape}"
        )
    return {name: values[:, names.index(name)] for name in columns}


def read_matrix(path: Path) -> np.ndarray:
    """Read a matrix of numbers from an npy file."""
    try:
        matrix = np.load(path, allow_pickle=False)
    except Exception as error:  # likewise
        raise Damaged(path, f"cannot be read ({error})") from None
    if not isinstance(matrix, np.ndarray) or matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise Damaged(
            path,
            f"must hold one matrix of numbers (npy), got {getattr(matrix, 'shape', 'an archive')}",
        )
    return matrix


def matrix_of(source: Any, study: str) -> np.ndarray:
    """Return a matrix, or the one in the npy file at a path."""
    if isinstance(source, str | os.PathLike):
        path = Path(source).expanduser()
        if not path.is_file():
            raise DataMissing(
                f"{study}: matrix must be a matrix or the path of one (npy), got {path}: no such "
                "file."
            )
        return read_matrix(path)
    matrix = np.asarray(source)
    if matrix.ndim == 0 or matrix.dtype.kind not in "biuf":
        raise BadInput(
            f"{study}: matrix", f"must hold numbers, got {matrix.dtype} of shape {matrix.shape}"
        )
    return matrix


def numbers(column: np.ndarray, path: Path) -> np.ndarray:
    """Turn a column of text into float64."""
    try:
        return column.astype(np.float64)
    except ValueError as error:
        raise Damaged(path, f"holds text where a number should be ({error})") from None


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
