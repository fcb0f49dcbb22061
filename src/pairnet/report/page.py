"""One self-contained page: sections of paragraphs, tables, figures and code, in one HTML file that
needs no network.

Text is escaped, wherever it comes from; only a `Chart`, made by `charts.py`, is put in as it is.
The page says in its own header that nothing may be fetched and that no script but its own may run.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from markupsafe import Markup, escape

from pairnet.core.writing import can_write, whole
from pairnet.report.charts import Chart

TEMPLATES = Path(__file__).parent / "templates"
LONG = 16  # letters of a word that may be broken
WORDY = 12  # letters of a text for which a column keeps some room


@runtime_checkable
class Block(Protocol):
    """Anything that can write itself as HTML, with its text escaped."""

    def __html__(self) -> str: ...


@dataclass
class Page:
    """A title, a first paragraph that says the answer, and sections. `write` makes the file."""

    title: str
    lead: str
    sections: list[tuple[str, str, tuple[Block, ...]]] = field(
        default_factory=list
    )  # identifier, title, blocks

    def section(self, title: str, *blocks: Block | str) -> Page:
        """Add a section; a plain string is a paragraph. Returns the page."""
        stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"
        taken = {name for name, _, _ in self.sections}
        name = next(
            each for k in range(len(taken) + 1) if (each := stem + f"-{k}" * bool(k)) not in taken
        )
        self.sections.append((name, title, tuple(map(_as_block, blocks))))
        return self

    def html(self) -> str:
        """Return the page as text."""
        style, script = (
            TEMPLATES.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js")
        )
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        return _template("page.html").render(
            page=self, style=Markup(style), script=Markup(script), digest=digest
        )

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page as a whole or not at all: whoever opens the file never sees half of it."""
        target = Path(path)
        can_write(target, "the page")
        text = self.html()
        with whole(target) as file:
            file.write(text.encode())
        return target


def paragraph(text: str, *, kind: str = "") -> Block:
    """Some text; kind "note" is small and grey, "warning" stands out."""
    return _Drawn("paragraph.html", {"text": text, "kind": kind})


def bullets(items: Iterable[str]) -> Block:
    """A list of short texts."""
    return _Drawn("bullets.html", {"items": list(items)})


def facts(items: Iterable[tuple[str, str, str]]) -> Block:
    """A few numbers to be seen first: what it is, the number, and what it means."""
    return _Drawn("facts.html", {"items": list(items)})


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], caption: str) -> Block:
    """A table with its caption; columns of numbers are set to the right."""
    cells = [[str(value) for value in row] for row in rows]
    wrong = next((row for row in cells if len(row) != len(header)), None)
    if wrong is not None:
        raise ValueError(
            f"Every row must have {len(header)} cells, as the header has; got {len(wrong)}: "
            f"{wrong}."
        )
    kinds = [_kind([row[k] for row in cells]) for k in range(len(header))]
    return _Drawn(
        "table.html", {"header": list(header), "rows": cells, "caption": caption, "kinds": kinds}
    )


def figure(chart: Chart, caption: str) -> Block:
    """A chart with its caption, and its numbers folded away below."""
    numbers = table(chart.header, chart.rows, "The numbers of the chart") if chart.rows else None
    return _Drawn("figure.html", {"chart": chart, "caption": caption, "numbers": numbers})


def code(text: str) -> Block:
    """Some code or output, as it is."""
    return _Drawn("code.html", {"text": text})


def details(summary: str, *blocks: Block | str) -> Block:
    """Blocks that are folded away until someone wants them."""
    return _Drawn(
        "details.html", {"summary": summary, "blocks": [_as_block(block) for block in blocks]}
    )


@dataclass(frozen=True)
class _Drawn:
    """A template and what goes into it."""

    template: str
    values: dict[str, Any]

    def __html__(self) -> str:
        return _template(self.template).render(self.values)


def _as_block(block: Block | str) -> Block:
    return paragraph(block) if isinstance(block, str) and not isinstance(block, Markup) else block


@cache
def _template(name: str):
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    loader = FileSystemLoader(TEMPLATES)
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["breakable"] = breakable
    return made.get_template(name)


def breakable(text: str) -> Markup:
    """Escape a text whose long words, as names of columns are, may go on in the next line after a
    `_` or `=`."""
    marked = lambda word: re.sub(
        "([_=])(?=[^_=])", r"\1<wbr>", word[0]
    )  # no escaped letter has these signs
    return Markup(re.sub(rf"\S{{{LONG},}}", marked, str(escape(text))))


def _kind(texts: list[str]) -> str:
    """Return how a column is set: "right" if it holds numbers, "wordy" if texts that may need
    several lines."""
    if texts and all(map(_is_number, texts)):
        return "right"
    return "wordy" if max(map(len, texts), default=0) > WORDY else ""


def _is_number(text: str) -> bool:
    return re.fullmatch(r"|–|[<>]? ?[-−+]?[\d,.]+(e[-+]?\d+)?( ?%)?", text) is not None
