"""Words that programs and people write where there is no value.

Some mean it in every column; others, as a dash, only beside numbers or dates: among words they may
be a level.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

EVERYWHERE = {
    *("NA", "N/A", "n/a", "#N/A", "<NA>", "null", "NULL", "NaN", "nan", "\\N", "#NULL!"),
    *("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NV", "#WERT!", "#BEZUG!"),
}
BESIDE_NUMBERS = EVERYWHERE | {"-", "--", "\u2014", ".", "..", "?", "na", "n.a.", "k.A."}


def missing(texts: pl.Series, also: Collection[str], beside_numbers: bool) -> pl.Series:
    """Tell which texts stand for a missing value; `also`: words that the user names."""
    known = BESIDE_NUMBERS if beside_numbers else EVERYWHERE
    return texts.is_in([*known, *also])
