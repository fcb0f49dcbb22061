"""A folder of part files that are written one by one, so that work goes on after a kill.

`manifest.json` says what was asked of which model about which files. A part has its name only when
it is whole; then a line of `progress.jsonl` says what is in it. At the end the manifest takes these
lines in, and says that all parts are there. Another question does not go into the same folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from pairnet import __version__
from pairnet.core.errors import BadInput
from pairnet.core.locks import Busy, locked
from pairnet.core.writing import OWN, can_write_into, remove_parts, whole

FORMAT, VERSION = "pairnet effects", 1
MANIFEST, PROGRESS, LOCK = "manifest.json", "progress.jsonl", f"{OWN}lock"
ENDING = ".parquet"
NAME = r"part-\d+\.parquet|manifest\.json"
CURE = "Name another folder for the new results, or remove this one."
DIFFERS = {
    "model": "by another model",
    "question": "of another question",
    "input": "of another table, or of one that has changed since",
    "parts": "in other parts, by another version of pairnet",
}

Head = dict[str, Any]  # what the results are about, as plain values


class Parts:
    """Part files of one question; `parts_in` opens them."""

    def __init__(self, folder: Path, head: Head, count: int, done: dict[int, dict[str, Any]]):
        self.folder, self.head, self.count, self.done = folder, head, count, done

    @property
    def left(self) -> list[int]:
        """The numbers of the parts that are still to be written."""
        return [part for part in range(self.count) if part not in self.done]

    @property
    def files(self) -> list[Path]:
        """All part files, in order."""
        return [self.folder / _name(part) for part in range(self.count)]

    def write(self, part: int, content: bytes, about: dict[str, Any]) -> None:
        """Write a part, and then what is in it."""
        with whole(self.folder / _name(part)) as file:
            file.write(content)
        self.done[part] = {"file": _name(part), "bytes": len(content), **about}
        with (self.folder / PROGRESS).open("ab") as log:
            log.write(json.dumps({"part": part, **self.done[part]}).encode() + b"\n")
            log.flush()
            os.fsync(log.fileno())

    def finish(self) -> None:
        """Say in the manifest that all parts are there."""
        parts = [self.done[part] for part in range(self.count)]
        rows = sum(part["rows"] for part in parts)
        _write(self.folder, self.head | {"complete": True, "rows": rows}, parts)
        (self.folder / PROGRESS).unlink(missing_ok=True)


@contextmanager
def parts_in(folder: Path, head: Head, count: int) -> Iterator[Parts]:
    """Open a folder of parts: a new one, or one of the same question that is not yet complete.

    head: what the results are about. count: how many parts there are to be.
    """
    head = {"format": FORMAT, "version": VERSION, "pairnet": __version__, **head}
    check_folder(folder)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            stack.enter_context(locked(folder / LOCK))
        except Busy:
            problem = f"Another process is writing effects into {folder}"
            raise BadInput("", problem, "Wait for it, or name another folder.") from None
        before = read_manifest(folder)
        if before is None:
            try:
                _write(folder, head | {"complete": False})
            except BaseException:
                if is_new:
                    stack.close()
                    with suppress(OSError):
                        folder.rmdir()
                raise
        else:
            _check_same(folder, before, head)
        remove_parts(folder, NAME)
        yield Parts(folder, head, count, _done(folder, before or {}))


def check_folder(folder: Path) -> None:
    """Raise, before any work, if a folder cannot take parts."""
    above = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not above.is_dir():
        problem = f"must be a folder, got the file {above}"
        raise BadInput("--out", problem, "Name another one.")
    can_write_into(above, "--out cannot be written")
    if folder.is_dir() and read_manifest(folder) is None and not _is_free(folder):
        problem = f"{folder} holds other things than effects: it is left alone"
        raise BadInput("", problem, "Name a new folder for the effects.")


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return what the manifest of a folder says, or None if it has none of ours."""
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("format") == FORMAT else None


def _check_same(folder: Path, before: dict[str, Any], head: Head) -> None:
    """Raise if a folder holds results that are about something else."""
    plain = json.loads(json.dumps(head))
    for key, what in DIFFERS.items():
        if before.get(key) == plain[key]:
            continue
        more = _changes(before.get(key), plain[key]) if key == "question" else ""
        raise BadInput("", f"{folder} holds effects {what}{more}", CURE)


def _changes(before: Any, now: dict[str, Any]) -> str:
    """Write which answers to a question's parts differ."""
    known = before if isinstance(before, dict) else {}
    changed = [name for name in now if known.get(name) != now[name]]
    said = [f"{name} was {known.get(name)!r} and is {now[name]!r}" for name in changed[:3]]
    return f": {', '.join(said)}" if said else ""


def _done(folder: Path, before: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Return what is known of the parts that are there, whole."""
    found = list(before.get("files", ())) if before.get("complete") else _lines(folder)
    done = {}
    for at, about in enumerate(found):
        part = about.pop("part", at)
        with suppress(OSError):
            if (folder / _name(part)).stat().st_size == about["bytes"]:
                done[part] = about
    return done


def _lines(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of the progress; one that was cut off by a kill does not count."""
    try:
        text = (folder / PROGRESS).read_bytes()
    except OSError:
        return []
    if not text.endswith(b"\n"):  # the next line must begin a line
        with (folder / PROGRESS).open("ab") as log:
            log.write(b"\n")
    lines = []
    for line in text.split(b"\n"):
        with suppress(ValueError):
            lines.append(json.loads(line))
    return lines


def _write(folder: Path, content: dict[str, Any], parts: Sequence[dict[str, Any]] = ()) -> None:
    """Write the manifest, with a line for each part."""
    text = json.dumps(content, indent=1, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n  ".join(json.dumps(part, ensure_ascii=False) for part in parts)
    with whole(folder / MANIFEST) as file:
        file.write(f'{text},\n "files": [\n  {lines}\n ]\n}}\n'.encode())


def _is_free(folder: Path) -> bool:
    return all(entry.name.startswith((OWN, ".manifest.json.")) for entry in folder.iterdir())


def _name(part: int) -> str:
    return f"part-{part:06d}{ENDING}"
