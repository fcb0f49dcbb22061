"""The door: what people pass to `fit` and `effect` becomes arrays, or an error that says what to do."""

from __future__ import annotations

from typing import Any

import numpy as np

from pairnet.treatments import Arms, Dose, Treatment

MOST_ARMS = 10  # numbers with more different values are a dose, where a method can take both


def covariates(X: Any, names: np.ndarray | None = None, width: int | None = None) -> np.ndarray:
    """Return X as a float64 array [n d]; `names` and `width` are those of the fit, where there was one."""
    if hasattr(X, "toarray"):
        raise TypeError("X is a sparse matrix: expected a dense array or data frame. Call X.toarray() first.")
    columns = feature_names(X)
    if names is not None and columns is not None and list(columns) != list(names):
        missing, extra = [c for c in names if c not in columns], [c for c in columns if c not in names]
        said = [f"missing {missing[:5]}"] * bool(missing) + [f"not seen in fit {extra[:5]}"] * bool(extra)
        raise ValueError(
            f"X must have the columns of the fit, in the same order: {'; '.join(said) or 'the order differs'}. "
            "Select them with X[model.feature_names_in_]."
        )
    array = _numbers(X)
    if array.ndim != 2:
        raise ValueError(
            f"X must be a table of rows and covariates: expected 2 dimensions, got shape {array.shape}. "
            "For one covariate use X.reshape(-1, 1), for one row X.reshape(1, -1)."
        )
    if array.shape[1] == 0:
        raise ValueError("X must hold at least one covariate, got 0 columns.")
    if width is not None and array.shape[1] != width:
        raise ValueError(f"X must have the {width} columns of the fit, got {array.shape[1]}. Pass the same covariates.")
    if len(array) == 0:
        raise ValueError(f"X must hold at least one row, got shape {array.shape}.")
    _finite("X", array, columns)
    return array


def feature_names(X: Any) -> np.ndarray | None:
    """Return the column names of a data frame whose names are all strings, else None."""
    names = getattr(X, "columns", None)
    if names is None or not all(isinstance(name, str) for name in names):
        return None
    return np.asarray(list(names), dtype=object)


def column(values: Any, name: str, rows: int, hint: str) -> np.ndarray:
    """Return a column with one value a row, of whatever type it has."""
    if values is None:
        raise ValueError(f"{name} is missing: expected one value per row ({rows}), got None.")
    array = np.array(values, dtype=object if isinstance(values, list | tuple) else None)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (rows,):
        raise ValueError(f"{name} must hold one value per row: expected shape ({rows},), got {array.shape}. {hint}")
    if array.dtype == object:
        if any(map(_missing, array.tolist())):
            raise ValueError(f"{name} has missing values. Drop those rows first.")
        types = {type(value) for value in array.tolist()}
        if len(types) > 1 and not types <= {int, float, bool}:
            raise ValueError(
                f"{name} mixes types ({', '.join(sorted(kind.__name__ for kind in types))}): "
                "make all its values text, or all numbers."
            )
        array = np.asarray(array.tolist())
    if array.dtype.kind in "fc":
        _finite(name, array, None)
    return array


def outcomes(y: Any, rows: int) -> np.ndarray:
    """Return y as float64, one number a row."""
    array = column(y, "y", rows, "Did you pass the outcomes of another split?")
    if array.dtype.kind not in "bifu":
        raise ValueError(f"y must be numbers (or booleans), got {_kind(array)}. Encode a yes / no outcome as 1 / 0.")
    return array.astype(np.float64)


def varying(y: np.ndarray) -> None:
    """Check that outcomes differ."""
    if np.ptp(y) == 0:
        raise ValueError(
            f"y is constant ({y[0]:g} in all {len(y)} rows): expected outcomes that differ, or there is no effect to "
            "learn. Is it the right column?"
        )


def treatment_column(treatment: Any, rows: int) -> np.ndarray:
    """Return the treatments, one a row, of whatever type they are."""
    return column(treatment, "treatment", rows, "Did you pass the treatments of another split?")


def treatments(array: np.ndarray, kind: str, takes: tuple[type, ...], method: str) -> tuple[np.ndarray, Treatment]:
    """Return the treatment column as networks see it, and what it is: arms or a dose.

    `kind` is what the user says it is ("auto": nothing), `takes` what the method can take.
    """
    if kind == "auto":
        many = array.dtype.kind in "ifu" and len(np.unique(array)) > MOST_ARMS
        wanted = takes[0] if len(takes) == 1 else Dose if many else Arms
    else:
        wanted = {"arms": Arms, "dose": Dose}[kind]
    found = _dose(array) if wanted is Dose else _arms(array)
    can_take(found, takes, method)
    return found.encode(array, "treatment"), found


def can_take(treatment: Treatment, takes: tuple[type, ...], method: str) -> None:
    """Raise if a method cannot learn from such a treatment."""
    if isinstance(treatment, takes):
        return
    if isinstance(treatment, Dose):
        raise ValueError(
            f"{method} compares arms; it cannot learn from doses. Use VCNet(), DRNet() or PairNet(base=VCNet())."
        )
    raise ValueError(f"{method} learns from doses; it cannot compare arms. Use PairNet() or TARNet().")


def _dose(array: np.ndarray) -> Dose:
    if array.dtype.kind not in "ifu":
        raise ValueError(f"treatment must be numbers to be a dose, got {_kind(array)}. Labels are arms: use PairNet().")
    low, high = float(array.min()), float(array.max())
    if low == high:
        raise ValueError(
            f"treatment must take at least two values, got only the dose {low:g} in all {len(array)} rows: "
            "an effect compares rows that were treated differently."
        )
    return Dose(low, high)


def _arms(array: np.ndarray) -> Arms:
    rows = len(array)
    found = Arms.of(array)
    if len(found) < 2:
        raise ValueError(
            f"treatment must take at least two values, got only {found.labels[0]!r} in all {rows} rows: "
            "an effect compares rows that were treated differently."
        )
    most = 50
    if len(found) > most and len(found) > rows / 20:
        raise ValueError(
            f"treatment takes {len(found)} different values in {rows} rows, which looks like a dose or an identifier: "
            f"expected up to {most} arms, or many rows in each. For a dose use VCNet() or PairNet(base=VCNet())."
        )
    return found


def weights(sample_weight: Any, rows: int) -> np.ndarray:
    """Return one weight a row, with mean 1; 0 leaves a row out."""
    if sample_weight is None:
        return np.ones(rows)
    array = column(sample_weight, "sample_weight", rows, "Leave it out to weigh all rows alike.")
    if array.dtype.kind not in "bifu" or (array.astype(float) < 0).any() or not (array.astype(float) > 0).any():
        raise ValueError("sample_weight must be numbers, none negative and some above 0.")
    array = array.astype(np.float64)
    return array / array[array > 0].mean()


def fewest_rows(validation: float) -> int:
    """Return how many rows an arm needs, to be both trained on and held out."""
    return int(np.ceil(2 / min(validation, 1 - validation)))


def enough_rows(t: np.ndarray, treatment: Treatment, validation: float) -> None:
    """Check that every arm can be both trained on and held out."""
    needed = fewest_rows(validation)
    if isinstance(treatment, Dose):
        if len(t) < needed:
            raise ValueError(
                f"There are {len(t)} rows: expected at least {needed}, so that {validation:.0%} of them can be held "
                "out to decide when to stop and the rest trained on. Collect more rows."
            )
        return
    for position, label in enumerate(treatment.labels):
        count = int((t == position).sum())
        if count < needed:
            raise ValueError(
                f"Arm {label!r} has {count} rows: expected at least {needed}, so that {validation:.0%} of them can be "
                "held out to decide when to stop and the rest trained on. Collect more rows or merge small arms."
            )


def canonical_order(x: np.ndarray, y: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return an order of the rows that does not depend on how they came, so that shuffling a table changes nothing."""
    return np.lexsort((t, y, *x.T[::-1]))


def _numbers(X: Any) -> np.ndarray:
    """Return X as float64, or name the columns that are not numbers."""
    try:
        array = np.asarray(X)
        if array.dtype.kind in "bifu":
            return array.astype(np.float64)
        if array.dtype == object:
            missing = np.vectorize(_missing, otypes=[bool])(array)
            return np.where(missing, np.nan, array).astype(np.float64)
    except (TypeError, ValueError):
        pass
    bad = [str(name) for name, kind in getattr(X, "dtypes", {}).items() if getattr(kind, "kind", "O") not in "bifu"]
    where = f" in column{'s' * (len(bad) > 1)} {', '.join(map(repr, bad[:5]))}" if bad else ""
    raise ValueError(
        f"X must hold numbers only, got other values{where}. Encode categories (for example with pandas.get_dummies) "
        "and drop identifiers; text and dates are not handled here yet."
    )


def _finite(name: str, array: np.ndarray, columns: np.ndarray | None) -> None:
    bad = ~np.isfinite(array)
    if not bad.any():
        return
    where = np.argwhere(bad)[0]
    place = f"row {where[0]}"
    if array.ndim == 2:
        place += f", column {int(where[1]) if columns is None else columns[where[1]]!r}"
    kind = "missing values (NaN)" if np.isnan(array).any() else "infinite values"
    advice = (
        "Fill or drop them first; missing covariates are not handled here yet." if name == "X" else "Drop those rows."
    )
    raise ValueError(f"{name} has {kind}: {int(bad.sum())} in all, the first at {place}. {advice}")


def _missing(value: Any) -> bool:
    """Tell None, NaN and pandas' NA, of which no comparison is true or false."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _kind(array: np.ndarray) -> str:
    return {"U": "text", "M": "dates", "m": "time spans", "c": "complex numbers"}.get(
        array.dtype.kind, str(array.dtype)
    )
