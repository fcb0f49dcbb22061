"""A document on the terminal, for `rich` to print."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from pairnet.report.document import (
    Block,
    Break,
    Bullets,
    Calculator,
    Code,
    Details,
    Document,
    Emphasis,
    Facts,
    Figure,
    Link,
    Mono,
    Paragraph,
    Phrase,
    PhrasePart,
    Strong,
    Table,
    parts,
)

STYLES = {"": "", "note": "dim", "warning": "yellow"}


def page(document: Document) -> RenderableType:
    """Return a document, with an empty line between its blocks."""
    pieces: list[RenderableType] = [Text(document.title, "bold"), phrase(document.lead)]
    pieces += [phrase(document.source, STYLES["note"])] if document.source else []
    for section in document.sections:
        pieces += [Text(section.title, "bold")] if section.title else []
        pieces += map(block, section.blocks)
    return _below_one_another(pieces)


def block(value: Block) -> RenderableType:
    """Return a block of a document."""
    match value:
        case Calculator():
            return Text()
        case Paragraph(text, kind):
            return phrase(text, STYLES[kind])
        case Bullets(items):
            return _grid([(Text("•"), phrase(item)) for item in items])
        case Facts(items):
            return _grid([(Text(name), Text(v, "bold"), Text(note)) for name, v, note in items])
        case Table():
            return _table(value.without_empty_columns())
        case Figure(_, caption):
            numbers = [] if value.numbers is None else [block(value.numbers)]
            return _below_one_another([Text(caption, "italic"), *numbers])
        case Code(text):
            return Padding(Text(text), (0, 0, 0, 2))
        case Details(summary, blocks, title):
            named = f"{title}. {summary}" if title else summary
            return _below_one_another([Text(named, "bold"), *map(block, blocks)])


def phrase(value: Phrase, style: str = "") -> Text:
    """Return a phrase as text for the terminal."""
    return Text.assemble(*map(_part, parts(value)), style=style)


def _table(table: Table) -> Grid:
    grid = Grid(caption=phrase(table.caption), caption_justify="left")
    for k, name in enumerate(table.header):
        right = table.holds_numbers(k)
        grid.add_column(
            phrase(name), justify="right" if right else "left", no_wrap=right, overflow="fold"
        )
    for row in table.rows:
        grid.add_row(*map(phrase, row))
    return grid


def _grid(rows: Iterable[tuple[Text, ...]]) -> Grid:
    grid = Grid.grid(padding=(0, 1))
    for row in rows:
        grid.add_row(*row)
    return grid


def _below_one_another(pieces: list[RenderableType]) -> Group:
    spaced: list[RenderableType] = []
    for piece in pieces:
        spaced += [Text(), piece] if spaced else [piece]
    return Group(*spaced)


def _part(part: PhrasePart) -> tuple[str, str]:
    match part:
        case Strong(text):
            return text, "bold"
        case Emphasis(text):
            return text, "italic"
        case Mono(text):
            return text, ""
        case Link(label, _):
            return _part(label)
        case Break():
            return "\n", ""
        case _:
            return part, ""
