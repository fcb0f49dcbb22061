"""The folder of a saved model: arrays in safetensors, all else in readable JSON.

Nothing in it is ever executed. `model.json` names the weights by their hash, which is also in the
name of the weights' file. So a folder is overwritten in one step: the new weights are written
beside the old ones, then `model.json` is replaced, then the old weights are removed. A new folder
is written under another name, and takes its own when it is whole. Whoever writes holds a lock,
inside a folder that is there, beside one that is not. Readers hold none: they read again if
`model.json` has changed while they were reading.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pairnet.core.locks import Busy, is_old, locked
from pairnet.core.writing import OWN, TOKEN, can_write_into, remove_parts, whole

FORMAT, VERSION = "pairnet model", 2
TEXT = "model.json"
MOST_TEXT = 64 * 2**20  # bytes
DEEPEST = 50  # levels of nesting in it
MOST_HEADER = 16 * 2**20  # bytes, of the names and shapes in front of the weights
WEIGHTS = r"weights-[0-9a-f]{16}\.safetensors"
LOCK = f"{OWN}lock"
# What a save may leave in a folder when it is killed.
LEFT = re.compile(rf"{re.escape(OWN)}.*|{WEIGHTS}|\.(model\.json|{WEIGHTS})\.{TOKEN}\.part")
LONGEST_WAIT = 300.0  # seconds, for another save into the same folder


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
    if not os.path.lexists(path) or _is_model(path) or (path.is_dir() and _is_free(path)):
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
    path = Path(os.path.realpath(folder))
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
    try:
        while not (_replace if path.is_dir() else _create)(path, _name(digest), weights, text):
            can_write(folder)  # another process has made or removed the folder
    except Busy as busy:
        raise TimeoutError(
            f"Another process has been saving a model at {folder} for {LONGEST_WAIT:g} s. Save "
            f"to another folder, or end that process. If there is none, delete {busy}."
        ) from None
    return path


def _create(path: Path, name: str, weights: bytes, text: bytes) -> bool:
    """Write a model into a new folder, which takes its name when all files are there.

    The result is False if there is a folder of that name by now.
    """
    with locked(path.with_name(f".{path.name}{LOCK}"), LONGEST_WAIT) as held:
        _remove_left_folders(path, held)
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        part.mkdir()
        try:
            _put(part / name, weights)
            _put(part / TEXT, text)
            if not path.exists():
                part.rename(path)
                return True
        except OSError:
            if not path.exists():
                raise
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return False


def _replace(path: Path, name: str, weights: bytes, text: bytes) -> bool:
    """Write a model into a folder that is there: `model.json` names the weights that count.

    The result is False if the folder is gone.
    """
    try:
        with locked(path / LOCK, LONGEST_WAIT) as held:
            is_new = not (path / name).exists()
            try:
                _put(path / name, weights)
                _put(path / TEXT, text)
            except BaseException:
                if is_new:
                    (path / name).unlink(missing_ok=True)
                raise
            for old in path.iterdir():
                if re.fullmatch(WEIGHTS, old.name) and old.name != name and (held or is_old(old)):
                    old.unlink(missing_ok=True)
            remove_parts(path, WEIGHTS)
    except FileNotFoundError:
        if path.is_dir():
            raise
        return False
    return True


def _remove_left_folders(path: Path, held: bool) -> None:
    """Remove what saves into a new folder left when they were killed.

    held: whether nobody else can be at work on it; if not, only what is old is removed.
    """
    is_part = re.compile(rf"\.{re.escape(path.name)}\.{TOKEN}\.part").fullmatch
    for part in path.parent.iterdir():
        is_one = is_part(part.name) and part.is_dir() and not part.is_symlink()
        if is_one and (held or is_old(part)) and _is_free(part, TEXT):
            shutil.rmtree(part, ignore_errors=True)


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

    path = Path(folder)
    text = _text(path)
    while True:
        try:
            return _read(path, text)
        except BadModel:
            again = _text(path)
            if again == text:
                raise
            text = again  # another process has saved a model there meanwhile


def _read(path: Path, text: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray], bool]:
    """Return what a model.json with this text says, and the weights that it names."""
    from safetensors import SafetensorError
    from safetensors.numpy import load

    content = _content(path, text)
    weights, hash_of_rest = content.pop("weights", None), content.pop("sha256", None)
    raw = _weights(path, weights if isinstance(weights, dict) else {})
    try:
        arrays = load(raw)
    except (SafetensorError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise damaged(path, f"its weights cannot be read ({error})") from None
    try:
        return content, arrays, hash_of_rest == checksum(content)
    except ValueError as error:  # half a character, which no text that was saved has
        raise damaged(path, f"{TEXT} holds text that cannot be written ({error})") from None


def _weights(path: Path, expected: dict[str, Any]) -> bytes:
    """Return the file of the weights, once its name, size, hash and header are right."""
    digest, size = expected.get("sha256"), expected.get("bytes")
    if not (
        isinstance(digest, str) and len(digest) == 64 and set(digest) <= set("0123456789abcdef")
    ):
        raise damaged(path, "model.json does not say which weights belong to it")
    file = path / _name(digest)
    with _reading(path, file.name):
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


def _text(path: Path) -> bytes:
    """Return the text of model.json."""
    file = path / TEXT
    with _reading(path, TEXT):
        if not path.exists():
            raise BadModel(
                f"There is no model at {path}. `pairnet fit` and model.save(folder) make one."
            )
        if not file.is_file():
            raise BadModel(
                f"{path} is no pairnet model: it has no {TEXT}. Name a folder that `pairnet fit` "
                "or model.save made."
            )
        if file.stat().st_size > MOST_TEXT:
            raise damaged(path, f"{TEXT} is larger than any model's")
        return file.read_bytes()


@contextmanager
def _reading(path: Path, name: str) -> Iterator[None]:
    """Raise `BadModel` if a file cannot be read, for example since somebody deletes the folder."""
    try:
        yield
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise damaged(path, f"{name} cannot be read ({why})") from None


def _content(path: Path, text: bytes) -> dict[str, Any]:
    """Return the content of model.json, if this version of the library can read it."""
    try:
        content = json.loads(text.decode(), parse_constant=_refuse)
        _check_depth(content)
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


def _is_free(path: Path, *but: str) -> bool:
    """Tell whether a folder holds nothing `but` what a save leaves there when it is killed."""
    return all(entry.name in but or LEFT.fullmatch(entry.name) for entry in path.iterdir())


def _put(path: Path, data: bytes) -> None:
    with whole(path) as file:
        file.write(data)


def _name(digest: str) -> str:
    return f"weights-{digest[:16]}.safetensors"


def _check_depth(value: Any) -> None:
    """Raise if lists and objects are nested deeper than any model's."""
    level = [value]
    for _ in range(DEEPEST):
        inside = [part for part in level if isinstance(part, dict | list)]
        level = [
            part
            for outer in inside
            for part in (outer.values() if isinstance(outer, dict) else outer)
        ]
    if level:
        raise ValueError(f"it is nested deeper than {DEEPEST} levels")


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")
