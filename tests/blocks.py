"""Every kind of chart and of block, holding a text of one's choice."""

import io

import numpy as np
from rich.console import Console

from pairnet.report import charts
from pairnet.report.document import (
    Break,
    Document,
    Emphasis,
    Link,
    Mono,
    Strong,
    bullets,
    code,
    details,
    facts,
    figure,
    paragraph,
    table,
)

HOSTILE = "\"><script>alert(1)</script><b a='"
GRID = np.linspace(0, 60, 16)


def every_chart(name: str = "effect (EUR)") -> dict[str, charts.Chart]:
    rng = np.random.default_rng(0)
    curve = charts.Curve(
        name, GRID, np.sin(GRID / 20), np.sin(GRID / 20) - 0.2, np.sin(GRID / 20) + 0.2
    )
    points = [charts.Point(name, 1.0, 0.5, 2.0, group) for group in ("a", name)]
    return {
        "histogram": charts.histogram(
            {name: rng.normal(size=50), "b": [1, 2, 3]}, x=name, marks={name: 0}
        ),
        "lines": charts.lines(
            [curve, charts.Curve("b", [0, 60], [1, 2])],
            x=name,
            y=name,
            level={name: 1},
            rug=[3, 4],
            faint=[curve],
        ),
        "scatter": charts.scatter(
            [charts.Cloud(name, [1, 2], [3.0, np.nan], [name, "b"])], x=name, y=name, diagonal=True
        ),
        "dots": charts.dots([*points, charts.Point("alone", -1)], x=name, reference_label=name),
        "bars": charts.bars([*points, charts.Point("alone", 3)], x=name),
        "heat": charts.heat(
            [[1.0, np.nan], [-2, 0.1]], rows=[name, "b"], columns=["a", name], x=name, unit=name
        ),
    }


def every_block(text: str):
    yield from (
        text,
        paragraph(text, kind="note"),
        paragraph(text, kind="warning"),
        paragraph((text, Strong(text), Emphasis(text), Mono(text), Link(Mono(text), text))),
        bullets([text, (Strong(text), text)]),
        facts([(text, text, text)]),
        code(text),
    )
    yield table([text, "n"], [[text, 1], ["b", "2,000"]], text)
    yield table(["", text], [["row", (Strong("1.2"), Break("; "), text)]], (text,), folded=text)
    yield details(text, text)
    yield from (figure(chart, text) for chart in every_chart(text).values())


def every_kind(text: str) -> Document:
    """A document with every kind of block."""
    return Document(text, text).section(text, *every_block(text)).section("", text)


def on_a_terminal(block, *, width: int) -> str:
    """What a terminal shows that is so many letters wide."""
    text = io.StringIO()
    Console(file=text, width=width).print(block)
    return text.getvalue()
