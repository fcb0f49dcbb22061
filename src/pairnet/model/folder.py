"""The folder of a saved model: arrays in safetensors, all else in readable JSON.

Nothing in it is ever executed. `model.json` names the weights by their hash, which is also in the
name of the weights' file. So a folder is overwritten in one step: the new weights are written
beside the old ones, then `model.json` is replaced, then the old weights are removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pairnet.core.writing import can_write_into, whole

FORMAT, VERSION = "pairnet model", 2
TEXT = "model.json"
MOST_TEXT = 64 * 2**20  # bytes
MOST_HEADER = 16 * 2**20  # bytes, of the names and shapes in front of the weights


class BadModel(ValueError):
    """A folder that holds no model, or a damaged one."""


def can_write(folder: str | os.PathLike[str]) -> None:
    """Raise if no model may be written there: a file is there, or a folder with other things."""
    path = Path(folder)
    above = next(parent for parent in path.absolute().parents if parent.exists())
    problem = f"No model can be saved at {path}"
    if not above.is_dir():
        raise ValueError(f"{problem}: {above} is no folder. Name another one.")
    can_write_into(path if path.is_dir() else above, problem)
    if not os.path.lexists(path) or _is_model(path) or (path.is_dir() and not any(path.iterdir())):
        return
    what = "a folder that holds other things" if path.is_dir() else "a file"
    raise ValueError(
        f"{path} is {what}, and no pairnet model: it is left alone. Name a new folder for the "
        "model."
    )


def write(
    folder: str | os.PathLike[str], content: Mapping[str, Any], arrays: Mapping[str, np.ndarray]
) -> Path:
    """Write a model, all of it or nothing; an older model in the folder is replaced."""
    from safetensors.numpy import save

    can_write(folder)
    path = Path(folder)
    weights = save({name: np.ascontiguousarray(array) for name, array in arrays.items()})
    digest = hashlib.sha256(weights).hexdigest()
    head = {
        "format": FORMAT,
        "version": VERSION,
        "weights": {"bytes": len(weights), "sha256": digest},
    }
    # The hash of all the rest, as it will be read.
    head["sha256"] = checksum(json.loads(json.dumps(dict(content))))
    text = json.dumps(head | dict(content), indent=1, allow_nan=False, ensure_ascii=False).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_files = _replace if _is_model(path) else _create
    write_files(path, _name(digest), weights, text)
    return path


def _replace(path: Path, name: str, weights: bytes, text: bytes) -> None:
    """Write a model over the one in a folder: `model.json` names the weights that count."""
    _put(path / name, weights)
    _put(path / TEXT, text)
    for old in path.glob("weights-*.safetensors"):
        if old.name != name:
            old.unlink(missing_ok=True)


def _create(path: Path, name: str, weights: bytes, text: bytes) -> None:
    """Write a model into a new folder, which takes its name when all files are there."""
    part = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))
    try:
        part.chmod(0o755)  # a temporary folder is private
        _put(part / name, weights)
        _put(part / TEXT, text)
        if path.is_dir():
            path.rmdir()  # empty, as can_write found
        part.rename(path)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def checksum(content: Mapping[str, Any]) -> str:
    """Return the hash of the content of model.json, which does not depend on its layout."""
    text = json.dumps(
        content, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False
    )
    return hashlib.sha256(text.encode()).hexdigest()


def read(folder: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, np.ndarray], bool]:
    """Return what `write` was given, after the size, format and hash of the weights are checked.

    The last value returned tells whether the rest is as it was written, too; whoever reads that
    rest can say more exactly what is wrong.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    path = Path(folder)
    if not path.exists():
        raise BadModel(
            f"There is no model at {path}. `pairnet fit` and model.save(folder) make one."
        )
    content = _content(path)
    weights, hash_of_rest = content.pop("weights", None), content.pop("sha256", None)
    raw = _weights(path, weights if isinstance(weights, dict) else {})
    try:
        return content, load(raw), hash_of_rest == checksum(content)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise damaged(path, f"its weights cannot be read ({error})") from None


def _weights(path: Path, expected: dict[str, Any]) -> bytes:
    """Return the file of the weights, once its name, size, hash and header are right."""
    digest, size = expected.get("sha256"), expected.get("bytes")
    if not (
        isinstance(digest, str) and len(digest) == 64 and set(digest) <= set("0123456789abcdef")
    ):
        raise damaged(path, "model.json does not say which weights belong to it")
    file = path / _name(digest)
    if file.is_symlink() or not file.is_file():
        raise damaged(path, f"its weights are missing ({file.name})")
    size_here = file.stat().st_size
    if size_here != size:
        raise damaged(path, f"its weights have {size_here} bytes instead of {size}")
    raw = file.read_bytes()
    if hashlib.sha256(raw).hexdigest() != digest:
        raise damaged(path, "its weights are not the ones that were saved (their checksum differs)")
    if len(raw) < 8 or int.from_bytes(raw[:8], "little") > min(len(raw) - 8, MOST_HEADER):
        raise damaged(path, "its weights have no proper header")
    return raw


def damaged(folder: str | os.PathLike[str], why: str) -> BadModel:
    """Return the error for a damaged folder, with advice."""
    return BadModel(
        f"The model at {folder} cannot be used: {why}. Copy it anew from where it was saved, or "
        "fit again."
    )


def _content(path: Path) -> dict[str, Any]:
    """Return the content of model.json, if this version of the library can read it."""
    file = path / TEXT
    if not file.is_file():
        raise BadModel(
            f"{path} is no pairnet model: it has no {TEXT}. Name a folder that `pairnet fit` or "
            "model.save made."
        )
    if file.stat().st_size > MOST_TEXT:
        raise damaged(path, f"{TEXT} is larger than any model's")
    try:
        content = json.loads(file.read_bytes().decode(), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise damaged(path, f"{TEXT} is not proper JSON ({error})") from None
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise BadModel(f"{path} is no pairnet model: its {TEXT} is of something else.")
    version = content.pop("version", None)
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise damaged(path, f"{TEXT} does not say the version of its format")
    if version > VERSION:
        raise BadModel(
            f"The model at {path} was saved by a newer pairnet (format {version}; this one reads "
            f"up to {VERSION}). Update pairnet to load it."
        )
    return content


def _is_model(path: Path) -> bool:
    """Tell whether pairnet wrote a folder, even if it is damaged or of another version."""
    file = path / TEXT
    if not file.is_file() or file.stat().st_size > MOST_TEXT:
        return False
    return f'"format": "{FORMAT}"'.encode() in file.read_bytes()[:200]


def _put(path: Path, data: bytes) -> None:
    with whole(path) as file:
        file.write(data)


def _name(digest: str) -> str:
    return f"weights-{digest[:16]}.safetensors"


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")
