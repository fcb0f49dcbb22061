"""Missing values: which values are missing, and how masks become missing values."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_missing(value: Any) -> bool:
    """Tell None, NaN, NaT, a masked value and pandas' NA: no comparison with it is true or false."""
    if value is None or value is np.ma.masked:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return not isinstance(value, np.ndarray | list | tuple)
    except ArithmeticError:  # a signalling NaN of decimal numbers
        return True


def unmasked(values: Any) -> Any:
    """Return masked arrays, also those in lists, with missing values in place of masked ones.

    Numpy drops masks where it makes a plain array, and uses the values below them. A missing value
    is NaN among numbers, NaT among dates, else None. All other values come back as they are.
    """
    if values is np.ma.masked:
        return None
    if isinstance(values, np.ma.MaskedArray):
        return _filled(values)
    if isinstance(values, list | tuple) and _has_masks(values):
        return [unmasked(value) for value in values]
    return values


def _filled(values: np.ma.MaskedArray) -> np.ndarray:
    if not np.ma.is_masked(values):
        return np.ma.getdata(values)
    kind = values.dtype.kind
    if kind in "iuf":
        return (values if kind == "f" else values.astype(np.float64)).filled(np.nan)
    if kind in "mM":
        return values.filled(np.array("NaT", values.dtype))
    plain = np.ma.getdata(values).astype(object)
    plain[np.ma.getmaskarray(values).astype(bool)] = None
    return plain


def _has_masks(values: Any) -> bool:
    if isinstance(values, list | tuple):
        return any(map(_has_masks, values))
    return isinstance(values, np.ma.MaskedArray)
