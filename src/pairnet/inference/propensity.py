"""Who is treated how: a light, cross-fitted model of P(arm | covariates).

It serves diagnostics and corrections. It is a logistic regression on the covariates, or also on
bent covariates, whichever predicts the arms of unseen rows better. It is light because it is fitted
whenever a model is asked for its overlap or its doubly robust average.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # scikit-learn brings it

from pairnet.inference.features import bent, standardised
from pairnet.inference.splits import fold_of, splits_of

LEAST_CHANCE = 0.02  # so that no row weighs more than 50 times another
RARER = 10.0  # in averages, chances of a rare arm may be so many times smaller than its share


class PropensityModel:
    """P(arm | x) of the rows that it was made from, and of others.

    The chances of its own rows come from models that have not seen the row, nor its cluster; those
    of other rows come from one model of all rows.
    """

    def __init__(
        self,
        x: Float[np.ndarray, "n d"],
        t: Float[np.ndarray, " n"],
        weight: Float[np.ndarray, " n"],
        clusters: Int[np.ndarray, " n"] | None = None,
    ):
        self.arms = int(t.max()) + 1
        self._clusters = clusters
        self._rows = x, t, weight
        tried = {is_bent: self._cross_fitted(is_bent, 0) for is_bent in (False, True)}
        log_loss = {
            is_bent: -np.average(np.log(_own(bounded(chance), t)), weights=weight)
            for is_bent, chance in tried.items()
        }
        self.bent = bool(log_loss[True] < log_loss[False])
        self._predicted = tried[self.bent]
        self.shares: Float[np.ndarray, " k"] = np.bincount(
            t.astype(int), weight, self.arms
        ) / np.sum(weight)
        self.tells = bool(
            log_loss[self.bent] < -np.average(np.log(self.shares[t.astype(int)]), weights=weight)
        )
        self._model = _fit(self._features(x, self.bent), t, weight)

    @cached_property
    def chances(self) -> Float[np.ndarray, "n k"]:
        """The chances of the rows that it was made from, none too small to divide by."""
        return bounded(self._predicted)

    @cached_property
    def predicted_splits(self) -> Float[np.ndarray, "s n k"]:
        """The chances of its own rows by several splits, however small."""
        others = range(1, splits_of(len(self._predicted)))
        return np.stack([self._predicted, *(self._cross_fitted(self.bent, k) for k in others)])

    @cached_property
    def splits(self) -> Float[np.ndarray, "s n k"]:
        """The chances by several splits, none too small to divide by; the first are `chances`."""
        return bounded(self.predicted_splits)

    def predicted(self, x: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m k"]:
        """Return P(arm | x) of other rows, however small; an arm that was not seen has none."""
        return _predicted(self._model, self._features(x, self.bent), self.arms)

    def of(self, x: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m k"]:
        """Return P(arm | x) of other rows, none too small to divide by."""
        return bounded(self.predicted(x))

    def relative(self, x: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m k"]:
        """Return P(arm | x) / P(arm) of other rows.

        It is 1 everywhere if covariates do not help to predict the arms of unseen rows.
        """
        if not self.tells:
            return np.ones((len(x), self.arms))
        return self.predicted(x) / np.maximum(self.shares, 1e-12)

    def _features(self, x: np.ndarray, is_bent: bool) -> np.ndarray:
        z = standardised(x, like=self._rows[0])
        return bent(z) if is_bent else z

    def _cross_fitted(self, is_bent: bool, split: int) -> Float[np.ndarray, "n k"]:
        """Return each row's chances by a model that has not seen the row."""
        x, t, weight = self._rows
        fold = fold_of(t, split, self._clusters)
        features = [self._features(x, is_bent)] * (int(fold.max()) + 1)
        return cross_fitted(features, t, weight, fold, self.arms)


def cross_fitted(
    features: Sequence[Float[np.ndarray, "n e"]],
    t: Float[np.ndarray, " n"],
    weight: Float[np.ndarray, " n"],
    fold: Int[np.ndarray, " n"],
    arms: int,
) -> Float[np.ndarray, "n k"]:
    """Return each row's chances by a logistic regression on the rows of the other folds.

    features: as the model of each fold sees the rows.
    """
    chance = np.zeros((len(t), arms))
    for number, own in enumerate(features):
        seen, unseen = fold != number, fold == number
        chance[unseen] = _predicted(_fit(own[seen], t[seen], weight[seen]), own[unseen], arms)
    return chance


def bounded(
    chances: Float[np.ndarray, "*s n k"], shares: Float[np.ndarray, " k"] | None = None
) -> Float[np.ndarray, "*s n k"]:
    """Return chances of which each is at least LEAST_CHANCE, and which add up to 1.

    shares: how common the arms are. Chances of an arm that is rare may be as small as a tenth of
    its share: so small they are for many rows, and to call them larger would shift the average.
    """
    least = np.full(chances.shape[-1], min(LEAST_CHANCE, 0.5 / chances.shape[-1]))
    if shares is not None:
        least = np.minimum(least, shares / RARER)
    chances = np.maximum(chances, least)
    return np.asarray(chances / chances.sum(axis=-1, keepdims=True))


def _predicted(model: LogisticRegression, features: np.ndarray, arms: int) -> np.ndarray:
    """Return the chances that a model predicts; an arm that it has not seen has none."""
    chance = np.zeros((len(features), arms))
    chance[:, model.classes_] = model.predict_proba(features)
    return chance


def _fit(features: np.ndarray, t: np.ndarray, weight: np.ndarray) -> LogisticRegression:
    # One thread, since the threads of small products would wait for one another.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # a chance that is nearly right will do
        return LogisticRegression(max_iter=200).fit(features, t.astype(int), weight)


def _own(chance: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return each row's chance of the arm that it was in."""
    return np.take_along_axis(chance, t.astype(int)[:, None], axis=1)[:, 0]
