"""Advice on text that spells numbers, or looks like numbers with commas or local dates.

Such text is not converted; people are told what it looks like, and how to write it.
"""

from __future__ import annotations

from collections.abc import Collection

from pairnet.core.errors import PYTHON, InPython, Part
from pairnet.tables.spelling import has_commas, is_local_date, spells_number

ALIKE = 0.9  # the share of the different words that must look alike
COMMAS_SAID = "looks like numbers with commas"
WITH_A_POINT = "write them with a decimal point, as 1234.5"


def hint_of_outcome(words: Collection[str]) -> tuple[Part, ...]:
    """Return what the words of an outcome look like and what to do, or nothing."""
    texts = [word.strip() for word in words]
    if texts and all(map(spells_number, texts)):
        as_numbers = InPython(" with y.astype(float)")
        return f"holds numbers as text ({texts[0]!r}): make them numbers", as_numbers
    return hint_of_covariate(texts)


def hint_of_covariate(words: Collection[str]) -> tuple[Part, ...]:
    """Return what the words of a covariate look like and what to do, or nothing.

    Words that spell numbers were declared to be names.
    """
    texts = [word.strip() for word in words]
    commas = [text for text in texts if has_commas(text)]
    if commas and len(commas) + sum(map(spells_number, texts)) >= ALIKE * len(texts):
        elsewhere = f"say --decimal ',' if the file has decimal commas, else {WITH_A_POINT}"
        return f"{COMMAS_SAID} ({commas[0]!r}): ", InPython(WITH_A_POINT, elsewhere)
    dates = [text for text in texts if is_local_date(text)]
    if dates and len(dates) >= ALIKE * len(texts):
        return (f"looks like dates ({dates[0]!r}): write them as 2024-12-31",)
    return ()


def looks(words: Collection[str]) -> str:
    """Return what `hint_of_covariate` says in the words of Python."""
    return PYTHON.text(hint_of_covariate(words))
