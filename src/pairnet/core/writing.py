"""Files are written whole, or stay as they were: nobody who opens one sees half of it."""

from __future__ import annotations

import os
import re
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from pairnet.core.errors import BadInput
from pairnet.core.locks import hold, is_old

OWN = ".pairnet-"  # how names of our own files begin, which are there for a moment only
TOKEN = "[a-z0-9_]{8}"  # what tells parts of one file apart
ODD = "a device or a pipe"  # whose place a file must not take


def can_write(path: str | os.PathLike[str], option: str) -> None:
    """Raise, before the work and not after it, if no file can be written at a path.

    option: the option that named the file, for errors.
    """
    target = Path(path)
    folder = Path(os.path.realpath(target)).parent
    if not folder.is_dir():
        raise BadInput("", f"The folder of {option} does not exist: {folder}", "Make it first.")
    if target.is_dir():
        raise BadInput(option, f"must be a file, got the folder {target}", "Name a file in it.")
    if _is_odd(target):
        raise BadInput(option, f"must be a file, got {target}, which is {ODD}", "Name another one.")
    can_write_into(folder, f"{option} cannot be written")


def can_write_into(folder: Path, problem: str) -> None:
    """Raise if no new file can be written into a folder; `problem` begins the sentence.

    The check writes a file, since permissions do not tell everything.
    """
    try:
        tempfile.TemporaryFile(dir=folder, prefix=OWN).close()
    except OSError as error:
        text = f"{problem}: {folder} takes no files ({reason(error)})"
        raise BadInput("", text, "Name another place.") from None


def _is_odd(path: Path) -> bool:
    """Tell whether something is there that a file would replace, and that is no file or folder."""
    return path.exists() and not (path.is_file() or path.is_dir())


def reason(error: OSError) -> str:
    """Return why the system did not do something with a file, in its words."""
    return os.strerror(error.errno) if error.errno else str(error)


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file to write; it takes its name only when all of it is on the disk.

    A link stays, and what it leads to is written. What writers of this file left when they were
    killed is removed first. Where the file cannot be written, the error names it.
    """
    try:
        with _whole(Path(os.path.realpath(path))) as file:
            yield file
    except OSError as error:
        problem = f"{path} cannot be written: {reason(error).rstrip('.')}"
        raise OSError(f"{problem}. Make room there, or name another place.") from error


@contextmanager
def _whole(target: Path) -> Iterator[IO[bytes]]:
    if _is_odd(target):
        raise OSError(f"it is {ODD}")
    remove_parts(target.parent, re.escape(target.name))
    part, handle = _new_part(target)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            with suppress(OSError):  # there may be none
                os.chmod(part, stat.S_IMODE(target.stat().st_mode))
            if os.name == "nt":  # which renames no file that is open
                file.close()
            os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def remove_parts(folder: Path, name: str) -> None:
    """Remove parts of files that writers left in a folder when they were killed.

    name: what the names of the files are, as a regular expression.
    """
    is_part = re.compile(rf"\.({name})\.{TOKEN}\.part").fullmatch
    with os.scandir(folder) as entries:
        parts = [folder / entry.name for entry in entries if is_part(entry.name)]
    for part in parts:
        with suppress(OSError):
            _remove_if_left(part)


def _new_part(target: Path) -> tuple[Path, int]:
    """Make a new file beside the target, and hold it: so everybody sees that its writer lives."""
    new = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        handle = os.open(part, new, 0o666)
        if hold(handle) is not False and part.exists():
            return part, handle
        os.close(handle)  # somebody took it for one that was left, since it was not yet held


def _remove_if_left(part: Path) -> None:
    """Remove a part of a file, unless its writer is still at work."""
    if not stat.S_ISREG(os.lstat(part).st_mode):
        return
    handle = os.open(part, os.O_RDWR)
    try:
        held = hold(handle)
        if held:
            part.unlink()
    finally:
        os.close(handle)
    if held is None and is_old(part):
        part.unlink()
