"""Decides what a column of training rows is: a quantity, a category, or not used."""

from __future__ import annotations

import re

import numpy as np

from pairnet.core.errors import BadInput, InPython
from pairnet.tables.columns.base import AbstractColumn, Name, rows_of, wrong_words
from pairnet.tables.columns.category import Category
from pairnet.tables.columns.left_out import LeftOut
from pairnet.tables.columns.quantity import Quantity, check_finite
from pairnet.tables.values import Numbers, Strange, Values, Words, too_alike

RUN = 30  # with more rows, different whole numbers close together cannot be chance
REPEATS = 50  # one of this many rows may repeat another's number, if numbers lie close together
ID_NAME = re.compile(
    r"(?i:(^|[_\s.-])(id|ids|key|uuid|guid)$|^(rownumber|index|unnamed: ?\d*)$)|[a-z](Id|ID|Key)$"
)


def learned(name: Name, values: Values, *, everything: bool = False) -> AbstractColumn:
    """Return what a column of training rows is.

    everything: whether constants and identifiers are kept, as in plain arrays.
    """
    if isinstance(values, Strange):
        return LeftOut(name, f"holds {values.what}, neither numbers nor text nor dates")
    if values.missing.all():
        return LeftOut(name, "has no values at all")
    if isinstance(values, Words) and not values.declared:
        values = understood(name, values)
    if isinstance(values, Words):
        return Category.of(name, values)
    check_finite(name, values.values)
    _check_spread(name, values)
    column = Quantity.of(name, values)
    if everything:
        return column
    if column.low == column.high and not column.missing:
        return LeftOut(name, f"the same in all rows: {column.written(column.low)}")
    if values.kind == "number" and _identifies(str(name), values):
        present = values.values[~values.missing]
        count = f"{len(np.unique(present))} different whole numbers in {rows_of(len(present))}"
        return LeftOut(name, f"looks like an identifier: {count}")
    return column


def understood(name: Name, column: Words) -> Numbers | Words:
    """Return text that spells numbers or dates as numbers or dates.

    Raise if most of it spells numbers or dates and some of it does not.
    """
    numbers = column.as_numbers()
    if not np.isnan(numbers).any():
        whole = bool(np.all(numbers == np.round(numbers)))
        return Numbers("number", column.spread(numbers), whole=whole)
    dates = column.as_dates()
    if not np.isnan(dates).any():
        return Numbers("date", column.spread(dates))
    _check_no_slip(name, column, numbers, "numbers", "with a decimal point")
    _check_no_slip(name, column, dates, "dates", "as 2024-12-31")
    return column


def _check_no_slip(
    name: Name, column: Words, by_word: np.ndarray, what: str, how_written: str
) -> None:
    """Raise if most rows of a text spell numbers, or dates, and a few do not."""
    is_right = np.append(~np.isnan(by_word), False)[column.codes]
    wrong = ~is_right & ~column.missing
    if is_right.sum() <= wrong.sum():
        return
    counts = f"{int(is_right.sum())} rows and text in {int(wrong.sum())}"
    raise BadInput(
        "",
        (f"Column {name!r} holds {what} in {counts}: ", *wrong_words(column, wrong)),
        (
            f"Make all of them {what} ({how_written}), leave out what is missing, or ",
            InPython("declare the column a category", "name it in --categories"),
            f" if its {what} are names.",
        ),
    )


def is_identifiers_name(name: str) -> bool:
    """Tell whether a column has a name like those of identifiers: customer_id, orderId, key."""
    return bool(ID_NAME.search(name))


def _check_spread(name: Name, column: Numbers) -> None:
    """Raise for numbers of a unit so large that they hardly differ."""
    if column.kind != "number" or not (why := too_alike(column.values[~column.missing])):
        return
    advice = "Use a smaller unit, subtract what they have in common, or leave the column out."
    raise BadInput("X", f"{why}: column {name!r}", advice)


def _identifies(name: str, column: Numbers) -> bool:
    """Tell whether whole numbers identify the rows.

    They do if most of them differ and the column has the name of an identifier, or if nearly all
    differ and lie close together.
    """
    present = column.values[~column.missing]
    if len(present) < RUN or (present != np.round(present)).any():
        return False
    different = len(np.unique(present))
    if is_identifiers_name(name):
        return 2 * different > len(present)
    is_counted = column.whole or column.missing.any()  # pandas turns integers with gaps into floats
    is_close = np.ptp(present) < 3 * len(present)
    return bool(is_counted and is_close and len(present) - different <= len(present) // REPEATS)
