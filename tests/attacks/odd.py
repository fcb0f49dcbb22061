"""Odd things of which attacks are made: values, names, columns."""

from __future__ import annotations

import datetime
import decimal
import fractions
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

NOW = datetime.datetime(2024, 5, 31, 12, 30)


class Nameless:
    """A thing of no known type, whose comparisons raise."""

    def __eq__(self, other: object) -> bool:
        raise TypeError("do not compare me")

    __hash__ = object.__hash__


def nested(depth: int) -> list:
    """Return a list in a list in a list."""
    inner: list = []
    for _ in range(depth):
        inner = [inner]
    return inner


NUMBERS: tuple[Any, ...] = (
    *(0, 1, -1, 2, 3, 10, 0.5, 0.05, 1.5, -0.0, 1e-300, 5e-324, 1e300, 1e38, 3.5e38, -1e39),
    *(float("nan"), float("inf"), float("-inf"), 2**31, 2**53 + 1, 2**63, 2**64, -(2**63) - 1),
    *(10**400, -(10**400), True, False, np.bool_(True), np.int8(-128), np.uint64(2**64 - 1)),
    *(np.float16(0.1), np.float32(np.inf), np.float64(1), np.longdouble(1), 1j, np.complex64(1)),
    *(decimal.Decimal("0.1"), decimal.Decimal("NaN"), decimal.Decimal("1e999")),
    *(fractions.Fraction(1, 3), np.array(1), np.array([1]), np.ma.masked),
)
WORDS: tuple[Any, ...] = (
    *("", " ", "0", "1", "1.5", "1,5", "nan", "NaN", "inf", "None", "none", "null", "true", "yes"),
    *(
        "control",
        "drug",
        "no",
        "é",
        "日本",
        "😀",
        "\u202eright to left",
        "a\nb",
        "a\tb",
        "a\0b",
        "'",
    ),
    *('"', '""', '"a', "\\", "*", "^.*$", "^$", "%s", "{0}", "{", "[bold]", "=1+1", "../../etc"),
    *("x" * 5000, "1" * 400, "1e999", "2024-05-31", "31.05.24", "0001-01-01", "9" * 5000, "--help"),
    *("$(id)", "a,b", "a;b", ",", "\ufeff", "\ud800", np.str_("a"), "col(0)", "effect", "evidence"),
)
THINGS: tuple[Any, ...] = (
    *(None, pd.NA, pd.NaT, np.datetime64("NaT"), np.datetime64("2024-05-31"), NOW, NOW.date()),
    *(NOW.replace(tzinfo=datetime.UTC), datetime.timedelta(days=1), NOW.time(), b"", b"bytes"),
    *([], [0], [1, 2], [[1, 2], [3]], (), (0, 1), {}, {0: 1}, {"a": 1}, set(), range(3), object()),
    *(Nameless(), Nameless, len, Ellipsis, NotImplemented, nested(50), np.array([]), iter([0, 1])),
    *(np.zeros((2, 2)), np.zeros(0), np.array(["a"]), np.array([None]), pd.Series([0, 1])),
    *(pl.Series([0, 1]), pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), pl.col("a")),
    *(np.ma.masked_array([0, 1], [True, False]), memoryview(b"ab"), Exception("e"), np.random),
)


def value(rng: Random) -> Any:
    """Return a value of any kind, odd or not."""
    return rng.choice(rng.choice((NUMBERS, NUMBERS, WORDS, THINGS)))


def number(rng: Random) -> Any:
    """Return a number, odd or not."""
    plain = (rng.randint(-5, 5), rng.random(), rng.gauss(0, 1), 10.0 ** rng.randint(-310, 308))
    return rng.choice((*plain, rng.choice(NUMBERS)))


def text(rng: Random) -> str:
    """Return a text, odd or not."""
    made = "".join(chr(rng.choice((32, 48, 65, 97, 233, 0x4E00))) for _ in range(rng.randint(1, 5)))
    return str(rng.choice((rng.choice(WORDS), made, str(rng.choice(NUMBERS)))))


def names(rng: Random, count: int, odd: float = 0.3) -> list[str]:
    """Return names of columns, some of them odd; no two are the same."""
    found: list[str] = []
    while len(found) < count:
        name = text(rng) if rng.random() < odd else f"column {len(found)}"
        found += [name] if name not in found and "\ud800" not in name else []
    return found


Column = list[Any]
Numbers = np.random.Generator


def measured(rng: Random, numbers: Numbers, n: int) -> Column:
    """Return plain numbers."""
    return numbers.normal(size=n).tolist()


def in_odd_units(rng: Random, numbers: Numbers, n: int) -> Column:
    unit, origin = 10.0 ** rng.randint(-320, 307), rng.choice((0.0, 1.0, 1e9))
    return ((numbers.normal(size=n) + origin) * unit).tolist()


def rare(rng: Random, numbers: Numbers, n: int) -> Column:
    """Return numbers of which one is far off, infinite or none."""
    values = measured(rng, numbers, n)
    values[rng.randrange(n)] = number(rng)
    return values


def with_gaps(rng: Random, numbers: Numbers, n: int) -> Column:
    gone = rng.choice((None, float("nan"), pd.NA, "", "NA", -999, pd.NaT))
    share = rng.choice((0.1, 0.5, 0.95, 1.0))
    return [gone if rng.random() < share else one for one in measured(rng, numbers, n)]


def whole(rng: Random, numbers: Numbers, n: int) -> Column:
    low, high = rng.choice(((0, 2), (0, 5), (-3, 100), (2**62, 2**63 - 1)))
    return numbers.integers(low, high, n).tolist()


def huge(rng: Random, numbers: Numbers, n: int) -> Column:
    """Return whole numbers of which some fit into no integer type."""
    big = rng.choice((2**63, 2**64, 10**30, 10**400))
    return [int(one) + (big if rng.random() < 0.3 else 0) for one in numbers.integers(0, 9, n)]


def flags(rng: Random, numbers: Numbers, n: int) -> Column:
    pair = rng.choice(((True, False), (0, 1), ("yes", "no"), ("Y", "N"), (0.0, 1.0), (1, 1)))
    return [pair[k] for k in numbers.integers(0, 2, n)]


def categories(rng: Random, numbers: Numbers, n: int) -> Column:
    words = [text(rng) for _ in range(rng.choice((1, 2, 3, 30, n)))]
    return [words[k] for k in numbers.integers(0, len(words), n)]


def dates(rng: Random, numbers: Numbers, n: int) -> Column:
    days = [NOW + datetime.timedelta(days=int(k)) for k in numbers.integers(-9000, 9000, n)]
    form = rng.choice(
        ("as they are", "%Y-%m-%d", "%d.%m.%y", "%d/%m/%Y", "%Y-%m-%dT%H:%M:%S", "odd")
    )
    if form == "odd":
        words = [str(day.date()) for day in days]
        words[rng.randrange(n)] = rng.choice(
            ("unknown", "", "0001-01-01", "2024-13-45", "9999-12-31")
        )
        return words
    return days if form == "as they are" else [day.strftime(form) for day in days]


def spelled(rng: Random, numbers: Numbers, n: int) -> Column:
    """Return numbers as people write them."""
    form = rng.choice(("{:.3f}", "{:,.2f}", "{:.2e}", " {:.1f} ", "{:.0f}%", "${:.2f}"))
    texts = [form.format(1000 * one) for one in numbers.normal(size=n)]
    return [one.replace(".", ",") for one in texts] if rng.random() < 0.3 else texts


def mixed(rng: Random, numbers: Numbers, n: int) -> Column:
    """Return values of any kind, mixed."""
    some = [value(rng) for _ in range(rng.randint(1, 4))]
    plain = measured(rng, numbers, n)
    return [rng.choice(some) if rng.random() < 0.2 else one for one in plain]


def same(rng: Random, numbers: Numbers, n: int) -> Column:
    return [value(rng)] * n


Make = Callable[[Random, Numbers, int], Column]
PLAIN: tuple[Make, ...] = (measured, whole, flags, categories, with_gaps, dates)
ODD: tuple[Make, ...] = (in_odd_units, rare, huge, spelled, mixed, same)


def column(rng: Random, numbers: Numbers, n: int, odd: float = 0.3) -> Column:
    """Return a column of any kind, with this chance an odd one."""
    return rng.choice(ODD if rng.random() < odd else PLAIN)(rng, numbers, n)
