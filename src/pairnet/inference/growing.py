"""Boosted trees fold by fold: what is expected of rows by trees that have not seen them.

Trees are grown on all columns, again on those columns that they gained most from, and again on the
best of these: where few columns matter, trees that see no others are much nearer to the truth.
LightGBM grows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from threadpoolctl import threadpool_limits

from pairnet.core.errors import NotInstalled

MOST, PATIENCE = 150, 10  # trees, and how many more are tried when they are no better
FEW = (8, 4)  # columns that the next trees see
OPTIONS: dict[str, Any] = {
    "use_missing": False,  # covariates are encoded: none is missing
    "feature_pre_filter": False,  # folds have fewer rows
    "num_threads": 1,  # the same numbers whatever the machine; members are tasks
    "deterministic": True,
    "force_row_wise": True,
    "verbosity": -1,
}
LIGHT: dict[str, Any] = {"num_leaves": 4, "min_data_in_leaf": 20, "learning_rate": 0.1}


class Rows(NamedTuple):
    """Rows to learn from: flags of arms and ranks of covariates, what is to be predicted, weights.

    flags: how many of the columns are flags; all trees see these.
    """

    x: Float[np.ndarray, "n d"]
    y: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]
    fold: Int[np.ndarray, " n"]
    flags: int = 0


class Answers(NamedTuple):
    """What trees on all columns and on a few expect, and which covariates are the few.

    few: for each of FEW the covariates by fold, since the rows of a fold have no say in what is
    expected of them.
    """

    expected: np.ndarray
    few: list[list[Int[np.ndarray, " c"]]]


class Ranks(NamedTuple):
    """Columns as ranks, so that trees depend on the order of values alone, not on units.

    LightGBM would treat values around 0 apart. Equal values have the same rank, from 1 on.
    """

    rank: Float[np.ndarray, "n d"]
    values: list[Float[np.ndarray, " u"]]  # of each column, in their order

    @classmethod
    def of(cls, x: Float[np.ndarray, "n d"]) -> Ranks:
        """Rank the values of every column."""
        both = [np.unique(column, return_inverse=True) for column in x.T]
        rank = np.stack([place + 1.0 for _, place in both], axis=1)
        return cls(rank, [values for values, _ in both])


def lightgbm() -> Any:
    """Import LightGBM, or say how to install it."""
    try:
        import lightgbm
    except (ImportError, OSError) as error:  # OSError: a library that it needs is not there
        install = "lightgbm (it needs libgomp or, on a Mac, libomp)"
        raise NotInstalled("Boosted trees need", "LightGBM", install) from error
    return lightgbm


def numbers_by_trees(rows: Rows, asked: Sequence[Float[np.ndarray, "n d"]]) -> Answers:
    """Return the numbers that are expected: `expected[i, a, n]` by trees on ever fewer columns.

    asked: the rows as they are asked about, several times (under each arm, say).
    """
    level = float(np.average(rows.y, weights=rows.weight))
    unit = float(np.sqrt(np.average((rows.y - level) ** 2, weights=rows.weight)))
    own = rows._replace(y=(rows.y - level) / (unit or 1.0))
    answers = _on_ever_fewer(own, asked, {"objective": "regression"})
    return answers._replace(expected=level + unit * answers.expected)


def chances_by_trees(rows: Rows, arms: int) -> Answers:
    """Return the chances of the arms, y, that are expected: `expected[i, n, k]`."""
    if arms == 2:
        answers = _on_ever_fewer(rows, [rows.x], {"objective": "binary"})
        yes = answers.expected[:, 0]
        return answers._replace(expected=np.stack([1 - yes, yes], axis=2))
    answers = _on_ever_fewer(rows, [rows.x], {"objective": "multiclass", "num_class": arms})
    return answers._replace(expected=answers.expected[:, 0])


def _on_ever_fewer(rows: Rows, asked: Sequence[np.ndarray], aim: dict[str, Any]) -> Answers:
    """Grow trees on all columns, and again on the best of them."""
    flags, covariates = np.arange(rows.flags), np.arange(rows.flags, rows.x.shape[1])
    own = [covariates] * (int(rows.fold.max()) + 1)
    expected, few = [], []
    lightgbm()  # before its threads are limited
    with threadpool_limits(1):  # its own option does not hold where rows are left out
        for count in (*FEW, 0):
            trees = _Grown.of(rows, [np.append(flags, some) for some in own], aim)
            expected.append(trees(asked))
            gains = [gain[rows.flags :] for gain in trees.gains()]
            best = [np.sort(np.argsort(-gain, kind="stable")[:count]) for gain in gains]
            own = [some[place] for some, place in zip(own, best, strict=True)]
            few.append([some - rows.flags for some in own])
    return Answers(np.stack(expected), few[:-1])


class _Grown(NamedTuple):
    """Trees of every fold, grown without its rows: as many as are best for rows not seen."""

    boosters: list[Any]
    columns: list[np.ndarray]
    best: int
    fold: np.ndarray

    @classmethod
    def of(cls, rows: Rows, columns: list[np.ndarray], aim: dict[str, Any]) -> _Grown:
        boosters: list[Any] = []
        losses: list[float] = []
        for number, own in enumerate(columns):
            boosters.append(_begun(rows, rows.fold == number, own, OPTIONS | LIGHT | aim))
        shares = [rows.weight[rows.fold == number].sum() for number in range(len(columns))]
        while len(losses) < MOST and len(losses) - int(np.argmin(losses or [0])) <= PATIENCE:
            for booster in boosters:
                booster.update()
            loss = [booster.eval_valid()[0][2] for booster in boosters]
            losses.append(float(np.dot(loss, shares)))
        return cls(boosters, columns, int(np.argmin(losses)) + 1, rows.fold)

    def gains(self) -> list[Float[np.ndarray, " d"]]:
        """Return by fold how much each column has gained."""
        kinds = {"importance_type": "gain", "iteration": self.best}
        return [booster.feature_importance(**kinds) for booster in self.boosters]

    def __call__(self, asked: Sequence[np.ndarray]) -> np.ndarray:
        """Return what trees that have not seen a row say about it, for each table."""
        answers: list[Any] = [None] * len(asked)
        for number, (booster, own) in enumerate(zip(self.boosters, self.columns, strict=True)):
            unseen = np.flatnonzero(self.fold == number)
            for place, x in enumerate(asked):
                said = booster.predict(x[unseen][:, own], num_iteration=self.best)
                if answers[place] is None:
                    answers[place] = np.zeros((len(self.fold), *said.shape[1:]))
                answers[place][unseen] = said
        return np.stack(answers)


def _begun(rows: Rows, left: np.ndarray, own: np.ndarray, options: dict[str, Any]) -> Any:
    """Return trees that will learn from the rows not left out, and be tried on the others."""
    library = lightgbm()
    part = lambda some: (rows.x[some][:, own], rows.y[some], rows.weight[some])
    counted = rows.weight > 0
    x, y, weight = part(~left & counted)
    data = library.Dataset(x, y, weight=weight)
    booster = library.Booster(options, data)
    x, y, weight = part(left & counted)
    booster.add_valid(data.create_valid(x, y, weight=weight), "left out")
    return booster
