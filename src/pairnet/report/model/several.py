"""One page on several models: a table of their answers first, then each model's page, folded."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pairnet.core.errors import BadInput, count_of, listed
from pairnet.methods import Estimator
from pairnet.report.charts import Chart
from pairnet.report.document import Block, Document, Link, Phrase, paragraph, table
from pairnet.report.model.page import Findings, findings
from pairnet.report.words import say

HEADER = ("outcome", "comparison", "average effect", "from", "to", "do effects differ?", "warnings")
DIFFER = {True: "yes", False: "not shown", None: "not judged"}
LUCK = (
    "Intervals are 95 % for each average by itself: of twenty averages without an effect, one is "
    "expected to look like one. Open a part below for the whole page on it."
)


def several_models(
    models: Mapping[str, Estimator],
    *,
    T0: Any = None,
    T1: Any = None,
    goal: str = "max",
    target: str | None = None,
    by: str | Sequence[str | int] = (),
    command: str = "",
) -> Document:
    """Return one page on several models: a table of answers, then what each says, folded.

    models: by the names under which they stand on the page, such as their outcomes. The rest is as
    for `model_report`, and holds for all of them.
    """
    if len(models) < 2:
        raise BadInput("", f"A page on several models needs two or more, got {len(models)}")
    by = [by] if isinstance(by, str) else list(by)
    asked = {"T0": T0, "T1": T1, "goal": goal, "target": target, "command": command}
    found = {name: findings(model, by=by, **asked) for name, model in models.items()}
    page = Document(_title(found), _lead(found))
    page.section("The answers", *_answers(found))
    for name, one in found.items():
        page.folded(name, one.lead, *map(_without_links, one.blocks))
    return page


def _title(found: Mapping[str, Findings]) -> str:
    return f"The effect of {_distinct(found, 'treatment')} on {_distinct(found, 'outcome')}"


def _distinct(found: Mapping[str, Findings], role: str) -> str:
    return listed(list(dict.fromkeys(one.subject.names[role] for one in found.values())))


def _lead(found: Mapping[str, Findings]) -> str:
    """Write the first paragraph: which averages have an effect, in a sentence each."""
    clear, rest = [], []
    for name, one in found.items():
        value, low, high = one.main.best
        if low is None or high is None or low <= 0 <= high or one.rests.lacking:
            rest.append(name)
        else:
            clear.append(
                f"{name} {'rises' if value > 0 else 'falls'} by {_amount(one, abs(value))}"
            )
    said = f"On average {listed(clear)}." if clear else ""
    unclear = f"No clear effect on {listed(rest, 'or')}." if rest else ""
    compared = dict.fromkeys(one.subject.comparison for one in found.values())
    return " ".join(filter(None, (f"What does {listed(list(compared))} do?", said, unclear)))


def _amount(one: Findings, value: float) -> str:
    return one.subject.amount(value)


def _answers(found: Mapping[str, Findings]) -> list[Block]:
    rows = [row for name, one in found.items() for row in _rows(name, one)]
    sizes = {one.subject.summary["rows"] for one in found.values()}
    whose = f", each from {count_of(sizes.pop())}" if len(sizes) == 1 else ""
    shown = table(HEADER, rows, f"Average effects with 95 % intervals{whose}")
    return [shown, paragraph(LUCK, kind="note")]


def _rows(name: str, one: Findings) -> Iterator[tuple[Phrase, ...]]:
    """Yield a line for each comparison of a model."""
    unit = one.subject.words.short_unit
    for average in one.averages:
        value, *ends = average.best
        written = ("" if end is None else say(end) for end in ends)
        is_main = average is one.main
        differ = DIFFER[one.differ] if is_main else ""
        warnings = str(len(one.warnings)) if is_main else ""
        comparison = one.subject.against(average.label)
        yield Link(name, name), comparison, say(value) + unit, *written, differ, warnings


def _without_links(value: Any) -> Any:
    """Return blocks with words instead of links, as titles of parts are there several times."""
    if isinstance(value, Link):
        return value.label
    if isinstance(value, tuple):
        return tuple(map(_without_links, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, Chart | type):
        names = (field.name for field in dataclasses.fields(value))
        return dataclasses.replace(value, **{n: _without_links(getattr(value, n)) for n in names})
    return value
