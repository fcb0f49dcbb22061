"""Errors of what a person passed, as values that each interface puts into its own words.

Python names arguments (`T0`, `treatment="dose"`) and rows; the command line names options (`--to`,
`--kind dose`) and the lines of a file. So an error holds its parts, and a `Wording` makes the
sentence from them. `str(error)` is the wording of Python.
"""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Argument:
    """An argument of a function: `T0`, on the command line `--from`."""

    name: str


@dataclass(frozen=True)
class Setting:
    """A hyperparameter and its value: `treatment='dose'`, on the command line `--kind dose`."""

    name: str
    value: Any


@dataclass(frozen=True)
class Use:
    """A method to use: `PairNet(base=VCNet())`, on the command line `--method pairnet`."""

    method: str
    settings: str = ""  # as Python has them between the brackets


@dataclass(frozen=True)
class At:
    """Rows of a table, counted from 0; `more` says that there are others."""

    rows: tuple[int, ...]
    more: bool = False


@dataclass(frozen=True)
class InPython:
    """Words that only help people who write Python; all others read `else_` instead."""

    text: str
    else_: str = ""


Part = str | Argument | Setting | Use | At | InPython
Text = Part | tuple[Part, ...]


class Wording(abc.ABC):
    """How the parts of an error are written in one interface."""

    @abc.abstractmethod
    def argument(self, name: str) -> str:
        """Write the name of an argument within a sentence."""

    def subject(self, name: str) -> str:
        """Write the name of an argument at the beginning of a sentence."""
        return self.argument(name)

    @abc.abstractmethod
    def setting(self, name: str, value: Any) -> str:
        """Write a hyperparameter with its value."""

    @abc.abstractmethod
    def method(self, name: str, settings: str) -> str:
        """Write which method to use."""

    @abc.abstractmethod
    def rows(self, rows: Sequence[int], more: bool) -> str:
        """Write which rows of the table are meant."""

    @abc.abstractmethod
    def only_python(self, text: str, else_: str) -> str:
        """Return `text` for people who write Python, or else `else_`."""

    def text(self, message: Text) -> str:
        """Return a message in these words."""
        return "".join(map(self._part, message if isinstance(message, tuple) else (message,)))

    def _part(self, part: Part) -> str:
        match part:
            case Argument(name):
                return self.argument(name)
            case Setting(name, value):
                return self.setting(name, value)
            case Use(method, settings):
                return self.method(method, settings)
            case At(rows, more):
                return self.rows(rows, more)
            case InPython(text, else_):
                return self.only_python(text, else_)
            case _:
                return part


class PythonWording(Wording):
    """The words for people who write Python."""

    def argument(self, name):
        return name

    def setting(self, name, value):
        return f"{name}={value!r}"

    def method(self, name, settings):
        return f"{name}({settings})"

    def rows(self, rows, more):
        several = "s" * (len(rows) > 1)
        return f"row{several} {', '.join(map(str, rows))}{', ...' * more} (the first row is 0)"

    def only_python(self, text, else_):
        return text


PYTHON = PythonWording()


class Worded:
    """An error or a notice: a sentence that each interface writes in its own words."""

    def worded(self, wording: Wording) -> str:
        """Return the sentence in these words."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.worded(PYTHON)


class BadInput(Worded, ValueError):
    """Something that a person passed cannot be used: what was expected, what came, what to do.

    argument: the name in Python, or "" if the problem is a sentence of its own. problem and advice
    may have parts (`Argument`, `Setting`, `Use`, `At`) that other interfaces word differently.
    """

    def __init__(self, argument: str, problem: Text, advice: Text = ""):
        super().__init__(argument, problem, advice)
        self.argument, self.problem, self.advice = argument, problem, advice

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows that the problem names."""
        parts = self.problem if isinstance(self.problem, tuple) else (self.problem,)
        return tuple(row for part in parts if isinstance(part, At) for row in part.rows)

    def below(self, rows: int) -> BadInput:
        """Return the same error about rows that stand below so many others."""
        parts = self.problem if isinstance(self.problem, tuple) else (self.problem,)
        lower = lambda at: At(tuple(row + rows for row in at.rows), at.more)
        problem = tuple(lower(part) if isinstance(part, At) else part for part in parts)
        return type(self)(self.argument, problem, self.advice)

    def worded(self, wording: Wording) -> str:
        subject = wording.subject(self.argument) + " " if self.argument else ""
        problem = subject + wording.text(self.problem)
        advice = wording.text(self.advice).strip()
        return f"{problem}{'' if problem.endswith(('.', '?')) else '.'} {advice}".strip()


class BadType(BadInput, TypeError):
    """Something that a person passed has a type that cannot be used."""


class NotInstalled(ImportError):
    """A package that only some things need is not there, or cannot be imported."""

    def __init__(self, what: str, package: str, install: str):
        super().__init__(f"{what} {package}, which is not installed: pip install {install}.")


@dataclass
class Notice(Worded, UserWarning):
    """A warning that, like an error, is worded differently in each interface."""

    text: Text = field(default="")

    def worded(self, wording: Wording) -> str:
        return wording.text(self.text)


def count_of(rows: int) -> str:
    """Write a number of rows: 1 row, 1,500 rows."""
    return f"{rows:,} row{'s' * (rows != 1)}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """Write words as a list in a sentence: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
