"""Names for things: every part, method and study is found by a name, and an unknown name lists the
known ones."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class UnknownName(KeyError, ValueError):
    """A name that no one has registered."""

    def __str__(self) -> str:
        return str(self.args[0])


class Registry(Mapping[str, T]):
    """A read-only dictionary from a lower-case name to the thing of that name."""

    def __init__(self, kind: str, *things: T, **named: T):
        self.kind = kind
        self._things = {_name(thing): thing for thing in things} | {
            name.replace("_", "-"): thing for name, thing in named.items()
        }

    def __getitem__(self, name: str) -> T:
        key = str(name).lower()
        if key in self._things:
            return self._things[key]
        close = difflib.get_close_matches(key, self._things, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UnknownName(
            f"Unknown {self.kind} {name!r}. Known: {', '.join(sorted(self._things))}.{hint}"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)


def summary(thing: object) -> str:
    """Return the first sentence of a thing's docstring: what `pairnet list` prints of it."""
    text = (getattr(thing, "__doc__", None) or "").strip().split("\n\n")[0]
    return " ".join(text.split())


def _name(thing: object) -> str:
    return str(getattr(thing, "__name__", thing)).lower().replace("_", "-")
