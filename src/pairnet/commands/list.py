"""`pairnet list`: what there is to fit with and to read; with --all every part, kind by kind."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping

from pairnet.commands.helping import Entry, columns, heading, two_columns
from pairnet.commands.options import DEFAULT_METHOD
from pairnet.compare.ranking import FOR_ARMS, FOR_DOSES
from pairnet.core.outcomes import outcomes
from pairnet.core.registry import Registry, summary
from pairnet.engines import engines
from pairnet.export import exports
from pairnet.losses import losses
from pairnet.methods import methods
from pairnet.networks import networks
from pairnet.pairing import pairings
from pairnet.paper import experiments
from pairnet.studies import studies
from pairnet.tables.databases import databases
from pairnet.tables.formats import AbstractFormat, formats

PRESETS = [
    ("fast", "fewer learners: a first look, several times quicker"),
    ("balanced", "what is taken if nobody says"),
    ("best", "more learners, for the last answer on an important table"),
]
RESEARCH: tuple[Registry, ...] = (networks, losses, pairings, outcomes, engines, exports)


def list_parts(everything: bool = False) -> None:
    """Print what an analyst chooses from, or every part that is registered."""
    print("\n\n".join(_every_part() if everything else _first_parts()))


def _first_parts() -> Iterator[str]:
    tried = [name for name in dict.fromkeys((*FOR_ARMS, *FOR_DOSES)) if name in methods]
    others = ", ".join(sorted(set(methods) - set(tried)))
    yield _block("Methods, for --method", [(name, summary(methods[name])) for name in tried])
    yield _text(f"`pairnet compare` tries those that suit a table. There are others: {others}.")
    yield _block("Sizes of the stack, for --preset", PRESETS)
    yield _block("Files to read", _by_endings(formats))
    asked = [(kind.example, summary(kind)) for kind in databases.values()]
    yield _block("Databases to ask", asked)
    yield _text(
        "`pairnet list --all` has every method with a line on it, and the parts for "
        "researchers: experiments, studies, networks, losses."
    )


def _every_part() -> Iterator[str]:
    in_order = sorted(methods, key=lambda name: name != DEFAULT_METHOD)
    yield _block("Methods", [(name, summary(methods[name])) for name in in_order])
    asked = [(name, experiment.asks) for name, experiment in experiments.items()]
    yield _block("Experiments, for `pairnet run`", asked)
    for registry in (studies, *RESEARCH, formats, databases):
        entries = [(name, summary(registry[name])) for name in registry]
        yield _block(_plural(registry.kind).capitalize(), entries)


def _by_endings(kinds: Mapping[str, AbstractFormat]) -> list[Entry]:
    """Return formats with their endings; those that are described alike are one entry."""
    endings: dict[str, list[str]] = {}
    for kind in kinds.values():
        endings.setdefault(summary(kind), []).extend(kind.endings)
    return [(" ".join(own), text) for text, own in endings.items()]


def _block(name: str, entries: list[Entry]) -> str:
    return f"{heading(name)}\n{two_columns(entries)}"


def _text(words: str) -> str:
    return "\n".join(textwrap.wrap(words, columns(), break_on_hyphens=False))


def _plural(kind: str) -> str:
    ends = {"y": "ies", "s": "ses"}
    return kind[:-1] + ends[kind[-1]] if kind[-1] in ends else f"{kind}s"
