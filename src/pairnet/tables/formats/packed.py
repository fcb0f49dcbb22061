"""Files that are compressed: .gz and .zst."""

from __future__ import annotations

import gzip
import importlib
import zlib
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO, Any

from pairnet.core.errors import BadInput, NotInstalled


def unpacked(path: Path) -> bytes:
    """Return what a file holds, decompressed if its ending says that it is compressed."""
    content, ending = path.read_bytes(), path.suffix.lower()
    if ending not in (".gz", ".zst"):
        return content
    try:
        return gzip.decompress(content) if ending == ".gz" else _unpacked_zst(content)
    except (EOFError, OSError, zlib.error):
        why = f"cannot be read as {ending[1:]}: it is damaged or incomplete, copy it anew"
        raise BadInput("", f"{path} {why}") from None


def packing(ending: str, file: IO[bytes]) -> AbstractContextManager[Any]:
    """Return the file to write plain text into, which arrives compressed in an open file."""
    if ending.endswith(".gz"):
        return gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0)
    if ending.endswith(".zst"):
        return zstd().ZstdCompressor().stream_writer(file, closefd=False)
    return nullcontext(file)


def zstd() -> Any:
    """Return the package that knows .zst."""
    try:
        return importlib.import_module("zstandard")
    except ImportError:
        raise NotInstalled(".zst files need", "zstandard", "'pairnet[files]'") from None


def _unpacked_zst(content: bytes) -> bytes:
    zstandard, parts = zstd(), []
    while content:
        unpacker = zstandard.ZstdDecompressor().decompressobj()
        try:
            parts.append(unpacker.decompress(content))
        except zstandard.ZstdError:
            raise EOFError from None
        if not unpacker.eof:
            raise EOFError
        content = unpacker.unused_data
    return b"".join(parts)
