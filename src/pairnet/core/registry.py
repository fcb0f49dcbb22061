"""Names for things: methods, studies, losses and others are found by their names.

A registry holds the public things of one kind that its package imports, so that one import line
registers a thing. Other packages add theirs by an entry point of the group `pairnet.<kind>` (for
example `pairnet.method`), and a notebook by `registry.register(Mine)`.
"""

from __future__ import annotations

import difflib
import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from typing import Any, TypeVar

T = TypeVar("T")


class UnknownName(KeyError, ValueError):
    """A name that is not registered."""

    def __str__(self) -> str:
        return str(self.args[0])


class Registry(Mapping[str, T]):
    """A dictionary from a lower-case name to the thing of that name.

    An unknown name raises an error that lists all names.
    """

    def __init__(self, kind: str, *things: T, **named: T):
        self.kind = kind
        self._things = {name_of(thing): thing for thing in things}
        self._things |= {name.replace("_", "-"): thing for name, thing in named.items()}

    @classmethod
    def of(
        cls, kind: str, names: Mapping[str, Any], belongs: Callable[[Any], bool]
    ) -> Registry[Any]:
        """Return the registry of one kind of thing, filled from the names that a module imports."""
        return cls(kind, *(thing for thing in names.values() if belongs(thing)))

    def register(self, thing: T) -> T:
        """Add a thing under its own name and return it; also a decorator."""
        self._things[name_of(thing)] = thing
        return thing

    @contextmanager
    def having(self, thing: T) -> Iterator[T]:
        """Register a thing for the time of a `with` block."""
        before = dict(self._things)
        try:
            yield self.register(thing)
        finally:
            self._things = before

    def __getitem__(self, name: str) -> T:
        key = str(name).lower()
        if key in self._things:
            return self._things[key]
        if key in self._offered:
            return self.register(self._offered[key].load())
        close = difflib.get_close_matches(key, list(self), n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UnknownName(f"Unknown {self.kind} {name!r}. Known: {', '.join(sorted(self))}.{hint}")

    def __iter__(self) -> Iterator[str]:
        return iter({**self._things, **self._offered})

    def __len__(self) -> int:
        return len({**self._things, **self._offered})

    @functools.cached_property
    def _offered(self) -> dict[str, Any]:
        """Entry points of other packages, not loaded yet."""
        return {point.name.lower(): point for point in entry_points(group=f"pairnet.{self.kind}")}


def is_final(kind: type) -> Callable[[Any], bool]:
    """Return the test for subclasses of `kind` that have no abstract methods left."""

    def belongs(thing: Any) -> bool:
        made = isinstance(thing, type) and issubclass(thing, kind) and thing is not kind
        return made and not getattr(thing, "__abstractmethods__", None)

    return belongs


def summary(thing: object) -> str:
    """Return the first paragraph of a thing's docstring, which `pairnet list` prints."""
    text = (getattr(thing, "__doc__", None) or "").strip().split("\n\n")[0]
    return " ".join(text.split())


def name_of(thing: object) -> str:
    """Return the name under which a thing is registered: its own, in small letters."""
    own = getattr(thing, "name", None)
    text = own if isinstance(own, str) else getattr(thing, "__name__", str(thing))
    return text.lower().replace("_", "-")
