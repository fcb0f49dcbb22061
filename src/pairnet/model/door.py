"""The door: what people pass to `fit` and `effect` becomes arrays, or an error that says what to
do."""

from __future__ import annotations

from typing import Any

import numpy as np

from pairnet.core.notices import notice
from pairnet.core.treatments import Arms, Dose, Treatment
from pairnet.tables import Schema
from pairnet.tables.hints import hint
from pairnet.tables.opening import is_lazy
from pairnet.tables.values import fault, is_missing

MOST_ARMS = 10  # numbers with more different values are a dose, where a method can take both


def names_of(**columns: Any) -> dict[str, str]:
    """Return what columns are called in their frame, by what they are here; those without a name
    are left out."""
    names = {role: getattr(column, "name", None) for role, column in columns.items()}
    return {role: name for role, name in names.items() if isinstance(name, str) and name}


def announce_left_out(schema: Schema) -> None:
    """Say which columns of a data frame are not used, and why."""
    if schema.left_out:
        said = "; ".join(f"{column.name!r} {column.about()}" for column in schema.left_out[:5])
        more = f"; and {len(schema.left_out) - 5} more" if len(schema.left_out) > 5 else ""
        notice(
            f"Left out of the covariates: {said}{more}. model.schema_.summary() shows all columns."
        )


def aligned(X: Any, **columns: Any) -> None:
    """Raise where columns hold X's rows in another order, as their index says: rows are matched by
    their place."""
    index = _index(X)
    for name, values in columns.items():
        other = _index(values)
        if index is None or other is None or len(index) != len(other) or index.equals(other):
            continue
        if index.is_unique and other.is_unique and index.isin(other).all():
            raise ValueError(
                f"{name} has the rows of X in another order, as its index says. Pass "
                f"{name}.loc[X.index], or "
                f"{name}.to_numpy() if its values already stand in the order of X."
            )
        notice(
            f"{name} and X have different indexes: rows are matched by their place, the first "
            "with the first. Pass "
            f"{name}.to_numpy() if that is meant."
        )


def _index(values: Any) -> Any:
    """Return the index of a frame or series of pandas, or None: others have none, or a method of
    that name."""
    index = getattr(values, "index", None)
    return index if hasattr(index, "is_unique") and hasattr(index, "isin") else None


def column(values: Any, name: str, rows: int, hint: str) -> np.ndarray:
    """Return a column with one value a row, of whatever type it has."""
    if values is None:
        raise ValueError(f"{name} is missing: expected one value per row ({rows}), got None.")
    if is_lazy(values):
        raise TypeError(f"{name} is a lazy frame, which holds no rows yet. Call .collect() first.")
    array = np.array(values, dtype=object if isinstance(values, list | tuple) else None)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.shape != (rows,):
        raise ValueError(
            f"{name} must hold one value per row: expected shape ({rows},), got {array.shape}. "
            f"{hint}"
        )
    if array.dtype == object:
        if any(map(is_missing, array.tolist())):
            raise ValueError(f"{name} has missing values. Drop those rows first.")
        types = {type(value) for value in array.tolist()}
        if len(types) > 1 and not types <= {int, float, bool}:
            raise ValueError(
                f"{name} mixes types ({', '.join(sorted(kind.__name__ for kind in types))}): "
                "make all its values text, or all numbers."
            )
        array = np.asarray(array.tolist())
    if array.dtype.kind in "fc":
        _finite(name, array)
    return array


def outcomes(y: Any, rows: int) -> tuple[np.ndarray, tuple[str, str] | None]:
    """Return y as float64, one number a row, and its two labels where it has some: the second
    counts as 1."""
    array = _outcome_column(y, rows)
    if array.dtype.kind in "bifu":
        return array.astype(np.float64), None
    found = np.unique(array).tolist()
    if array.dtype.kind != "U" or len(found) != 2:
        came = _kind(array)
        if array.dtype.kind == "U":
            few = ", ".join(map(repr, found[:3])) + ", ..." * (len(found) > 3)
            came = f"text with {len(found)} different value{'s' * (len(found) > 1)} ({few})"
        advice = (
            f"It {said}." if (said := hint(list(map(str, found)))) else "Is it the right column?"
        )
        raise ValueError(f"y must be numbers, booleans or two labels, got {came}. {advice}")
    return (array == found[1]).astype(np.float64), (found[0], found[1])


def outcomes_as_in_fit(y: Any, rows: int, labels: tuple[str, str] | None) -> np.ndarray:
    """Return y as float64, one number a row, with the labels that it had in fit."""
    array = _outcome_column(y, rows)
    if labels is None and array.dtype.kind in "bifu":
        return array.astype(np.float64)
    wanted = "numbers (or booleans)" if labels is None else f"{labels[0]!r} or {labels[1]!r}"
    if labels is None or array.dtype.kind != "U":
        raise ValueError(f"y must be {wanted}, as in fit, got {_kind(array)}.")
    if strange := sorted(set(np.unique(array).tolist()) - set(labels)):
        raise ValueError(f"y must be {wanted}, as in fit, got {', '.join(map(repr, strange[:5]))}.")
    return (array == labels[1]).astype(np.float64)


def _outcome_column(y: Any, rows: int) -> np.ndarray:
    return column(y, "y", rows, "Did you pass the outcomes of another split?")


def announce_labels(labels: tuple[str, str] | None) -> None:
    """Say which of two labels counts as a yes."""
    if labels is not None:
        notice(
            f"y holds two labels: {labels[0]!r} counts as 0 and {labels[1]!r} as 1 (in the order "
            "of the alphabet)."
        )


def varying(y: np.ndarray) -> None:
    """Check that outcomes differ."""
    if np.ptp(y) == 0:
        raise ValueError(
            f"y is constant ({y[0]:g} in all {len(y)} rows): expected outcomes that differ, or "
            "there is no effect to "
            "learn. Is it the right column?"
        )


def has_treatment(treatment: Any, where: str) -> None:
    """Raise where nobody says how rows were treated, as scikit-learn does unless it is told to pass
    that on."""
    if treatment is None:
        raise ValueError(
            f"treatment is missing: {where} must know how each row was treated, as in {where}(X, "
            "y, treatment=t). In a "
            "pipeline, a search or a cross-validation, switch on "
            "sklearn.set_config(enable_metadata_routing=True) and "
            "pass treatment=t to it."
        )


def treatment_column(treatment: Any, rows: int) -> np.ndarray:
    """Return the treatments, one a row, of whatever type they are."""
    return column(treatment, "treatment", rows, "Did you pass the treatments of another split?")


def treatments(
    array: np.ndarray, kind: str, takes: tuple[type, ...], method: str
) -> tuple[np.ndarray, Treatment]:
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
            f"{method} compares arms; it cannot learn from doses. Use VCNet(), DRNet() or "
            "PairNet(base=VCNet())."
        )
    raise ValueError(
        f"{method} learns from doses; it cannot compare arms. Use PairNet() or TARNet()."
    )


def _dose(array: np.ndarray) -> Dose:
    if array.dtype.kind not in "ifu":
        raise ValueError(
            f"treatment must be numbers to be a dose, got {_kind(array)}. Labels are arms: use "
            "PairNet()."
        )
    if array.min() == array.max():
        raise ValueError(
            f"treatment must take at least two values, got only the dose {array[0]:g} in all "
            f"{len(array)} rows: "
            "an effect compares rows that were treated differently."
        )
    return Dose.of(array)


def _arms(array: np.ndarray) -> Arms:
    rows = len(array)
    found = Arms.of(array)
    if len(found) < 2:
        raise ValueError(
            f"treatment must take at least two values, got only {found.labels[0]!r} in all {rows} "
            "rows: "
            "an effect compares rows that were treated differently."
        )
    most = 50
    if len(found) > most and len(found) > rows / 20:
        raise ValueError(
            f"treatment takes {len(found)} different values in {rows} rows, which looks like a "
            "dose or an identifier: "
            f"expected up to {most} arms, or many rows in each. For a dose use VCNet() or "
            "PairNet(base=VCNet())."
        )
    return found


def weights(sample_weight: Any, rows: int) -> np.ndarray:
    """Return one weight a row, with mean 1; 0 leaves a row out."""
    if sample_weight is None:
        return np.ones(rows)
    array = column(sample_weight, "sample_weight", rows, "Leave it out to weigh all rows alike.")
    if (
        array.dtype.kind not in "bifu"
        or (array.astype(float) < 0).any()
        or not (array.astype(float) > 0).any()
    ):
        raise ValueError(
            "sample_weight must be numbers, none negative and not all zero: a weight of 0 leaves "
            "a row out."
        )
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
                f"There are {len(t)} rows: expected at least {needed}, so that {validation:.0%} "
                "of them can be held "
                "out to decide when to stop and the rest trained on. Collect more rows."
            )
        return
    for position, label in enumerate(treatment.labels):
        count = int((t == position).sum())
        if count < needed:
            raise ValueError(
                f"Arm {label!r} has {count} rows: expected at least {needed}, so that "
                f"{validation:.0%} of them can be "
                "held out to decide when to stop and the rest trained on. Collect more rows or "
                "merge small arms."
            )


def canonical_order(x: np.ndarray, y: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return an order of the rows that does not depend on how they came, so that shuffling a table
    changes nothing."""
    return np.lexsort((t, y, *x.T[::-1]))


def _finite(name: str, array: np.ndarray) -> None:
    gone = np.isnan(array)
    if gone.any():
        first = int(np.argmax(gone))
        raise ValueError(
            f"{name} has missing values (NaN): {gone.sum()} in all, the first at row {first}. "
            "Drop them."
        )
    if found := fault(array):
        raise ValueError(
            f"{name} {found}. Drop those rows or, if they are right, use a larger unit."
        )


def _kind(array: np.ndarray) -> str:
    return {"U": "text", "M": "dates", "m": "time spans", "c": "complex numbers"}.get(
        array.dtype.kind, str(array.dtype)
    )
