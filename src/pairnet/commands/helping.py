"""The help of the command line: two columns that fit a terminal, options in groups, an example.

Where a terminal is narrow, the text of an option stands below its name.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

NEEDED, OPTIONAL, OTHERS = "Needed", "If you like", "Options"
LEAST, MOST = 40, 90  # columns of a terminal that the help makes use of
NARROW = 70  # columns below which there is no second column
LEFT = 30  # the most columns of the first one

Entry = tuple[str, str]  # what is typed, and what it means


class Helped(TyperCommand):
    """A command whose help has its options in groups and ends with an example (its epilog)."""

    def format_help(self, ctx, formatter):
        formatter.write(_page(_command(self, ctx)))


class Commands(TyperGroup):
    """A list of commands whose help has them in groups; its epilog says what they share."""

    def parse_args(self, ctx, args):
        if not args and self.no_args_is_help:  # who types nothing asks for the list: no error
            typer.echo(ctx.get_help())
            raise typer.Exit
        return super().parse_args(ctx, args)

    def format_help(self, ctx, formatter):
        formatter.write(_page(_group(self, ctx)))


def two_columns(entries: Sequence[Entry], width: int | None = None) -> str:
    """Return entries as two columns, or in a narrow terminal one below the other."""
    width = width or columns()
    if width < NARROW:
        return "\n".join(
            f"  {left}\n{_filled(right, width, 6)}".rstrip() for left, right in entries
        )
    wide = min(max((len(left) for left, _ in entries), default=0), LEFT)
    lines = []
    for left, right in entries:
        text = _filled(right, width, wide + 4)
        beside = len(left) <= wide
        lines.append(f"  {left:<{wide}}  {text.lstrip()}" if beside else f"  {left}\n{text}")
    return "\n".join(line.rstrip() for line in lines)


def columns() -> int:
    """Return how wide the help may be."""
    return max(LEAST, min(MOST, shutil.get_terminal_size().columns))


def heading(text: str) -> str:
    """Return a heading of a group."""
    return typer.style(f"{text}:", bold=True) if sys.stdout.isatty() else f"{text}:"


def _page(blocks: Iterator[str]) -> str:
    return "\n\n".join(block for block in blocks if block) + "\n"


def _command(command: Any, ctx: Any) -> Iterator[str]:
    options = [one for one in command.get_params(ctx) if one.param_type_name == "option"]
    arguments = [one for one in command.get_params(ctx) if one.param_type_name == "argument"]
    needed = [one for one in options if one.required]
    rest = [one for one in options if not one.required]
    words = [
        *(_argument(one) for one in arguments),
        *(f"{_shortest(one)} {_value(one)}" for one in needed),
        *["[OPTIONS]"] * bool(rest),
    ]
    yield _usage(ctx, words)
    yield from (_filled(part, columns(), 0) for part in _paragraphs(command.help))
    entries = [(_argument(one), one.help or "") for one in arguments]
    entries += [(_names(one), one.help or "") for one in needed]
    if entries:
        is_needed = needed or any(one.required for one in arguments)
        yield f"{heading(NEEDED if is_needed else OPTIONAL)}\n{two_columns(entries)}"
    for group in _groups(rest):
        entries = [(_names(one), _about(one)) for one in rest if _group_of(one) == group]
        yield f"{heading(group)}\n{two_columns(entries)}"
    if command.epilog:
        yield f"{heading('Example')}\n{textwrap.indent(command.epilog, '  ')}"


def _group(group: Any, ctx: Any) -> Iterator[str]:
    yield _usage(ctx, ["COMMAND", "[OPTIONS]"])
    yield from (_filled(part, columns(), 0) for part in _paragraphs(group.help))
    commands = [group.get_command(ctx, name) for name in group.list_commands(ctx)]
    for name in _groups(commands, "Commands"):
        own = [one for one in commands if _group_of(one, "Commands") == name]
        entries = [(one.name, _first(one.help)) for one in own]
        yield f"{heading(name)}\n{two_columns(entries)}"
    options = [(_names(one), _about(one)) for one in group.get_params(ctx)]
    yield f"{heading(OTHERS)}\n{two_columns(options)}"
    yield from (_filled(part, columns(), 0) for part in _paragraphs(group.epilog))


def _usage(ctx: Any, words: Sequence[str]) -> str:
    path = ctx.command_path
    return "\n".join(_wrapped(" ".join([path, *words]), columns(), 0, len(path) + 1))


def _groups(things: Sequence[Any], otherwise: str = OTHERS) -> list[str]:
    """Return the names of the groups in the order of their first members, the nameless one last."""
    names = dict.fromkeys(_group_of(one, otherwise) for one in things)
    return sorted(names, key=lambda name: name == otherwise)


def _group_of(thing: Any, otherwise: str = OTHERS) -> str:
    own = getattr(thing, "rich_help_panel", None)
    return own if isinstance(own, str) else otherwise


def _argument(argument: Any) -> str:
    return (argument.metavar or argument.name.upper()) + "..." * (argument.nargs == -1)


def _names(option: Any) -> str:
    """Return how an option is typed: --out, -o FILE; --[no-]evidence."""
    names = sorted(option.opts, key=len, reverse=True)
    if option.secondary_opts:
        names = [f"--[no-]{names[0].removeprefix('--')}"]
    return f"{', '.join(names)} {_value(option)}".strip()


def _shortest(option: Any) -> str:
    return min(option.opts, key=len)


def _value(option: Any) -> str:
    return "" if getattr(option, "is_flag", False) else (option.metavar or "VALUE")


def _about(option: Any) -> str:
    """Return what an option means, and what it is where nobody says."""
    default = option.default
    shown = default not in (None, "", False, True) and option.show_default
    value = getattr(default, "value", default)  # of a word among several
    return f"{option.help or ''}{f' (default: {value})' * bool(shown)}"


def _paragraphs(text: str | None) -> list[str]:
    return [" ".join(part.split()) for part in (text or "").split("\n\n")]


def _first(text: str | None) -> str:
    return next(iter(_paragraphs(text)), "")


def _filled(text: str, width: int, indent: int) -> str:
    return "\n".join(_wrapped(text, width, indent, indent))


def _wrapped(text: str, width: int, first: int, rest: int) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=" " * first,
        subsequent_indent=" " * rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
