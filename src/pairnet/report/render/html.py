"""A document as one self-contained HTML page, which needs no network.

All text is escaped, wherever it comes from; only the picture of a `Chart` is inserted as it is. The
header of the page forbids fetching anything, and running any script but the page's own.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from pairnet.report.document import (
    Block,
    Break,
    Calculator,
    Details,
    Document,
    Emphasis,
    Link,
    Mono,
    Phrase,
    PhrasePart,
    Strong,
    Table,
    folded,
    name_of,
    parts,
    plain,
)

TEMPLATES = Path(__file__).parents[1] / "templates"
LONG = 16  # letters: a longer word may be broken
WORDY = 12  # letters: a column with a longer text keeps some room for it


def page(document: Document) -> str:
    """Return a document as a page."""
    style, script = _file("page.css"), _file("page.js")
    if any(_holds_calculator(blocks) for _, _, blocks in document.sections):
        style += _file("calculator.css")
        script += _file("calculator.js") + _file("calculator_form.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _template("page.html").render(
        page=document, style=Markup(style), script=Markup(script), digest=digest
    )


def _file(name: str) -> str:
    return TEMPLATES.joinpath(name).read_text(encoding="utf-8")


def _holds_calculator(blocks: Iterable[Block]) -> bool:
    """Tell whether some block is a calculator, or holds one."""
    inside = lambda value: isinstance(value, Details) and _holds_calculator(value.blocks)
    return any(isinstance(value, Calculator) or inside(value) for value in blocks)


def as_json(value: Any) -> Markup:
    """Return plain values as JSON that can stand within a page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("&", "\\u0026").replace("<", "\\u003c"))


def block(value: Block) -> Markup:
    """Return a block of a document."""
    if isinstance(value, Table):
        if value.folded:
            return block(Details(value.folded, (replace(value, folded=""),)))
        value = value.without_empty_columns()
    name = type(value).__name__.lower()
    return Markup(_template(f"{name}.html").render(block=value))


def phrase(value: Phrase) -> Markup:
    """Return a phrase as HTML."""
    return Markup("").join(map(_part, parts(value)))


def breakable(text: str) -> Markup:
    """Escape a text; long words, such as names of columns, may be broken after `_` and `=`.

    A per cent sign stays beside its number.
    """
    marked = lambda word: re.sub("([_=])(?=[^_=])", r"\1<wbr>", word[0])  # no escape has these
    broken = re.sub(rf"\S{{{LONG},}}", marked, str(escape(text)))
    return Markup(re.sub(r"(?<=\d) %", "&nbsp;%", broken))  # a number keeps its sign


def _kinds(table: Table) -> list[str]:
    """Return how columns are set: numbers to the "right", "wordy" texts with room for a line."""
    return [_kind(table, k) for k in range(len(table.header))]


def _kind(table: Table, k: int) -> str:
    if table.holds_numbers(k):
        return "right"
    return "wordy" if max(map(len, table.column(k)), default=0) > WORDY else ""


def _part(part: PhrasePart) -> Markup:
    match part:
        case Strong(text):
            return Markup("<strong>{}</strong>").format(breakable(text))
        case Emphasis(text):
            return Markup("<em>{}</em>").format(breakable(text))
        case Mono(text):
            return Markup("<code>{}</code>").format(breakable(text))
        case Link(label, to):
            return Markup('<a href="#{}">{}</a>').format(name_of(to), _part(label))
        case Break():
            return Markup("<br>")
        case _:
            return breakable(part)


@cache
def _template(name: str):
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "block": block,
        "phrase": phrase,
        "plain": plain,
        "breakable": breakable,
        "as_json": as_json,
    }
    environment.globals |= {"kinds": _kinds, "folded": folded}
    return environment.get_template(name)
