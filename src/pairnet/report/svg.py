"""Drawing without a library: elements whose content is escaped, and texts that fit a drawing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width

import numpy as np
from markupsafe import Markup, escape

from pairnet.report.words import Number

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 560.0, 82.0, 14.0, 12.0, 58.0  # of a chart, in units of drawing
LETTER, LINE = 10.6, 21.0  # room of a letter and of a line of text where it is largest: on a phone
ACROSS = int((WIDTH - 8) / LETTER)  # letters of a line of text as wide as a chart


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """Return one element, with the text in it escaped.

    `None` attributes are left out; `stroke_width` is written stroke-width.
    """
    written = Markup("").join(
        Markup(' {}="{}"').format(name.rstrip("_").replace("_", "-"), plain(value))
        for name, value in attributes.items()
        if value is not None
    )
    inside = Markup("").join(escape(child) for child in children)
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), written, inside)


def path(x: Iterable[Number], y: Iterable[Number], *, closed: bool = False) -> str:
    """Return the line through some points, as a path's `d`."""
    points = [f"{plain(a)} {plain(b)}" for a, b in zip(x, y, strict=True)]
    return "M" + "L".join(points) + "Z" * closed


def line(x1: Number, y1: Number, x2: Number, y2: Number, **attributes: object) -> Markup:
    """Return a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **attributes)


def drawing(parts: Iterable[Markup], height: float, says: str) -> Markup:
    """Return the whole picture; `says` is read to people who cannot see it."""
    box = f"0 0 {plain(WIDTH)} {plain(height)}"
    return element("svg", *parts, viewBox=box, role="img", aria_label=says, class_="chart")


def plain(value: object) -> object:
    """Write a place with one decimal: enough to draw with, and the page stays small."""
    if isinstance(value, float | np.floating):
        return f"{float(value):.1f}".removesuffix(".0")
    return value


def text_in_lines(text: str, rows: Sequence[str], **attributes: object) -> Markup:
    """Draw a text in lines, the first of them at `x` and `y`.

    rows: the text as `wrapped` breaks it. If it was cut, pointing at it shows all of it.
    """
    cut = any(row.endswith("…") for row in rows) and not text.endswith("…")
    below = (element("tspan", row, x=attributes["x"], dy=LINE) for row in rows[1:])
    return element("text", *rows[:1], *below, data_tip=text if cut else None, **attributes)


def wrapped(text: str, most: int, *, lines: int = 1) -> list[str]:
    """Break a text into lines of at most `most` letters; what does not fit is cut off.

    Lines end between words, or in a long word after a sign such as `_`.
    """
    most = int(most * min(1.0, len(text) / max(1.0, size(text))))
    pieces = [part for word in re.findall(r"\S+\s*", text) for part in _pieces(word, most)]
    rows: list[str] = []
    for piece in pieces:
        if rows and len((rows[-1] + piece).rstrip()) <= most:
            rows[-1] += piece
        else:
            rows.append(piece)
    rest = "".join(rows[lines - 1 :]).rstrip()
    last = [_cut(rest, most)] if rest else []
    return [row.rstrip() for row in rows[: lines - 1]] + last


def size(text: str) -> float:
    """Return the width of a text, in letters of usual width.

    Capitals are wider; Chinese, Japanese and Korean letters are twice as wide.
    """
    return sum(map(_width, text), 0.0)


def _width(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 1.9
    return 1.25 if letter.isupper() else 1.0


def _pieces(word: str, most: int) -> list[str]:
    """Break a word that is too long after signs that join names, or anywhere if it must be."""
    if len(word.rstrip()) <= most:
        return [word]
    return re.findall(rf".{{1,{most}}}(?<=[_=/:,;.])|.{{1,{most}}}", word)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
