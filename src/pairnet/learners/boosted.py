"""Methods of boosted trees: how trees are grown, kept and read.

LightGBM grows them; what it found is then kept and asked as plain arrays (`Trees`).
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.special import expit, logit

from pairnet.core.outcomes import Bernoulli
from pairnet.core.treatments import Treatment
from pairnet.core.types import Rows, is_number, is_whole
from pairnet.inference.growing import OPTIONS, Ranks, lightgbm
from pairnet.learners.by_member import ByMember
from pairnet.learners.folds import FOLDS, fold_of_rows
from pairnet.learners.trees import MOST_LEAVES, Trees
from pairnet.model.learner import expect
from pairnet.model.predictor import AbstractPredictor, Stored

LEAST_CHANCE = 1e-3  # of yes and of no, where all rows are the same


@dataclass(frozen=True, eq=False)
class AbstractForest(AbstractPredictor):
    """Trees by name, and a way to read outcomes off them.

    yes_no: the trees of outcomes predict log odds of yes.
    """

    trees: dict[str, Trees]
    treatment: Treatment
    yes_no: bool

    @classmethod
    @abc.abstractmethod
    def names(cls, treatment: Treatment) -> tuple[str, ...]:
        """Return the names of the trees."""

    @classmethod
    def more_columns(cls, treatment: Treatment) -> int:
        """Return how many columns the trees see beside the covariates."""
        return 0

    def expected(self, name: str, x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, " n"]:
        """Return the outcomes that the trees of a name expect."""
        return mean_of(self.trees[name], x, self.yes_no)

    def levelled(self, rows: Rows) -> AbstractForest:
        """Return a forest whose outcomes of the rows that it learned from are right on average.

        Those of trees that were grown on outcomes are.
        """
        return self

    def stored(self):
        return Stored(
            {},
            {
                f"{name}.{part}": array
                for name, trees in self.trees.items()
                for part, array in trees.arrays().items()
            },
        )


class Grown(NamedTuple):
    """Trees, and what others that were grown without a row expect of it: one number a row."""

    trees: Trees
    unseen: Float[np.ndarray, " n"]


@dataclass(kw_only=True, eq=False, repr=False)
class Boosted(ByMember):
    """Methods whose models are boosted trees; LightGBM grows them, and is not needed afterwards.

    leaves: of a tree, at most. least: rows in a leaf, at least. learning_rate: the share of what a
    tree finds that is added. longest: trees, at most; how many there are is chosen by five-fold
    cross-validation, which ends when `patience` more trees are no better.
    """

    leaves: int = 4
    least: int = 20
    learning_rate: float = 0.1
    longest: int = 1000
    patience: int = 30

    forest: ClassVar[type[AbstractForest]]  # how the trees are read

    @abc.abstractmethod
    def trees(self, rows: Rows, treatment: Treatment, yes_no: bool, seed: int) -> dict[str, Trees]:
        """Grow the trees, by name."""

    def check(self):
        super().check()
        good = is_whole(self.leaves) and 2 <= self.leaves <= MOST_LEAVES
        expect(good, self, "leaves", f"a whole number from 2 to {MOST_LEAVES}")
        for name in ("least", "longest", "patience"):
            good = is_whole(getattr(self, name)) and getattr(self, name) >= 1
            expect(good, self, name, "a whole number, at least 1")
        good = is_number(self.learning_rate) and 0 < self.learning_rate <= 1
        expect(good, self, "learning_rate", "above 0, and at most 1")

    def learn_member(self, rows, treatment, outcome, seed):
        values = (rows.x, rows.t, rows.y, rows.weight)
        plain = Rows(*(np.ascontiguousarray(value, np.float64) for value in values))
        yes_no = isinstance(outcome, Bernoulli)
        trees = self.trees(plain, treatment, yes_no, seed)
        return self.forest(trees, treatment, yes_no).levelled(plain)

    def restore_member(self, stored, treatment, outcome, width):
        columns = width + self.forest.more_columns(treatment)
        trees = {}
        for name in self.forest.names(treatment):
            start = f"{name}."
            own = {
                key.removeprefix(start): array
                for key, array in stored.arrays.items()
                if key.startswith(start)
            }
            trees[name] = Trees.of_arrays(own, columns)
        return self.forest(trees, treatment, isinstance(outcome, Bernoulli))

    def grow(self, rows: Rows, strata: int, seed: int, *, yes_no: bool = False) -> Grown:
        """Grow trees that predict the outcomes of rows; folds hold each stratum in its share."""
        y, weight = np.asarray(rows.y), np.asarray(rows.weight)
        level = float(np.average(y, weights=weight))
        if np.ptp(y) == 0 or len(y) < 2 * self.least:
            chance = min(max(level, LEAST_CHANCE), 1 - LEAST_CHANCE)
            trees = Trees.constant(float(logit(chance)) if yes_no else level)
            return Grown(trees, np.full(len(y), level))
        fold = fold_of_rows(np.asarray(rows.t), strata, seed)
        if yes_no:
            return self._boosted(rows, fold, "binary")
        unit = float(np.sqrt(np.average((y - level) ** 2, weights=weight)))
        grown = self._boosted(Rows(rows.x, rows.t, (y - level) / unit, weight), fold, "regression")
        return Grown(grown.trees.in_units(level, unit), level + unit * grown.unseen)

    def _boosted(self, rows: Rows, fold: np.ndarray, objective: str) -> Grown:
        """Grow as many trees as are best for rows of other folds."""
        library, options = lightgbm(), self._options(objective)
        ranks = Ranks.of(np.asarray(rows.x))
        x = ranks.rank
        table = library.Dataset(x, rows.y, weight=rows.weight, params=options)
        folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(FOLDS)]
        stop = library.early_stopping(int(self.patience), verbose=False)
        tried = library.cv(
            options,
            table,
            int(self.longest),
            folds=folds,
            callbacks=[stop],
            return_cvbooster=True,
        )["cvbooster"]
        count, unseen = tried.best_iteration, np.zeros(len(x))
        for booster, (_, own) in zip(tried.boosters, folds, strict=True):
            unseen[own] = booster.predict(x[own], num_iteration=count)
        booster = library.train(options, table, count)
        return Grown(in_values(ranks, Trees.of_dump(booster.dump_model())), unseen)

    def _options(self, objective: str) -> dict[str, Any]:
        return OPTIONS | {
            "objective": objective,
            "num_leaves": int(self.leaves),
            "min_data_in_leaf": int(self.least),
            "learning_rate": float(self.learning_rate),
        }


def in_values(ranks: Ranks, trees: Trees) -> Trees:
    """Return trees that ask for values instead of ranks, half-way between two of them."""
    threshold = np.zeros(len(trees.threshold))
    for column, values in enumerate(ranks.values):
        own = trees.column == column
        place = np.floor(trees.threshold[own]).astype(int)
        below, above = values[place - 1], values[place]
        middle = below + (above - below) / 2
        threshold[own] = np.where(middle < above, middle, below)
    return replace(trees, threshold=threshold)


def mean_of(trees: Trees, x: Float[np.ndarray, "n d"], yes_no: bool) -> Float[np.ndarray, " n"]:
    """Return what trees expect: numbers or, for yes / no, chances."""
    return expit(trees(x)) if yes_no else trees(x)


def for_own_arm(
    x: Float[np.ndarray, "n d"], t: Any, answers: Sequence[Callable[[np.ndarray], Any]]
) -> Float[np.ndarray, " n"]:
    """Return each row's answer under its arm, which is one for all rows or one a row."""
    arm, result = np.broadcast_to(t, len(x)).astype(int), np.zeros(len(x))
    for number in np.unique(arm):
        own = arm == number
        result[own] = answers[number](x if own.all() else x[own])
    return result
