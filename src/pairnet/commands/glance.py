"""What a person should know of the columns of a table before anything is trained.

Each column is looked at alone: what it is, and what about it looks like trouble. Names are read,
too: a column that was measured after the treatment takes its effect away, and only its name may
tell. What a name suggests is said as a question, and nothing is left out for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import narwhals as nw
import polars as pl

from pairnet.commands.reading import Read
from pairnet.commands.wording import worded
from pairnet.core.errors import BadInput
from pairnet.tables.columns.learning import is_identifiers_name, learned
from pairnet.tables.exact import nameless
from pairnet.tables.values import of_series

FEW = 10  # the most different values of an arm, or of a treatment that is no dose
MANY_GAPS = 0.5  # the share of gaps that is worth a word
UNCLEAR, LEFT_OUT = "unclear", "left out"
_WORD = r"(?:^|[_\s.-])(?:{})(?:$|[_\s.\d-])"
TREATMENTS = re.compile(
    _WORD.format(
        "treat|treated|treatment|trt|arm|group|dose|drug|discount|campaign|coupon|offer|promo|"
        "exposed|exposure|intervention|variant|assigned|assignment|program|programme|reminder|email"
    ),
    re.IGNORECASE,
)
OUTCOMES = re.compile(
    _WORD.format(
        "outcome|y|spend|spent|sales|revenue|result|response|converted|conversion|visit|visited|"
        "survived|survival|death|died|mortality|income|earnings|score|churn|churned|re78"
    ),
    re.IGNORECASE,
)
AFTERWARDS = re.compile(
    _WORD.format(
        "after|afterwards|post|posttest|follow_?up|fu|later|final|end|endline|next|new|outcome|"
        "result|response|churn|churned|refund|refunded|returned|died|death|discharge"
    ),
    re.IGNORECASE,
)
EARLIER = re.compile(
    _WORD.format("past|prior|pre|before|previous|last|baseline|base|old"), re.IGNORECASE
)


class Glance(NamedTuple):
    """A column at a glance; trouble: sentences on what may go wrong with it."""

    name: str
    kind: str
    different: int  # values, without those that are missing
    missing: int
    about: str
    trouble: tuple[str, ...] = ()

    @property
    def can_be_treatment(self) -> bool:
        """Whether it may say how rows were treated: few values, or numbers for doses."""
        few = 2 <= self.different <= FEW
        return self.kind != UNCLEAR and (few or (self.kind == "number" and self.different > FEW))

    @property
    def can_be_outcome(self) -> bool:
        """Whether it may be an outcome: numbers, or two values."""
        return self.kind not in (UNCLEAR, LEFT_OUT) and (
            self.different == 2 or (self.kind == "number" and self.different > 2)
        )

    @property
    def may_be_later(self) -> bool:
        """Whether its name says that it was measured after the treatment."""
        return self.kind != LEFT_OUT and bool(AFTERWARDS.search(self.name))

    @property
    def is_earlier(self) -> bool:
        """Whether its name says that it was measured before the treatment."""
        return bool(EARLIER.search(self.name))


def glances(table: Read) -> list[Glance]:
    """Look at every column of a table."""
    return [_glance(table, name) for name in table.frame.columns]


def _glance(table: Read, name: str) -> Glance:
    column = nameless(table.frame, name)
    missing = column.null_count()
    different = column.drop_nulls().n_unique() if _is_plain(column) else 0
    try:
        table.check([name])
        known = learned(name, of_series(nw.from_native(column, series_only=True)))
    except BadInput as error:
        text = worded(error)
        return Glance(name, UNCLEAR, different, missing, "see below", (text,))
    about = (known.about(), table.cells.writing.about(name), known.hint())
    trouble = tuple(_trouble(name, known.kind, about[0], missing, table.frame.height))
    shown = "; ".join(text for text in about if text)
    return Glance(name, known.kind, different, missing, shown, trouble)


def _trouble(name: str, kind: str, about: str, missing: int, rows: int) -> Iterator[str]:
    if kind == LEFT_OUT:
        is_ = "is " * about.startswith("the same")
        yield f"{name!r} {is_}{about}. It is no covariate."
    elif is_identifiers_name(name):
        yield f"{name!r} has the name of an identifier: leave it out with --ignore if it is one."
    if kind != LEFT_OUT and missing > MANY_GAPS * rows:
        yield f"{name!r} has no value in {missing:,} of {rows:,} rows."


def _is_plain(column: pl.Series) -> bool:
    return not (column.dtype.is_nested() or column.dtype == pl.Object)
