"""What a text spells: a number, a number with commas, or a date in a country's order.

All code that asks "is this text a number?" asks here.
"""

from __future__ import annotations

import math
import re

from pairnet.core.words import spelled

COMMAS = re.compile(r"[-+]?(\d+,\d+|\d{1,3}([. ]\d{3})+,\d+|\d{1,3}(,\d{3})+(\.\d+)?)")
LOCAL_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})([ T]\d{1,2}:\d{2}(:\d{2})?)?")


def spells_number(text: str) -> bool:
    """Tell whether a text spells a number with a decimal point, or without decimals."""
    return not math.isnan(spelled(text))


def has_commas(text: str) -> bool:
    """Tell whether a text is a number like 12,5 or 1.234,5 or 1,234.5."""
    return COMMAS.fullmatch(text.strip()) is not None


def is_local_date(text: str) -> bool:
    """Tell whether a text is a date like 12/31/2024 or 31.12.2024."""
    return LOCAL_DATE.fullmatch(text.strip()) is not None
