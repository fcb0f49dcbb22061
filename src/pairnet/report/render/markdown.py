"""A document as Markdown, as GitHub and sphinx read it.

What a person writes stays text: signs that would mean something to Markdown are escaped.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

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
    Section,
    Strong,
    Table,
    parts,
)

LEAD_WIDTH = 120  # of the lines of the lead, which people also read in the file itself


def page(document: Document, *, figures: bool = True) -> str:
    """Return a document as one text.

    figures: whether the numbers of charts, which cannot be drawn here, are written as tables;
    otherwise figures are left out.
    """
    lead = textwrap.fill(
        phrase(document.lead), LEAD_WIDTH, break_long_words=False, break_on_hyphens=False
    )
    pieces = [f"# {phrase(document.title)}", lead, phrase(document.source)]
    pieces += [_section(section, figures) for section in document.sections]
    return "\n\n".join(piece for piece in pieces if piece) + "\n"


def block(value: Block, *, figures: bool = True) -> str:
    """Return a block of a document, "" if it has nothing to show."""
    match value:
        case Calculator():
            return ""
        case Paragraph(text, kind):
            return f"> **Warning:** {phrase(text)}" if kind == "warning" else _paragraph(text)
        case Bullets(items):
            return "\n".join(f"- {phrase(item)}" for item in items)
        case Facts(items):
            return "\n".join(f"- {escaped(n)}: **{escaped(v)}** {escaped(m)}" for n, v, m in items)
        case Table():
            return _table(value)
        case Figure(_, caption):
            numbers = value.numbers if figures else None
            return _joined(f"*{escaped(caption)}*", block(numbers)) if numbers else ""
        case Code(text):
            fence = _fence(text, 3)
            return f"{fence}\n{text}\n{fence}"
        case Details(summary, blocks, title):
            inside = (block(inner, figures=figures) for inner in blocks)
            named = f"{title}. {summary}" if title else summary
            return _joined(f"**{escaped(named)}**", *inside)


def phrase(value: Phrase) -> str:
    """Return a phrase as Markdown."""
    return "".join(map(_part, parts(value)))


def escaped(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    text = re.sub(r"\s*\n\s*", " ", text)
    text = re.sub(r"([\\`*|]|(?<=\])(?=\()|<(?=[a-zA-Z/!?])|(?<!\w)_|_(?!\w))", r"\\\1", text)
    return re.sub(r"&(?=#?\w+;)", "&amp;", text)


def _section(section: Section, figures: bool) -> str:
    heading = f"## {escaped(section.title)}" if section.title else ""
    return _joined(heading, *(block(value, figures=figures) for value in section.blocks))


def _paragraph(text: Phrase) -> str:
    """Return a paragraph that cannot be taken for a heading or a list."""
    return re.sub(r"^(\d*)([>+\-.)]|#{1,6})(?= )", r"\1\\\2", phrase(text))


def _fence(text: str, least: int) -> str:
    """Return more backticks than any run of backticks in a text."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(least, longest + 1)


def _table(table: Table) -> str:
    header, *rows = (list(map(phrase, row)) for row in (table.header, *table.rows))
    rule = "|" + " --- |" * len(header)
    return _joined(phrase(table.caption), "\n".join([_row(header), rule, *map(_row, rows)]))


def _row(cells: Sequence[str]) -> str:
    return re.sub(r"^\|  \|", "| |", f"| {' | '.join(cells)} |")


def _part(part: PhrasePart) -> str:
    match part:
        case Strong(text):
            return f"**{escaped(text)}**"
        case Emphasis(text):
            return f"*{escaped(text)}*"
        case Mono(text):
            fence = _fence(text, 1)
            return f"{fence}{text}{fence}"
        case Link(label, to):
            return f"[{_part(label)}](#{_anchor(to)})"
        case Break(joint):
            return joint
        case _:
            return escaped(part)


def _anchor(title: str) -> str:
    """Return the anchor that GitHub gives to a heading."""
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -_")
    return kept.replace(" ", "-")


def _joined(*pieces: str) -> str:
    return "\n\n".join(piece for piece in pieces if piece)
