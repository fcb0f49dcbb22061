"""The door: it turns what people pass to `fit` and `effect` into arrays, or raises with advice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import Argument, BadInput, InPython
from pairnet.core.notices import notice
from pairnet.core.treatments import Treatment, treatment_of
from pairnet.core.types import Rows
from pairnet.core.words import kind_of_values, shown
from pairnet.model.designs import clusters_of, design_of, group_names
from pairnet.model.named import named_apart
from pairnet.tables import Schema, opened
from pairnet.tables.hints import hint_of_outcome
from pairnet.tables.single import single_column
from pairnet.tables.values import too_alike

LEFT_OUT = "Left out of the covariates"  # the beginning of the notice on unused columns
FOR_IMPORTANCE = (
    " permutation_importance passes none on: say scoring=lambda model, X, y: "
    "model.score(X, y, treatment=t)."
)
OUTCOMES = "numbers, booleans or two labels"  # what y may hold


@dataclass(frozen=True, eq=False)
class FitTable:
    """The table of a fit as arrays, in an order that does not depend on how the rows came.

    rows: one replication, in the user's units. place: which row of the table each of them was.
    labels: the two labels of the outcome, if it has labels. names: what the treatment and the
    outcome are called. clusters: which rows belong together, as numbers. design: the chances of the
    arms, where they are known. read: how many rows the table had.
    """

    rows: Rows
    place: Int[np.ndarray, " n"]
    schema: Schema
    treatment: Treatment
    labels: tuple[str, str] | None
    names: dict[str, str]
    clusters: Int[np.ndarray, " n"] | None = None
    design: Float[np.ndarray, "n k"] | None = None
    read: int = 0


def enter(
    X: Any,
    y: Any,
    treatment: Any,
    sample_weight: Any,
    *,
    groups: Any = None,
    propensity: Any = None,
    kind: str,
    takes: tuple[type[Treatment], ...],
    method: str,
) -> FitTable:
    """Check the arguments of a fit, and return them as arrays.

    groups, propensity: which rows belong together, and the chances of the arms, if they are known.
    kind, takes, method: what the user says that the treatment is, what the method can take, and the
    method's name for errors.
    """
    has_treatment(treatment, "fit")
    known = {"groups": groups, "propensity": propensity}
    X, passed = named_apart(X, y=y, treatment=treatment, sample_weight=sample_weight, **known)
    table = opened(X)
    aligned(X, **passed)
    rows = table.rows
    outcome, labels = outcomes(passed["y"], rows)
    received = treatment_column(passed["treatment"], rows)
    weight = weights(passed["sample_weight"], rows)
    together = group_names(passed["groups"], rows)
    names = names_of(treatment=passed["treatment"], outcome=passed["y"])
    names |= names_as_passed(treatment=treatment, outcome=y)
    present = weight > 0
    if not present.all():
        table = table.take(present)
        outcome, received, weight = outcome[present], received[present], weight[present]
    schema = Schema.of(table)
    x = schema.encode(table)
    taken = treatment_of(received, kind, takes, method)
    places = lambda: places_by_content(x, outcome)
    taken = taken.arranged(taken.encode(received, "treatment"), places)
    t = taken.encode(received, "treatment")
    order = canonical_order(x, outcome, t)
    place, design = np.flatnonzero(present)[order], design_of(passed["propensity"], rows, taken)
    return FitTable(
        Rows(x[order], t[order], outcome[order], weight[order]),
        place,
        schema,
        taken,
        labels,
        names,
        clusters_of(None if together is None else together[place], t[order], taken),
        None if design is None else design[place],
    )


def names_of(**columns: Any) -> dict[str, str]:
    """Return the names that columns have in their frame, by their role here; some have none."""
    names = {role: getattr(column, "name", None) for role, column in columns.items()}
    return {role: name for role, name in names.items() if isinstance(name, str) and name}


def names_as_passed(**columns: Any) -> dict[str, str]:
    """Return the names by which columns of X were passed, by their role."""
    return {role: name for role, name in columns.items() if isinstance(name, str) and name}


def announce(fit_table: FitTable) -> None:
    """Tell the user which columns are not used and why, and which of two labels counts as 1."""
    left_out, labels = fit_table.schema.left_out, fit_table.labels
    if left_out:
        first = "; ".join(f"{column.name!r} {column.about()}" for column in left_out[:5])
        more = f"; and {len(left_out) - 5} more" if len(left_out) > 5 else ""
        hint = InPython(" model.schema_.summary() shows all columns.")
        notice(f"{LEFT_OUT}: {first}{more}.", hint)
    if labels is not None:
        notice(
            Argument("y"),
            f" holds two labels: {labels[0]!r} counts as 0 and {labels[1]!r} as 1 (in the order of "
            "the alphabet).",
        )


def aligned(X: Any, **columns: Any) -> None:
    """Raise if a column has the rows of X in another order, as its index shows.

    Rows are matched by their position, so that another order would be a silent mistake.
    """
    index = _index(X)
    for name, values in columns.items():
        other = _index(values)
        if index is None or other is None or len(index) != len(other) or index.equals(other):
            continue
        if _are_permuted(index, other):
            raise BadInput(
                name,
                "has the rows of X in another order, as its index says",
                f"Pass {name}.loc[X.index], or {name}.to_numpy() if its values already stand in "
                "the order of X.",
            )
        notice(
            f"{name} and X have different indexes: rows are matched by their place, the first with "
            f"the first. Pass {name}.to_numpy() if that is meant."
        )


def _are_permuted(index: Any, other: Any) -> bool:
    """Tell whether two indexes name the same rows, each once, in whatever order."""
    if index.nlevels != other.nlevels or not (index.is_unique and other.is_unique):
        return False
    return bool(index.isin(other).all())


def _index(values: Any) -> Any:
    """Return the index of a pandas frame or series, or None.

    Other objects have no index, or a method of that name.
    """
    index = getattr(values, "index", None)
    return index if hasattr(index, "is_unique") and hasattr(index, "nlevels") else None


def outcomes(y: Any, rows: int) -> tuple[np.ndarray, tuple[str, str] | None]:
    """Return y as float64, one number a row, and its two labels if it has labels.

    The second label counts as 1.
    """
    array = _outcome_column(y, rows)
    if array.dtype.kind in "bifu":
        return array.astype(np.float64), None
    values = np.unique(array).tolist()
    if len(values) != 2:
        few = ", ".join(map(shown, values[:3])) + ", ..." * (len(values) > 3)
        came = f"text with {len(values)} different value{'s' * (len(values) > 1)} ({few})"
        looks = hint_of_outcome(values)
        advice = ("It ", *looks, ".") if looks else "Is it the right column?"
        raise BadInput("y", f"must be {OUTCOMES}, got {came}", advice)
    return (array == values[1]).astype(np.float64), (values[0], values[1])


def outcomes_as_in_fit(y: Any, rows: int, labels: tuple[str, str] | None) -> np.ndarray:
    """Return y as float64, one number a row; labels mean what they meant in fit."""
    array = _outcome_column(y, rows)
    if labels is None and array.dtype.kind in "bifu":
        return array.astype(np.float64)
    wanted = "numbers (or booleans)" if labels is None else f"{labels[0]!r} or {labels[1]!r}"
    if labels is None or array.dtype.kind != "U":
        raise BadInput("y", f"must be {wanted}, as in fit, got {kind_of_values(array)}")
    if strange := sorted(set(np.unique(array).tolist()) - set(labels)):
        few = ", ".join(map(repr, strange[:5]))
        raise BadInput("y", f"must be {wanted}, as in fit, got {few}")
    return (array == labels[1]).astype(np.float64)


def _outcome_column(y: Any, rows: int) -> np.ndarray:
    advice = "Did you pass the outcomes of another split?"
    return single_column(y, "y", rows, wanted=OUTCOMES, advice=advice)


def check_varies(y: np.ndarray) -> None:
    """Raise if all outcomes are the same, or as good as that."""
    if np.ptp(y) == 0:
        raise BadInput(
            "y",
            f"is constant ({y[0]:g} in all {len(y)} rows): expected outcomes that differ, or there "
            "is no effect to learn",
            "Is it the right column?",
        )
    if why := too_alike(y):
        raise BadInput("y", why, "Use a smaller unit, or subtract what they have in common.")


def has_treatment(treatment: Any, where: str) -> None:
    """Raise if there is no treatment: scikit-learn passes none on unless it is told to."""
    if treatment is None:
        raise BadInput(
            "treatment",
            f"is missing: {where} must know how each row was treated, as in {where}(X, y, "
            "treatment=t)",
            "In a pipeline, a search or a cross-validation, switch on "
            "sklearn.set_config(enable_metadata_routing=True) and pass treatment=t to it."
            + (FOR_IMPORTANCE if where == "score" else ""),
        )


def treatment_column(treatment: Any, rows: int) -> np.ndarray:
    """Return the treatments, one a row: numbers, booleans or text, which a model can store."""
    advice = "Did you pass the treatments of another split?"
    wanted = "numbers, booleans or text"
    return single_column(treatment, "treatment", rows, wanted=wanted, advice=advice)


def weights(sample_weight: Any, rows: int) -> np.ndarray:
    """Return one weight a row, with mean 1; 0 leaves a row out."""
    if sample_weight is None:
        return np.ones(rows)
    advice = "Leave it out to weigh all rows alike."
    array = single_column(sample_weight, "sample_weight", rows, wanted="numbers", advice=advice)
    numbers = array.astype(float) if array.dtype.kind in "bifu" else np.zeros(1)
    if (numbers < 0).any() or not (numbers > 0).any():
        raise BadInput(
            "sample_weight",
            "must be numbers, none negative and not all zero: a weight of 0 leaves a row out",
        )
    return np.asarray(numbers / numbers[numbers > 0].mean())


def canonical_order(x: np.ndarray, y: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return an order of the rows that does not depend on the order in which they came."""
    return np.lexsort((t, y, *x.T[::-1]))


def places_by_content(x: np.ndarray, y: np.ndarray) -> Int[np.ndarray, " n"]:
    """Return the place of each row in an order by content; rows that are alike share a place."""
    table = np.column_stack([x, y])
    order = np.lexsort(table.T[::-1])
    differs = (table[order[1:]] != table[order[:-1]]).any(axis=1)
    place = np.empty(len(y), int)
    place[order] = np.append(0, np.cumsum(differs))
    return place
