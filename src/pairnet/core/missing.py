"""Missing values: which values are missing, and how masks become missing values."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_missing(value: Any) -> bool:
    """Tell None, NaN, NaT, a masked value, and pandas' NA, which is neither true nor false."""
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


def as_floats(values: Any) -> np.ndarray:
    """Return numbers as an array of floats; masked ones are NaN."""
    return np.asarray(unmasked(values), np.float64)


def _filled(values: np.ma.MaskedArray) -> np.ndarray:
    if values.dtype.names or not np.ma.is_masked(values):  # nobody takes records
        return np.ma.getdata(values)
    plain, kind = np.ma.getdata(values), values.dtype.kind
    if kind in "iu":
        plain = plain.astype(np.float64)
    elif kind not in "fmM":
        plain = plain.astype(object)
    missing = "NaT" if kind in "mM" else np.nan if kind in "iuf" else None
    return np.where(np.ma.getmaskarray(values), np.asarray(missing, plain.dtype), plain)


def _has_masks(values: Any) -> bool:
    if isinstance(values, list | tuple):
        return any(map(_has_masks, values))
    return isinstance(values, np.ma.MaskedArray)
