"""A document: a title, a lead that gives the answer, and sections of blocks.

Blocks are plain values that do not know where they are shown; `report.render` writes them as one
HTML page, as Markdown, or on the terminal.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pairnet.core.writing import can_write, whole
from pairnet.report.charts import Chart
from pairnet.report.words import is_number

FRAME_HEIGHT = 800  # pixels of a page in a notebook


@dataclass(frozen=True)
class Strong:
    """Words that stand out."""

    text: str


@dataclass(frozen=True)
class Emphasis:
    """Words that stand out a little."""

    text: str


@dataclass(frozen=True)
class Mono:
    """A name or a command within a sentence."""

    text: str


@dataclass(frozen=True)
class Link:
    """Words that lead to a section of the same document; `to` is its title."""

    label: str | Mono
    to: str


@dataclass(frozen=True)
class Break:
    """A new line within a cell; where a cell has only one line, `joint` is written instead."""

    joint: str = " "


PhrasePart = str | Strong | Emphasis | Mono | Link | Break
Phrase = PhrasePart | tuple[PhrasePart, ...]


@dataclass(frozen=True)
class Paragraph:
    """Some text; a "note" is small and grey, a "warning" stands out."""

    text: Phrase
    kind: Literal["", "note", "warning"] = ""


@dataclass(frozen=True)
class Bullets:
    """A list of short texts."""

    items: tuple[Phrase, ...]


@dataclass(frozen=True)
class Facts:
    """A few numbers shown first: each with a name, the number, and what it means."""

    items: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Table:
    """A table with its caption.

    folded: if it is set and readers can open parts of the page, the table is closed under this
    title.
    """

    header: tuple[Phrase, ...]
    rows: tuple[tuple[Phrase, ...], ...]
    caption: Phrase = ""
    folded: str = ""

    def column(self, k: int) -> list[str]:
        """Return the plain text of the cells of a column."""
        return [plain(row[k]) for row in self.rows]

    def holds_numbers(self, k: int) -> bool:
        """Tell whether all cells of a column are numbers, or empty."""
        texts = self.column(k)
        return bool(texts) and all(map(is_number, texts))

    def without_empty_columns(self) -> Table:
        """Return the table without columns that are empty in all rows."""
        kept = [k for k in range(len(self.header)) if not self.rows or any(self.column(k))]
        rows = tuple(tuple(row[k] for k in kept) for row in self.rows)
        return Table(tuple(self.header[k] for k in kept), rows, self.caption, self.folded)


@dataclass(frozen=True)
class Figure:
    """A chart with its caption."""

    chart: Chart
    caption: str

    @property
    def numbers(self) -> Table | None:
        """Return the numbers of the chart as a table, if it has them."""
        chart = self.chart
        if not chart.rows:
            return None
        what = re.split(r"[.:] ", self.caption.rstrip("."))[0]  # so that no two have one name
        return table(chart.header, chart.rows, f"The numbers of the chart: {what}")


@dataclass(frozen=True)
class Code:
    """Some code or output, as it is."""

    text: str


@dataclass(frozen=True)
class Details:
    """Blocks that are folded away until a reader opens them; `title` stands before the summary."""

    summary: str
    blocks: tuple[Block, ...]
    title: str = ""


@dataclass(frozen=True)
class Field:
    """A value that a reader can change.

    kind: "number" (from low to high, in steps), "date" (the same in days since 1970), or "choice".
    value: what it is at first. choices: values with the words for them. can_be_missing: whether a
    number may be left empty.
    """

    input: str
    label: str
    kind: Literal["number", "date", "choice"]
    value: str
    low: str = ""
    high: str = ""
    step: str = "any"
    choices: tuple[tuple[str, str], ...] = ()
    can_be_missing: bool = False


@dataclass(frozen=True)
class Calculator:
    """A form that answers in the page; other places leave it out.

    compared, fields, folded: the values that can be changed, the last behind a fold. program: plain
    JSON for `templates/calculator_form.js`.
    """

    compared: tuple[Field, ...]
    fields: tuple[Field, ...]
    folded: tuple[Field, ...]
    program: dict[str, Any]


Block = Paragraph | Bullets | Facts | Table | Figure | Code | Details | Calculator


class Section(NamedTuple):
    """Blocks under a title; `name` is the anchor in a page to which links lead.

    A section that holds nothing but `Details` is folded as a whole: its title and the summary stay.
    """

    name: str
    title: str
    blocks: tuple[Block, ...]

    @property
    def folded(self) -> Details | None:
        """What the section unfolds to, if it is folded as a whole."""
        return folded(self.blocks)


@dataclass(repr=False)
class Document:
    """A title, a first paragraph that gives the answer, and sections.

    source: a small line on where the page comes from.
    """

    title: str
    lead: Phrase
    sections: list[Section] = field(default_factory=list)
    source: Phrase = ""

    def __repr__(self) -> str:
        return f"<Report: {self.title}. {plain(self.lead)} write(path) writes the page.>"

    def _repr_html_(self) -> str:
        """Show the page in a notebook: in a frame of its own, so that styles do not mix."""
        from markupsafe import escape

        return (
            f'<iframe srcdoc="{escape(self.html())}" title="{escape(self.title)}" width="100%" '
            f'height="{FRAME_HEIGHT}" style="border: 1px solid #ccc" '
            'sandbox="allow-scripts allow-popups"></iframe>'
        )

    def section(self, title: str, *blocks: Block | str) -> Document:
        """Add a section, and return the document; a plain string becomes a paragraph.

        The blocks of a section without a title follow the section before it without a heading.
        """
        taken = {section.name for section in self.sections}
        names = (name_of(title) + f"-{k}" * bool(k) for k in range(len(taken) + 1))
        name = next(name for name in names if name not in taken)
        self.sections.append(Section(name, title, _as_blocks(blocks)))
        return self

    def folded(self, title: str, finding: str, *blocks: Block | str) -> Document:
        """Add a section that says one sentence and unfolds to blocks, if there are any."""
        return self.section(title, details(finding, *blocks) if blocks else finding)

    def html(self) -> str:
        """Return the document as one self-contained HTML page."""
        from pairnet.report.render import html

        return html.page(self)

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the HTML page: the file is written whole, or stays as it was."""
        target = Path(path)
        can_write(target, "the page")
        text = self.html()
        with whole(target) as file:
            file.write(text.encode())
        return target


def paragraph(text: Phrase, *, kind: Literal["", "note", "warning"] = "") -> Paragraph:
    """Return some text; a "note" is small and grey, a "warning" stands out."""
    return Paragraph(text, kind)


def bullets(items: Iterable[Phrase]) -> Bullets:
    """Return a list of short texts."""
    return Bullets(tuple(items))


def facts(items: Iterable[tuple[str, str, str]]) -> Facts:
    """Return a few numbers shown first: each with a name, the number, and what it means."""
    return Facts(tuple(items))


def table(
    header: Sequence[Phrase], rows: Iterable[Sequence[Any]], caption: Phrase, *, folded: str = ""
) -> Table:
    """Return a table; cells that are no phrases are written as text."""
    cells = tuple(tuple(map(_as_phrase, row)) for row in rows)
    wrong = next((row for row in cells if len(row) != len(header)), None)
    if wrong is not None:
        raise ValueError(
            f"Every row must have {len(header)} cells, as the header has; got {len(wrong)}: "
            f"{list(wrong)}."
        )
    return Table(tuple(header), cells, caption, folded)


def figure(chart: Chart, caption: str) -> Figure:
    """Return a chart with its caption."""
    return Figure(chart, caption)


def code(text: str) -> Code:
    """Return some code or output, as it is."""
    return Code(text)


def details(summary: str, *blocks: Block | str, title: str = "") -> Details:
    """Return blocks that are folded away until a reader opens them."""
    return Details(summary, _as_blocks(blocks), title)


def folded(blocks: Sequence[Block]) -> Details | None:
    """Return the one block of a section that is folded as a whole."""
    return blocks[0] if len(blocks) == 1 and isinstance(blocks[0], Details) else None


def parts(phrase: Phrase) -> tuple[PhrasePart, ...]:
    """Return the parts of a phrase."""
    return phrase if isinstance(phrase, tuple) else (phrase,)


def plain(phrase: Phrase) -> str:
    """Return a phrase as text alone."""
    return "".join(map(_plain, parts(phrase)))


def with_code(text: str) -> Phrase:
    """Return a text in which names stand between `backticks` as a phrase."""
    pieces = enumerate(text.split("`"))
    return tuple(Mono(piece) if k % 2 else piece for k, piece in pieces if piece)


def name_of(title: str) -> str:
    """Return the anchor of the first section with a title."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"


def _plain(part: PhrasePart) -> str:
    match part:
        case Break(joint):
            return joint
        case Link(label, _):
            return _plain(label)
        case Strong(text) | Emphasis(text) | Mono(text):
            return text
        case _:
            return part


def _as_phrase(value: Any) -> Phrase:
    return value if isinstance(value, PhrasePart | tuple) else str(value)


def _as_blocks(blocks: Iterable[Block | str]) -> tuple[Block, ...]:
    return tuple(Paragraph(block) if isinstance(block, str) else block for block in blocks)
