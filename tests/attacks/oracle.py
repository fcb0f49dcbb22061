"""What may come of an attack: an answer, or an error in our own words. All else is a fault."""

from __future__ import annotations

import contextlib
import dis
import io
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl

import pairnet
from pairnet import cli
from pairnet.commands import wording
from pairnet.tables.files import read_table

Answer = TypeVar("Answer")
SOURCE = str(Path(pairnet.__file__).parent)
RAISE = dis.opmap["RAISE_VARARGS"]
# How numpy and others warn of numbers that went wrong: no words for people.
GIBBERISH = re.compile(r"encountered in|Traceback|panicked at")


class Fault(AssertionError):
    """What must never happen: a promise of docs/reliability.md was broken."""


@dataclass(frozen=True)
class Refused:
    """An attack that was told in words what is wrong with it."""

    why: str


def asked(ask: Callable[[], Answer]) -> Answer | Refused:
    """Return the answer to a question, or the refusal; any other error is a fault.

    Notices are for people; warnings of other libraries about bad numbers are faults.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            return ask()
    except (KeyboardInterrupt, Fault):
        raise
    except BaseException as error:
        check_is_ours(error)
        return Refused(str(error))


def given(ask: Callable[[], Answer]) -> Answer:
    """Return the answer to a question that must be answered."""
    answer = asked(ask)
    if isinstance(answer, Refused):
        raise Fault(f"refused, though nothing is wrong: {answer.why}")
    return answer


def check_is_ours(error: BaseException) -> None:
    """Raise a fault unless an error is one of this package, in words."""
    if not isinstance(error, ValueError | TypeError | OSError | RuntimeError):
        raise Fault(f"an error of the type {type(error).__name__}\n{_trace(error)}")
    if not _raised_here(error):
        raise Fault(f"an error that is not ours\n{_trace(error)}")
    cause = error.__context__
    if cause is not None and str(cause) and str(error).startswith(str(cause)):
        check_is_ours(cause)  # another error's words, passed on
    if len(str(error).split()) < 3 or GIBBERISH.search(str(error)):
        raise Fault(f"an error without words for people: {error}\n{_trace(error)}")


def _raised_here(error: BaseException) -> bool:
    """Tell whether a `raise` of this package raised an error, or a file system that names a file.

    An error that Python or a library raises on a line of ours is none of ours.
    """
    if isinstance(error, OSError) and error.filename is not None:
        return True
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None or not step.tb_frame.f_code.co_filename.startswith(SOURCE):
        return False
    return step.tb_frame.f_code.co_code[step.tb_lasti] == RAISE


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error)[-12:])


@dataclass(frozen=True)
class Said:
    """What a command said, and how it ended."""

    code: int
    out: str
    err: str


def command(*words: Any) -> Said:
    """Type a command, in this process; anything but an answer or a sentence is a fault."""
    heard: list[BaseException] = []
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    worded = wording.worded

    def hear(error: BaseException) -> str:
        if not isinstance(error, Warning):
            heard.append(error)
        return worded(error)

    sys.argv, wording.worded = ["pairnet", *map(str, words)], hear
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise Fault(f"a traceback: pairnet {_line(words)}\n{_trace(error)}") from None
    finally:
        sys.argv, wording.worded = before, worded
    said = Said(code, out.getvalue(), err.getvalue())
    check_end(said, words)
    for error in heard:
        check_is_ours(error)
    return said


def check_end(said: Said, words: tuple[Any, ...]) -> None:
    """Raise a fault unless a command ended well, or with a sentence and the code 2."""
    about = f"pairnet {_line(words)}: code {said.code}\n{said.out[-2000:]}\n{said.err[-4000:]}"
    if said.code not in (0, 2):
        raise Fault(f"another end than 0 or 2: {about}")
    if found := GIBBERISH.search(said.out + said.err):
        raise Fault(f"no words for people, {found.group()!r}: {about}")
    told = said.err if words else said.out  # without a word, pairnet shows its help
    if said.code == 2 and not re.search(r"(Error|Usage)\b.*\w", told, re.DOTALL):
        raise Fault(f"no error is told: {about}")


def _line(words: tuple[Any, ...]) -> str:
    return " ".join(repr(word) if " " in word or not word else word for word in map(str, words))


@contextlib.contextmanager
def about(what: str, *things: Any) -> Iterator[None]:
    """Say with a fault what was tried, with which things."""
    try:
        yield
    except Fault as fault:
        fault.add_note("\n".join([what, *map(_shown, things)]))
        raise


def _shown(thing: Any) -> str:
    try:
        return f"{thing!r:.3000}"
    except BaseException:  # polars panics at some tables, Python at long numbers
        return f"a {type(thing).__name__} that cannot be shown"


@contextlib.contextmanager
def untouched(*files: Path) -> Iterator[None]:
    """Raise a fault if a user's file has changed."""
    before = [file.read_bytes() for file in files]
    yield
    for file, content in zip(files, before, strict=True):
        if not file.is_file() or file.read_bytes() != content:
            raise Fault(f"the user's file {file.name} was changed")


def check_finite(values: Any, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """Return an answer as an array; it is a fault if it is no finite numbers of a shape."""
    array = np.asarray(values, float)
    if shape is not None and array.shape != shape:
        raise Fault(f"an answer of the shape {array.shape} where {shape} was asked for")
    if not np.isfinite(array).all():
        raise Fault(f"an answer that is no number: {array.reshape(-1)[:10]}")
    return array


def check_same(first: Any, second: Any, what: str, tolerance: float = 1e-4) -> None:
    """Raise a fault unless two answers are the same numbers, up to a share of their size."""
    first, second = np.asarray(first, float), np.asarray(second, float)
    size = np.abs(first[np.isfinite(first)]).max(initial=0)
    alike = first.shape == second.shape and np.allclose(
        first, second, rtol=tolerance, atol=tolerance * size, equal_nan=True
    )
    if not alike:
        apart = np.abs(first - second).max() if first.shape == second.shape else "shapes"
        raise Fault(f"{what} gives another answer ({apart} apart): {first[:5]} and {second[:5]}")


def check_table(file: Path, rows: int | None = None, column: str = "effect") -> pl.DataFrame:
    """Return the table of results in a file; it is a fault if it is not there whole."""
    try:
        frame = read_table(file)
    except Exception as error:
        raise Fault(f"results that cannot be read: {error}") from None
    if column not in frame.columns or rows not in (None, frame.height):
        raise Fault(f"results of {frame.height} rows instead of {rows}: {frame.columns}")
    return frame


def check_nothing(folder: Path, *names: str) -> None:
    """Raise a fault if a folder holds anything but files of these names."""
    if strange := sorted({path.name for path in folder.iterdir()} - set(names)):
        raise Fault(f"files were left: {', '.join(strange)}")
