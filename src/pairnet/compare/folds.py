"""Which rows train and which rows score: folds that hold each arm, or range of doses, in its share.

`compare` splits by them, and so do the searches of scikit-learn, with `StratifiedByTreatment` or
`GroupedByTreatment`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.model_selection import BaseCrossValidator, StratifiedGroupKFold, StratifiedKFold

from pairnet.core.errors import BadInput, InPython, count_of
from pairnet.core.treatments import Treatment, treatment_of, treatments
from pairnet.core.types import is_whole
from pairnet.core.words import shown
from pairnet.model import door
from pairnet.tables.single import single_column

ROUGH = 3  # a single fold scores one of so many equal parts


class Fold(NamedTuple):
    """Positions of rows: those to train on, and those to score."""

    train: np.ndarray
    score: np.ndarray


class StratifiedByTreatment(BaseCrossValidator):
    """Folds for scikit-learn in which each arm has its share of the rows.

    `GridSearchCV(PairNet(), grid, cv=StratifiedByTreatment(5)).fit(X, y, treatment=t)`, once
    `sklearn.set_config(enable_metadata_routing=True)` is said. Of doses, each third has its share.
    Searches whose folds lack an arm end with an error that names this class.

    folds: how many; every row is scored once. seed: decides which rows. kind: what the treatment
    is, "arms", "dose" or "auto". Rows with the same value in `groups` stay together, if the search
    passes such a column on.
    """

    # What searches pass on to `split`, once metadata routing is switched on.
    __metadata_request__split: ClassVar[dict[str, bool]] = {"treatment": True, "groups": True}

    def __init__(self, folds: int = 5, *, seed: int = 0, kind: str = "auto"):
        self.folds, self.seed, self.kind = folds, seed, kind

    def get_n_splits(
        self, X: Any = None, y: Any = None, groups: Any = None, *, treatment: Any = None
    ) -> int:
        """Return the number of folds."""
        return int(self.folds)

    def split(
        self, X: Any, y: Any = None, groups: Any = None, *, treatment: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield positions of rows to train on and of rows to score."""
        rows = len(X)
        _check_count(self.folds, 2, rows)
        door.has_treatment(treatment, "split")
        column = door.treatment_column(treatment, rows)
        kinds = tuple(treatments.values())
        taken = treatment_of(column, self.kind, kinds, type(self).__name__)
        t = taken.encode(column, "treatment")
        names, strata = taken.groups(t)
        counts = np.bincount(strata, minlength=len(names)).tolist()
        if (fewest := min(counts)) < self.folds:
            whose = f"{names[counts.index(fewest)]} has {count_of(fewest)}, one for each fold"
            raise BadInput("folds", f"must be at most {fewest}, since {whose}")
        together = None if groups is None else _groups(groups, rows)
        for fold in _folds(strata, int(self.folds), self.seed, together):
            _check_complete(t, fold, taken)
            yield fold.train, fold.score


class GroupedByTreatment(StratifiedByTreatment):
    """`StratifiedByTreatment` for rows that belong together, as those of one person: it asks for
    `groups`, so that nobody forgets them.

    `GridSearchCV(PairNet(), grid, cv=GroupedByTreatment(5)).fit(X, y, treatment=t, groups=person)`.
    Each arm has its share of every fold, as far as whole groups allow.
    """

    def split(
        self, X: Any, y: Any = None, groups: Any = None, *, treatment: Any = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield positions of rows to train on and of rows to score; groups stay together."""
        if groups is None:
            raise BadInput(
                "groups",
                "are missing: GroupedByTreatment must know which rows belong together",
                "Pass groups= to the search, with sklearn.set_config(enable_metadata_routing=True)"
                ", or use StratifiedByTreatment.",
            )
        yield from super().split(X, y, groups, treatment=treatment)


def _groups(groups: Any, rows: int) -> np.ndarray:
    return single_column(groups, "groups", rows, wanted="labels or numbers", advice="")


def folds_of(column: np.ndarray, treatment: Treatment, count: int, seed: int) -> list[Fold]:
    """Return folds in which every row is scored once; a single fold scores a random third."""
    _check_count(count, 1, len(column))
    strata = treatment.groups(treatment.encode(column, "treatment"))[1]
    folds = _folds(strata, ROUGH if count == 1 else int(count), seed)
    return folds[:1] if count == 1 else folds


def _folds(
    strata: np.ndarray, count: int, seed: int, together: np.ndarray | None = None
) -> list[Fold]:
    """Return folds that hold each stratum in its share; rows of one group stay together."""
    splitter = StratifiedKFold if together is None else StratifiedGroupKFold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # fit says clearly where an arm is too small
        split = splitter(count, shuffle=True, random_state=int(seed) % 2**32)
        return [Fold(*parts) for parts in split.split(strata, strata, together)]


def _check_count(count: Any, least: int, rows: int) -> None:
    most = rows // 2
    if not (is_whole(count) and least <= count <= most):
        problem = (
            f"must be a whole number from {least} to half of the rows ({most}), got {shown(count)}"
        )
        raise BadInput("folds", problem)


def _check_complete(t: np.ndarray, fold: Fold, treatment: Treatment) -> None:
    """Raise if groups that stay together leave a fold without some arm."""
    if treatment.whole_range:
        return
    for part in fold:
        if len(np.unique(t[part])) < treatment.strata:
            raise BadInput(
                "groups",
                "cannot stay together: a fold would have no rows of some arm",
                InPython("Ask for fewer folds, or use smaller groups."),
            )
