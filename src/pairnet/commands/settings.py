"""Hyperparameters on the command line: `--set plan.patience=1000 --set base=dragonnet`.

The fields of a method's dataclass declare what can be set, and how a value is read.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from pairnet.core.errors import BadInput, listed
from pairnet.core.registry import UnknownName
from pairnet.tables.spelling import spells_number

Holder = TypeVar("Holder")

# hyperparameters that have an option of their own; --set sets all others
OWN_OPTIONS = {"treatment": "--kind", "time_limit": "--time-limit"} | {
    name: f"--{name}" for name in ("members", "bootstrap", "seed", "preset")
}


def option_of(name: str) -> str:
    """Return the option that sets a hyperparameter."""
    return OWN_OPTIONS.get(name, f"--set {name}")


@dataclass(frozen=True)
class TypedSetting:
    """A hyperparameter and its value as it was typed; the name has dots for nested parts."""

    name: str
    text: str


def assignments(texts: Sequence[str], taken: Collection[str] = ()) -> tuple[TypedSetting, ...]:
    """Read texts of the form NAME=VALUE; outer hyperparameters come before their parts.

    taken: hyperparameters that the command has options of their own for.
    """
    read: dict[str, TypedSetting] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals):
            raise BadInput("--set", f"must be NAME=VALUE, as l2=0.1, got {text!r}")
        if name in taken:
            problem = "is not needed, since there is an option of its own"
            raise BadInput(f"--set {name}", problem, f"Say {option_of(name)}.")
        if name in read:
            raise BadInput(f"--set {name}", "is there twice", "Say it once.")
        read[name] = TypedSetting(name, value)
    return tuple(sorted(read.values(), key=lambda setting: setting.name.count(".")))


def with_settings(method: Holder, settings: Sequence[TypedSetting]) -> Holder:
    """Return a method with some hyperparameters set; one of its base alone needs no dot."""
    for setting in settings:
        name = setting.name if has(method, setting.name) else f"base.{setting.name}"
        if not has(method, name):
            raise unknown(setting.name, [method])
        method = _changed(method, name, setting)
    return method


def for_those_that_have(
    methods: Mapping[str, Any], settings: Sequence[TypedSetting]
) -> dict[str, Any]:
    """Return methods by name, each setting applied to the methods that have it.

    At least one method must have it.
    """
    changed = dict(methods)
    for setting in settings:
        names = [name for name, method in changed.items() if has(method, setting.name)]
        if not names:
            raise unknown(setting.name, list(changed.values()))
        changed |= {name: with_settings(changed[name], [setting]) for name in names}
    return changed


def has(holder: Any, name: str) -> bool:
    """Tell whether a method has a hyperparameter."""
    first, _, rest = name.partition(".")
    kinds = _kinds(holder)
    if first not in kinds or not rest:
        return first in kinds
    part = _part(holder, first)
    return part is not None and has(part, rest)


def names_of(holder: Any) -> Iterator[str]:
    """Yield the names of all hyperparameters that can be set; nested ones have dots."""
    for name, kind in _kinds(holder).items():
        part = getattr(holder, name)
        if dataclasses.is_dataclass(part):
            yield from (f"{name}.{inner}" for inner in names_of(part))
        if _reader(kind) is not None:
            yield name


def unknown(name: str, holders: Sequence[Any]) -> BadInput:
    """Return the error for a hyperparameter that no method has; it lists all that there are."""
    names = sorted({other for holder in holders for other in names_of(holder)})
    inner = [other for other in (*names, *_of_bases(holders)) if other.endswith(f".{name}")]
    close = inner or difflib.get_close_matches(name, names, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else ""
    whose = listed([type(holder).__name__ for holder in holders], "or")
    problem = f"Unknown hyperparameter {name!r} of {whose}. Known: {', '.join(names)}"
    return BadInput("", problem, hint)


def read_value(text: str, kind: Any, option: str = "--set", whose: str = "") -> Any:
    """Return the value that a text spells, as a type requires.

    option, whose: what errors call the value, and what it is for (" for PairNet").
    """
    reader = _reader(kind)
    if reader is None:
        raise BadInput(option, f"cannot be typed{whose}", "Set it in Python.")
    try:
        return reader.read(text)
    except UnknownName:
        raise
    except ValueError:
        close = difflib.get_close_matches(text, reader.words, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else ""
        problem = f"must be {reader.expected}{whose}, got {text!r}"
        raise BadInput(option, problem, hint) from None


def written(value: Any) -> str:
    """Write a value so that `read_value` reads it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, tuple | list):
        return ",".join(map(written, value))
    return type(value).__name__.lower() if dataclasses.is_dataclass(value) else str(value)


class Reader(NamedTuple):
    """How values of a type are read: what is expected, the possible words, and the function."""

    expected: str
    read: Callable[[str], Any]  # raises ValueError where a text spells no such value
    plural: str = ""
    words: tuple[str, ...] = ()  # all possible texts, if these are few


def _changed(holder: Any, name: str, setting: TypedSetting) -> Any:
    """Return an object with one of its hyperparameters, or of its nested ones, set."""
    first, _, rest = name.partition(".")
    option, part, kind = f"--set {setting.name}", _part(holder, first), _kinds(holder)[first]
    if rest:
        value = _changed(part, rest, setting)
    elif _reader(kind) is None and dataclasses.is_dataclass(part):
        inner = [f"{setting.name}.{inner}" for inner in names_of(part)]
        raise BadInput(option, "cannot be set as a whole", f"Set {listed(inner, 'or')}.")
    else:
        value = read_value(setting.text, kind, option, f" for {type(holder).__name__}")
    return dataclasses.replace(holder, **{first: value})


def _part(holder: Any, name: str) -> Any:
    """Return a hyperparameter, or what its None stands for: a default base."""
    part = getattr(holder, name)
    missing = part is None and _takes_method(_kinds(holder)[name])
    return holder.stands_for(name) if missing else part


def _kinds(holder: Any) -> dict[str, Any]:
    """Return the declared types of hyperparameters by name."""
    declared = get_type_hints(type(holder))
    return {field.name: declared[field.name] for field in dataclasses.fields(holder) if field.init}


def _reader(kind: Any) -> Reader | None:
    """Return how values of a type are read, or None if no text spells values of the type."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):  # None first: other types may take any text
        kinds = sorted(get_args(kind), key=lambda part: part is not type(None))
        return _any_of([_reader(part) for part in kinds])
    if origin is Literal:
        words = {str(word): word for word in get_args(kind)}
        return Reader(listed(list(map(repr, words)), "or"), _one_of(words), words=tuple(words))
    if origin is tuple:
        item = _reader(get_args(kind)[0])
        return item and Reader(f"{item.plural} with commas between them", _several(item))
    return _METHOD if _takes_method(kind) else _READERS.get(kind)


def _takes_method(kind: Any) -> bool:
    """Tell whether a type is that of a method, perhaps an optional one."""
    from pairnet.methods import NetworkEstimator

    kinds = get_args(kind) or (kind,)
    return any(isinstance(part, type) and issubclass(part, NetworkEstimator) for part in kinds)


def _of_bases(holders: Sequence[Any]) -> list[str]:
    """Return the hyperparameters of all methods that could be named as a base, if none is."""
    from pairnet.methods import methods

    fields = {field.name for kind in methods.values() for field in dataclasses.fields(kind)}
    places = {
        name
        for holder in holders
        for name, kind in _kinds(holder).items()
        if getattr(holder, name) is None and _takes_method(kind)
    }
    return sorted(f"{place}.{field}" for place in places for field in fields)


def _any_of(readers: Sequence[Reader | None]) -> Reader:
    """Return the reader that reads a value as the first type that accepts it."""
    able = [reader for reader in readers if reader is not None]

    def read(text: str) -> Any:
        for reader in able[:-1]:
            with contextlib.suppress(ValueError):
                return reader.read(text)
        return able[-1].read(text)

    words = tuple(word for reader in able for word in reader.words)
    return Reader(listed([reader.expected for reader in able], "or"), read, words=words)


def _one_of(words: Mapping[str, Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if text not in words:
            raise ValueError(text)
        return words[text]

    return read


def _several(item: Reader) -> Callable[[str], tuple]:
    return lambda text: tuple(item.read(part.strip()) for part in text.split(",") if part.strip())


def _number(text: str) -> float:
    if not spells_number(text):
        raise ValueError(text)
    return float(text)


def _whole(text: str) -> int:
    if not spells_number(text):
        raise ValueError(text)
    return int(text)


def _method(text: str) -> Any:
    from pairnet.methods import methods

    return methods[text]()


_YES_NO = {"yes": True, "true": True, "no": False, "false": False}
_METHOD = Reader("the name of a method", _method)
_READERS: dict[Any, Reader] = {
    bool: Reader("yes or no", lambda text: _one_of(_YES_NO)(text.lower()), words=("yes", "no")),
    int: Reader("a whole number", _whole, "whole numbers"),
    float: Reader("a number", _number, "numbers"),
    str: Reader("text", str),
    type(None): Reader("none", lambda text: _one_of({"none": None})(text.lower()), words=("none",)),
}
