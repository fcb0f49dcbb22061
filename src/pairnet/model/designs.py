"""What people know of how a table came about: which rows belong together, and arms' chances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import At, BadInput, count_of, listed
from pairnet.core.treatments import Treatment
from pairnet.core.treatments.arms import Arms
from pairnet.core.types import is_number
from pairnet.core.words import shown, word
from pairnet.tables.single import as_array, single_column

FEWEST = 5  # clusters; fewer say nothing of how sure an effect is
ROUNDING = 1e-6  # by which the chances of all arms may differ from 1
LEAST = 1e-9  # of a chance; that of the other arm must be told from 1


def group_names(groups: Any, rows: int) -> np.ndarray | None:
    """Return which group each row is in, as it was passed; None: no groups."""
    if groups is None:
        return None
    advice = "Did you pass the groups of another split?"
    return single_column(groups, "groups", rows, wanted="labels or numbers", advice=advice)


def clusters_of(
    names: np.ndarray | None, t: np.ndarray, treatment: Treatment
) -> Int[np.ndarray, " n"] | None:
    """Return the clusters as whole numbers; None if every row stands for itself."""
    if names is None:
        return None
    clusters = np.unique(names, return_inverse=True)[1]
    count = int(clusters.max()) + 1
    if count == len(clusters):
        return None
    if count < FEWEST:
        raise BadInput(
            "groups",
            f"must hold at least {FEWEST} different groups, got {count}: fewer do not tell how "
            "sure an effect is",
            "Leave them out if rows stand for themselves.",
        )
    if not treatment.whole_range:
        for arm in range(treatment.strata):
            if len(np.unique(clusters[t == arm])) < 2:
                label = treatment.label_of(np.asarray(float(arm))).item()
                raise BadInput(
                    "groups",
                    f"must hold each arm in two groups at least, but all rows of {label!r} are in "
                    "one: what the arm does cannot be told from what the group does",
                )
    first = np.unique(clusters, return_index=True)[1]  # numbers that do not depend on labels
    number = np.empty(count, int)
    number[np.argsort(first)] = np.arange(count)
    return number[clusters]


def design_of(propensity: Any, rows: int, treatment: Treatment) -> Float[np.ndarray, "n k"] | None:
    """Return the known chances of all arms, in the order of the model; None: not known.

    propensity: a number, the chance of the treated arm of two; a dictionary by arm; one number a
    row; a column an arm in an array or a frame.
    """
    if propensity is None:
        return None
    if not isinstance(treatment, Arms):
        raise BadInput("propensity", "is for arms: the treatment of this model is a dose")
    chances = _by_arm(propensity, rows, treatment)
    if chances.shape not in ((rows, len(treatment)), (1, len(treatment))):
        raise _odd_shape(chances, rows, treatment)
    total = chances.sum(axis=1)
    if np.abs(total - 1).max() > ROUNDING:
        off = float(total[np.abs(total - 1).argmax()])
        raise BadInput("propensity", f"must add up to 1 over the arms, got {off:g}")
    return np.broadcast_to(chances / total[:, None], (rows, len(treatment)))


def _by_arm(propensity: Any, rows: int, treatment: Arms) -> np.ndarray:
    """Return chances as they were passed, a column an arm in the order of the model."""
    if is_number(propensity):
        return _both(np.array([float(propensity)]), treatment)
    names = propensity if isinstance(propensity, Mapping) else getattr(propensity, "columns", ())
    if isinstance(propensity, Mapping) or len(names) > 1:
        by_arm = [propensity[name] for name in _of_names(list(names), treatment)]
        if all(map(is_number, by_arm)):
            return _inside(np.array([list(map(float, by_arm))]))
        return np.stack([_inside(_numbers(column, rows)) for column in by_arm], axis=1)
    array = as_array(propensity)
    if array.ndim == 2 and array.shape[1] > 1:
        if array.shape != (rows, len(treatment)) or array.dtype.kind not in "biuf":
            raise _odd_shape(array, rows, treatment)
        own = [treatment.in_order.index(label) for label in treatment.labels]
        return _inside(array.astype(float)[:, own])
    return _both(_numbers(propensity, rows), treatment)


def _numbers(values: Any, rows: int) -> np.ndarray:
    advice = "Did you pass the propensities of another split?"
    array = single_column(values, "propensity", rows, wanted="numbers", advice=advice)
    if array.dtype.kind not in "biuf":
        raise BadInput("propensity", "must hold numbers, got text")
    return array.astype(float)


def _inside(chances: np.ndarray) -> np.ndarray:
    """Return chances as they are; raise if one is not between 0 and 1, or all but one of them."""
    bad = ~((chances >= LEAST) & (chances <= 1 - LEAST))
    if bad.any():
        rows = np.unique(np.nonzero(bad)[0]).tolist()
        where = (" in ", At(tuple(rows[:3]), len(rows) > 3)) if len(chances) > 1 else ()
        got = float(chances[bad][0])
        away = f", at least {LEAST:g} from either" * (0 < got < 1)
        problem = f"must lie between 0 and 1{away}, got {got:g}"
        raise BadInput("propensity", (problem, *where))
    return chances


def _both(chance: np.ndarray, treatment: Arms) -> np.ndarray:
    """Return the chances of two arms, given those of the treated one."""
    _inside(chance)
    if len(treatment) != 2 or not treatment.is_ordered:
        arms = listed([repr(word(label)) for label in treatment.in_order[:5]])
        why = "none of the arms says that it is the untreated one" * (len(treatment) == 2)
        raise BadInput(
            "propensity",
            f"must name its arm: {why or f'there are {len(treatment)} arms'} ({arms})",
            "Pass a dictionary by arm, or a column for each arm.",
        )
    return np.stack(
        [chance if label == treatment.others[0] else 1 - chance for label in treatment.labels],
        axis=1,
    )


def _of_names(names: Sequence[Any], treatment: Arms) -> list[Any]:
    """Return the names of columns or keys in the order of the model's arms."""
    found = {}
    for name in names:
        here = [label for label in treatment.labels if name in (label, word(label), str(label))]
        if not here:
            arms = listed([repr(word(label)) for label in treatment.in_order[:10]])
            raise BadInput("propensity", f"names no arm: expected {arms}, got {shown(name)}")
        found[here[0]] = name
    if absent := [label for label in treatment.in_order if label not in found]:
        raise BadInput("propensity", f"must name every arm: {word(absent[0])!r} is missing")
    return [found[label] for label in treatment.labels]


def _odd_shape(array: np.ndarray, rows: int, treatment: Arms) -> BadInput:
    return BadInput(
        "propensity",
        f"must have one chance a row, or one a row and arm: expected {count_of(rows)} and "
        f"{len(treatment)} arms, got shape {array.shape}",
    )
