"""The command as it was typed and the hash of its file, so that a report can be traced."""

from __future__ import annotations

import hashlib
import shlex
import sys
from pathlib import Path

from pairnet.tables.databases.base import without_password
from pairnet.tables.location import Location


def typed() -> str:
    """Return the command that is being run, to be typed again; without the password of a server."""
    return shlex.join(["pairnet", *map(without_password, sys.argv[1:])])


def hash_of(path: Location) -> str:
    """Return the SHA-256 of a file; "" if it is none, but a pipe, say."""
    if not isinstance(path, Path) or not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
