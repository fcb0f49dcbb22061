"""Boosted trees that regress effects on what first trees expect of outcomes and chances."""

from __future__ import annotations

import abc
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from pairnet.core.types import Rows
from pairnet.learners.boosted import AbstractForest, Boosted, Grown, for_own_arm, mean_of
from pairnet.learners.trees import Trees


class AgainstFirst(AbstractForest):
    """Effects of every arm against the first, and the outcomes of the first: those of mu0."""

    @abc.abstractmethod
    def against_first(self, x: Float[np.ndarray, "n d"], arm: int) -> Float[np.ndarray, " n"]:
        """Return each row's effect of an arm against the first."""

    def outcome(self, x, t):
        return (self.expected("mu0", x) + self._of(x, t))[None]

    def effect(self, x, t0, t1):
        return (self._of(x, t1) - self._of(x, t0))[None]

    def curve(self, x, t):
        level = self.expected("mu0", x)
        by_row = np.broadcast_to(t, (len(x), np.shape(t)[-1]))
        return np.stack([level + self._of(x, arm) for arm in by_row.T], axis=-1)[None]

    def levelled(self, rows: Rows) -> AgainstFirst:
        """Return the forest with its outcomes moved so that those of the rows are right on average.

        Effects stay as they are. Chances are not moved.
        """
        if self.yes_no:
            return self
        left = np.asarray(rows.y) - self.outcome(np.asarray(rows.x), np.asarray(rows.t))[0]
        shift = float(np.average(left, weights=np.asarray(rows.weight)))
        trees = self.trees | {"mu0": self.trees["mu0"].in_units(shift, 1.0)}
        return type(self)(trees, self.treatment, self.yes_no)

    def _of(self, x: np.ndarray, t: np.ndarray) -> Float[np.ndarray, " n"]:
        against = lambda arm: lambda x: self.against_first(x, arm) if arm else 0.0
        return for_own_arm(x, t, [against(arm) for arm in range(self.treatment.strata)])


@dataclass(kw_only=True, eq=False, repr=False)
class BoostedTwoStep(Boosted):
    """Methods that grow trees of outcomes and of chances first, and then trees of effects."""

    def grow_outcomes(
        self, rows: Rows, arms: int, yes_no: bool, seed: int
    ) -> tuple[dict[str, Trees], Float[np.ndarray, "k n"]]:
        """Grow mu0, mu1, ...; also return what is expected of each row by trees that lack it."""
        trees, expected = {}, []
        for arm in range(arms):
            own = np.asarray(rows.t) == arm
            grown = self.grow(rows.take(np.flatnonzero(own)), 1, seed, yes_no=yes_no)
            trees[f"mu{arm}"] = grown.trees
            expected.append(_crossed(rows, own, grown, yes_no))
        return trees, np.stack(expected)

    def grow_chances(
        self, rows: Rows, arm: int, seed: int
    ) -> tuple[Trees, Float[np.ndarray, " n"]]:
        """Grow trees of P(arm | x, this arm or the first); also return it for each row.

        A row's chance comes from trees that lack it.
        """
        some = np.isin(rows.t, (0, arm))
        both = rows.take(np.flatnonzero(some))
        target = Rows(both.x, both.t, np.asarray(both.t == arm, np.float64), both.weight)
        grown = self.grow(target, arm + 1, seed, yes_no=True)
        return grown.trees, _crossed(rows, some, grown, yes_no=True)


def _crossed(
    rows: Rows, own: Bool[np.ndarray, " n"], grown: Grown, yes_no: bool
) -> Float[np.ndarray, " n"]:
    """Return what is expected of all rows, by trees that were grown without them."""
    expected = np.zeros(len(own))
    expected[~own] = mean_of(grown.trees, np.asarray(rows.x)[~own], yes_no)
    expected[own] = grown.unseen
    return expected
