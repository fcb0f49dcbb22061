"""Outcomes, treatments and weights beside a table: what a model can store is read, all else is
refused before anything is trained."""

import datetime
import decimal
import enum
import fractions

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pairnet.core.errors import BadInput
from pairnet.tables.single import single_column


class Shade(enum.IntEnum):
    light, dark = 1, 2


class Size(enum.StrEnum):
    short, long = "s", "l"


def read(values, name="treatment"):
    return single_column(values, name, len(values), wanted="numbers or text", advice="")


DATES = [datetime.date(2024, 1, 1), datetime.date(2024, 2, 1)]
SPANS = [datetime.timedelta(1), datetime.timedelta(2)]
STORED = {
    "integers of any size": ([2**70, 1], [2.0**70, 1.0]),
    "decimals": ([decimal.Decimal("1.5"), decimal.Decimal(2)], [1.5, 2.0]),
    "decimals of polars": (pl.Series([decimal.Decimal("1.5"), decimal.Decimal(2)]), [1.5, 2.0]),
    "integers of 128 bits": (pl.Series([2**100, 1], dtype=pl.Int128), [2.0**100, 1.0]),
    "fractions": ([fractions.Fraction(1, 2), fractions.Fraction(3)], [0.5, 3.0]),
    "numbers of numpy": ([np.int64(1), np.float32(2.5)], [1.0, 2.5]),
    "long floats": (np.asarray([1, 2], np.longdouble), [1.0, 2.0]),
    "enumerated numbers": ([Shade.light, Shade.dark], [1, 2]),
    "enumerated text": ([Size.short, Size.long], ["s", "l"]),
    "text of numpy": (np.asarray(["a", "b"], object), ["a", "b"]),
    "flags of pandas": (pd.Series([True, False], dtype="boolean"), [True, False]),
    "categories of polars": (pl.Series(["a", "b"], dtype=pl.Categorical), ["a", "b"]),
    "one column": (np.asarray([[1], [2]]), [1, 2]),
}


@pytest.mark.parametrize("case", list(STORED))
def test_numbers_flags_and_text_of_any_library_are_read(case):
    values, expected = STORED[case]
    array = read(values)
    assert array.tolist() == expected
    assert array.dtype.kind in "biufU"
    assert array.dtype.itemsize <= 8 or array.dtype.kind == "U"


REFUSED = {
    "dates": (DATES, "got dates"),
    "dates of numpy": (np.asarray(DATES, "M8[D]"), "got dates"),
    "dates of polars": (pl.Series(DATES), "got dates"),
    "moments of pandas": (pd.Series(pd.to_datetime(DATES)), "got dates"),
    "time spans": (SPANS, "got time spans"),
    "time spans of polars": (pl.Series(SPANS), "got time spans"),
    "bytes": ([b"a", b"b"], "got bytes"),
    "bytes of numpy": (np.asarray([b"a", b"b"]), "got bytes"),
    "bytes of polars": (pl.Series([b"a", b"b"]), "got bytes"),
    "complex numbers": ([1j, 2j], "got complex numbers"),
    "records": (np.zeros(2, "i4,i4"), "got records"),
    "records of polars": (pl.Series([{"a": 1}, {"a": 2}]), "got values of the type dict"),
    "lists of polars": (pl.Series([[1], [2]]), "got values of the type list"),
    "tuples": (pd.Series([(1, 2), (3, 4)]), "got values of the type tuple"),
    "ranges": ([range(2), range(3)], "got values of the type range"),
    "other objects": ([int, str], "got values of the type type"),
    "words beside numbers": ([1, "a"], r"mixes types \(int, str\)"),
    "dates beside text": ([DATES[0], "a"], r"mixes types \(date, str\)"),
    "text that ends with NUL": (["a\0", "a"], "ends with a NUL character, in row 0"),
    "half a character": (["a", "\ud800"], "cannot be written to a file"),
    "half a character of numpy": (np.asarray(["a", "\ud800"]), "cannot be written to a file"),
    "numbers that floats mix up": ([2**80, 2**80 + 1], "so close together"),
    "numbers too large for a float": ([10**400, 1], r"values beyond 1e\+38"),
    "long floats too large for a float": (
        np.asarray([1e-4, 1], np.longdouble) * np.longdouble("1e400"),
        "infinite",
    ),
    "missing values": ([1.5, None], r"has missing values: 1 in all, the first at row 1"),
    "masked numbers": (
        np.ma.array([1, -999], mask=[0, 1]),
        r"has missing values \(NaN\): 1 in all",
    ),
    "masked text": (np.ma.array(["a", "b"], mask=[0, 1]), "has missing values: 1 in all"),
    "masked in a list": ([1.5, np.ma.masked], "has missing values: 1 in all"),
}


@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")
@pytest.mark.parametrize("case", list(REFUSED))
def test_what_cannot_be_stored_or_is_missing_is_refused(case):
    values, message = REFUSED[case]
    with pytest.raises(BadInput, match=message):
        read(values)


def test_outcomes_may_lose_digits_that_arms_need():
    assert read([2**80, 2**80 + 1], "y").tolist() == [2.0**80, 2.0**80]


def test_another_number_of_rows_is_told_with_advice():
    with pytest.raises(BadInput, match=r"expected shape \(3,\), got \(2,\)\. Another split\?"):
        single_column([1, 2], "y", 3, wanted="numbers", advice="Another split?")


def test_arrays_of_several_shapes_in_a_list_are_refused_in_words():
    with pytest.raises(BadInput, match="^treatment must"):
        read([np.zeros((2, 2)), np.zeros((2, 3))])
