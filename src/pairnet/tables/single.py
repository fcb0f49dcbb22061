"""A single column beside a table, one value a row: outcomes, treatments, weights.

Whatever library it comes from, it becomes an array of numbers, flags or text, which a model can
store; all else is refused before anything is trained.
"""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from pairnet.core.errors import At, BadInput, BadType, InPython
from pairnet.core.missing import is_missing, unmasked
from pairnet.core.words import as_float, is_unicode, kind_of_values
from pairnet.tables.opening import is_lazy
from pairnet.tables.values import kind_of, uncomputable

DROP = "Drop those rows first."
TYPES: tuple[tuple[tuple[type, ...], str], ...] = (
    ((datetime.date, np.datetime64), "dates"),
    ((datetime.timedelta, np.timedelta64), "time spans"),
    ((bytes, bytearray, np.void), "bytes"),
    ((numbers.Complex,), "complex numbers"),
)


def single_column(values: Any, name: str, rows: int, *, wanted: str, advice: str) -> np.ndarray:
    """Return a column as an array of numbers, flags or text without a missing value.

    name: the argument, for errors. wanted: what the column may hold. advice: what to do if it has
    another number of rows.
    """
    if values is None:
        raise BadInput(name, f"is missing: expected one value per row ({rows}), got None")
    if is_lazy(values):
        raise BadType(name, "is a lazy frame, which holds no rows yet", "Call .collect() first.")
    array = as_array(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (rows,):
        problem = f"must hold one value per row: expected shape ({rows},), got {array.shape}"
        raise BadInput(name, problem, advice)
    if array.dtype == object:
        array = _of_one_kind(array.tolist(), name, wanted)
    if array.dtype.kind not in "biufU":
        raise _refused(name, wanted, kind_of_values(array))
    if array.dtype.kind == "U":
        _check_unicode(array, name)
    if array.dtype.kind == "f":
        array = array.astype(np.float64) if array.dtype.itemsize > 8 else array
        _check_finite(name, array)
    return array


def as_array(values: Any) -> np.ndarray:
    """Return a list, an array or a series of any library as an array; masked values are missing.

    Values for which numpy has no type of its own stay objects, one a row.
    """
    import narwhals as nw

    values = unmasked(values)
    if isinstance(values, list | tuple):
        try:
            return np.array(values, dtype=object)
        except ValueError:  # arrays of several shapes
            return np.fromiter(values, dtype=object, count=len(values))
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and not _is_plain(series.dtype):
        listed = series.to_list()
        return np.fromiter(listed, dtype=object, count=len(listed))
    return np.array(values)


def _is_plain(kind: Any) -> bool:
    """Tell whether numpy keeps all values of a column of a data frame as they are."""
    import narwhals as nw

    numbers = kind.is_numeric() and kind not in (nw.Int128, nw.UInt128, nw.Decimal)
    return numbers or kind in (nw.Boolean, nw.Date, nw.Datetime, nw.Duration)


def _of_one_kind(values: list, name: str, wanted: str) -> np.ndarray:
    """Return Python's own objects as an array, if all are numbers or flags, or all are text."""
    gone = [row for row, value in enumerate(values) if is_missing(value)]
    if gone:
        count = f"has missing values: {len(gone)} in all, the first at "
        raise BadInput(name, (count, At((gone[0],))), DROP)
    examples = {type(value): value for value in values}
    kinds = {kind_of(example) for example in examples.values()}
    if kinds <= {"flag", "number"}:
        return _numbers(values, name)
    if len(kinds) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in examples))
        raise BadInput(name, f"mixes types ({names}): make all its values text, or all numbers")
    if kinds == {"text"}:
        return _texts(values, name)
    raise _refused(name, wanted, _what_it_is(next(iter(examples.values()))))


def _numbers(values: Sequence[Any], name: str) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype == object:  # fractions, decimals, integers beyond 64 bits
        array = np.asarray([as_float(value) for value in values])
    mixed_up = len(set(array.tolist())) < len(set(values))
    if mixed_up and name != "y" and not uncomputable(array):
        problem = "has different numbers so close together that a computer mixes them up"
        how = InPython("", ": --categories does that")
        raise BadInput(name, problem, ("If they are names, make them text", how, "."))
    return array


def _texts(values: Sequence[str], name: str) -> np.ndarray:
    texts = np.asarray([str(text) for text in values])
    cut = [row for row, text in enumerate(values) if text.endswith("\0")]
    if cut:
        problem = ("has text that ends with a NUL character, in ", At((cut[0],)))
        raise BadInput(name, problem, "Take it away: no array can hold it.")
    return texts


def _check_unicode(array: np.ndarray, name: str) -> None:
    """Raise for text that no file can hold."""
    for text in np.unique(array).tolist():
        if not is_unicode(text):
            problem = f"has text that cannot be written to a file: {text!r}"
            raise BadInput(name, problem, "It holds half a character (a surrogate): replace it.")


def _what_it_is(value: Any) -> str:
    known = (words for kinds, words in TYPES if isinstance(value, kinds))
    return next(known, f"values of the type {type(value).__name__}")


def _refused(name: str, wanted: str, came: str) -> BadInput:
    how = InPython(", as str() does", ": --categories does that" if came == "dates" else "")
    advice = ("Make them numbers or, if they are names, text", how, ".")
    return BadInput(name, f"must be {wanted}, got {came}", advice)


def _check_finite(name: str, array: np.ndarray) -> None:
    gone = np.isnan(array)
    if gone.any():
        first = At((int(np.argmax(gone)),))
        count = f"has missing values (NaN): {gone.sum()} in all, the first at "
        raise BadInput(name, (count, first), "Drop them.")
    if problem := uncomputable(array):
        raise BadInput(name, problem, "Drop those rows or, if they are right, use a larger unit.")
