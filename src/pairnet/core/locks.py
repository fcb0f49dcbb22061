"""Locks between processes and threads; the system lets them go when their holder is killed."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)  # what such a disk says
DAY = 24 * 60 * 60  # seconds; where there are no locks, nobody writes one file for so long


class Busy(Exception):
    """Somebody else holds the lock."""


@contextmanager
def locked(path: Path, seconds: float = 0.0) -> Iterator[bool]:
    """Hold the lock whose file is `path`; wait for it so long, then raise `Busy`.

    The value is False on a disk that has no locks: then nobody is kept away. The file is removed
    at the end, and the next holder removes one that was left by a process that was killed.
    """
    with ExitStack() as stack:
        held = _acquired(FileLock(path, mode=0o666), path, seconds, stack)
        try:
            yield held
        finally:
            with suppress(OSError):  # some systems remove no file that is open
                path.unlink()


def _acquired(lock: FileLock, path: Path, seconds: float, stack: ExitStack) -> bool:
    try:
        lock.acquire(timeout=seconds)
    except Timeout:
        raise Busy(str(path)) from None
    except NotImplementedError:
        return False
    except OSError as error:
        if error.errno in NO_LOCKS:
            return False
        raise
    stack.callback(lock.release)
    return True


def hold(handle: int) -> bool | None:
    """Lock an open file until it is closed; None if there are no locks here.

    The value is False if another process or thread holds it.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return None if error.errno in NO_LOCKS else False
    return True


def is_old(path: Path) -> bool:
    """Tell whether a file was last changed more than a day ago."""
    with suppress(OSError):
        return time.time() - os.lstat(path).st_mtime > DAY
    return False
