"""Files that are there whole, or as they were before: whoever opens one never sees half of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file to write; it takes its name when all is on the disk, and never if anything goes wrong."""
    target = Path(path)
    handle, part = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.absolute().parent)
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
