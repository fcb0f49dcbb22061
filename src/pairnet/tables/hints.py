"""Text that spells numbers, or looks like some with commas, or like dates whose day and month could
be swapped.

Nothing is made of it; people are told what it looks like, and how to write it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection

from pairnet.tables.values import spelled

MOST = 0.9  # of the different words that must look alike
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")
COMMAS = re.compile(r"[-+]?(\d+,\d+|\d{1,3}([. ]\d{3})+,\d+|\d{1,3}(,\d{3})+(\.\d+)?)")
DAYS = re.compile(r"\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})([ T]\d{1,2}:\d{2}(:\d{2})?)?")


COMMAS_SAID = "looks like numbers with commas"


def hint(words: Collection[str]) -> str:
    """Say what the words of an outcome look like and what to do, or nothing."""
    texts = [word.strip() for word in words]
    if texts and not any(math.isnan(spelled(text)) for text in texts):
        return f"holds numbers as text ({texts[0]!r}): make them numbers with y.astype(float)"
    return looks(texts)


def looks(words: Collection[str]) -> str:
    """Say what the words of a covariate look like and what to do, or nothing; numbers were declared
    to be names."""
    texts = [word.strip() for word in words]
    commas = [text for text in texts if has_commas(text)]
    if commas and len(commas) + sum(map(bool, map(NUMBER.fullmatch, texts))) >= MOST * len(texts):
        return f"{COMMAS_SAID} ({commas[0]!r}): write them with a decimal point, as 1234.5"
    dates = [text for text in texts if is_local_date(text)]
    if dates and len(dates) >= MOST * len(texts):
        return f"looks like dates ({dates[0]!r}): write them as 2024-12-31"
    return ""


def has_commas(text: str) -> bool:
    """Tell numbers like 12,5 and 1.234,5 and 1,234.5."""
    return COMMAS.fullmatch(text.strip()) is not None


def is_local_date(text: str) -> bool:
    """Tell dates like 12/31/2024 and 31.12.2024."""
    return DAYS.fullmatch(text.strip()) is not None
