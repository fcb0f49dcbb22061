"""A few words in a column of numbers or dates as people write them: most likely a slip."""

from __future__ import annotations

import math
import operator
from functools import reduce
from typing import TYPE_CHECKING

from pairnet.core.errors import At, BadInput
from pairnet.core.words import spelled
from pairnet.tables.written import days, figures

if TYPE_CHECKING:
    import polars as pl

MOST_LABELS = 10  # different values that may be names, as none, 10% and 20%
MOST_NAMED = 5  # rows and words that an error names


def slip(name: str, texts: pl.Series, present: pl.Series) -> BadInput | None:
    """Return the error for a column of which most values are written as numbers or dates.

    present: the different texts that stand for a value. Plain numbers and dates among words are
    told elsewhere, for tables in memory, too.
    """
    if len(present) <= MOST_LABELS:
        return None
    for what, patterns in (("numbers", (figures.PARTS,)), ("dates", days.PATTERNS)):
        like = reduce(operator.or_, (present.str.contains(one) for one in patterns))
        unusual = [text for text in present.filter(like) if math.isnan(spelled(text))]
        if like.all() or 2 * len(unusual) <= len(present):
            continue
        words = present.filter(~like).to_list()
        rows = texts.is_in(words).fill_null(False).arg_true().to_list()
        few = ", ".join(map(repr, words[:MOST_NAMED])) + ", ..." * (len(words) > MOST_NAMED)
        at = At(tuple(rows[:MOST_NAMED]), more=len(rows) > MOST_NAMED)
        return BadInput(
            "",
            (f"Column {name!r} holds {what}, as {unusual[0]!r}, and text: got {few} in ", at),
            f"Make all of them {what}, name words that mean missing in --na, or name the column in "
            "--categories or --ignore.",
        )
    return None
