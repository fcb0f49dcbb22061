"""Files are written whole, or stay as they were: nobody who opens one sees half of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pairnet.core.errors import BadInput


def can_write(path: str | os.PathLike[str], option: str) -> None:
    """Raise, before the work and not after it, if no file can be written at a path.

    option: the option that named the file, for errors.
    """
    target = Path(path)
    folder = target.absolute().parent
    if not folder.is_dir():
        raise BadInput("", f"The folder of {option} does not exist: {folder}", "Make it first.")
    if target.is_dir():
        raise BadInput(option, f"must be a file, got the folder {target}", "Name a file in it.")
    can_write_into(folder, f"{option} cannot be written")


def can_write_into(folder: Path, problem: str) -> None:
    """Raise if no new file can be written into a folder; `problem` begins the sentence.

    The check writes a file, since permissions do not tell everything.
    """
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        text = f"{problem}: {folder} takes no files ({reason(error)})"
        raise BadInput("", text, "Name another place.") from None


def reason(error: OSError) -> str:
    """Return why the system did not do something with a file, in its words."""
    return os.strerror(error.errno) if error.errno else str(error)


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file to write; it takes its name only when all of it is on the disk.

    Where it cannot be written, the error names the file.
    """
    try:
        with _whole(Path(path)) as file:
            yield file
    except OSError as error:
        problem = f"{path} cannot be written: {reason(error).rstrip('.')}"
        raise OSError(f"{problem}. Make room there, or name another place.") from error


@contextmanager
def _whole(target: Path) -> Iterator[IO[bytes]]:
    handle, part = tempfile.mkstemp(
        prefix=f".{target.name}.", suffix=".part", dir=target.absolute().parent
    )
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(part, 0o644)
        os.replace(part, target)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
