"""Chances of the arms that are known, as in an experiment, in the place of a model of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from jaxtyping import Float

from pairnet.inference.propensity import PropensityModel
from pairnet.inference.splits import splits_of


class KnownPropensity:
    """P(arm | x) of the rows of an experiment; it answers as `PropensityModel` does.

    Chances that are the same for all rows are those of other rows, too. If they differ by row,
    nobody knows how other rows were drawn: there `model` makes the model that answers.
    """

    def __init__(self, chances: Float[np.ndarray, "n k"], model: Callable[[], PropensityModel]):
        self.chances = chances
        self.arms = chances.shape[1]
        self.is_constant = bool((chances == chances[:1]).all())
        self._make = model

    @cached_property
    def model(self) -> PropensityModel:
        """The model of the chances of other rows."""
        return self._make()

    @property
    def predicted_splits(self) -> Float[np.ndarray, "s n k"]:
        """The chances, once for each split of the rows: all the same."""
        return np.broadcast_to(self.chances, (splits_of(len(self.chances)), *self.chances.shape))

    @property
    def splits(self) -> Float[np.ndarray, "s n k"]:
        """The same; chances that are known are never kept away from 0."""
        return self.predicted_splits

    def predicted(self, x: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m k"]:
        """Return P(arm | x) of other rows."""
        if self.is_constant:
            return np.broadcast_to(self.chances[0], (len(x), self.arms))
        return self.model.predicted(x)

    def of(self, x: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m k"]:
        """Return P(arm | x) of other rows, none too small to divide by."""
        return self.predicted(x) if self.is_constant else self.model.of(x)

    def relative(self, x: Float[np.ndarray, "m d"]) -> Float[np.ndarray, "m k"]:
        """Return P(arm | x) / P(arm) of other rows."""
        return np.ones((len(x), self.arms)) if self.is_constant else self.model.relative(x)
