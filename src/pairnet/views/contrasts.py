"""Views by pseudo-outcomes: values whose mean given x is the effect of an arm."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp

from pairnet.core.robust import doubly_robust_score
from pairnet.core.types import Scalar
from pairnet.views.base import AbstractView, changed
from pairnet.views.nuisance import Nuisance


class AbstractContrast(AbstractView):
    """A pseudo-outcome whose mean given x is the effect of an arm against the first one."""

    nuisance: eqx.AbstractVar[Nuisance]
    arm: eqx.AbstractVar[Scalar]

    @property
    def needs(self):
        return self.nuisance.needs


class DoublyRobust(AbstractContrast):
    """mu_1 - mu_0 plus inversely weighted residuals.

    Its mean is the effect if either the outcome models or the propensities are right.
    """

    nuisance: Nuisance
    arm: Scalar

    def __call__(self, rows, fitted):
        chance = self.nuisance.propensity(rows, fitted)
        mu0, mu1 = (self.nuisance.mean(rows, fitted, arm) for arm in (0.0, self.arm))
        pi0, pi1 = chance[:, 0], jnp.take(chance, self.arm.astype(int), axis=1)
        treated = (rows.t == self.arm).astype(rows.y.dtype)
        control = (rows.t == 0).astype(rows.y.dtype)
        residuals, mine = (rows.y - mu0, rows.y - mu1), (control, treated)
        return changed(rows, y=doubly_robust_score(mu1 - mu0, residuals, mine, (pi0, pi1)))


class RegressionAdjusted(AbstractContrast):
    """The difference of the observed outcome and the modelled one of the arm that was not seen."""

    nuisance: Nuisance
    arm: Scalar

    def __call__(self, rows, fitted):
        mu0, mu1 = (self.nuisance.mean(rows, fitted, arm) for arm in (0.0, self.arm))
        of_others = jnp.where(rows.t == 0, mu1 - rows.y, mu1 - mu0)
        pseudo = jnp.where(rows.t == self.arm, rows.y - mu0, of_others)
        return changed(rows, y=pseudo)


class ImputedEffect(AbstractContrast):
    """The X-learner's imputed effects, for the rows of one side.

    They are y - mu_0 for the rows of the arm, and mu_arm - y for those of the first arm.
    """

    nuisance: Nuisance
    arm: Scalar
    of_control: Scalar  # 1: the rows of the first arm; 0: those of the arm

    @property
    def needs(self):
        return self.nuisance.mu

    def __call__(self, rows, fitted):
        mu0, mu1 = (self.nuisance.mean(rows, fitted, arm) for arm in (0.0, self.arm))
        side = jnp.where(self.of_control > 0, 0.0, self.arm)
        pseudo = jnp.where(self.of_control > 0, mu1 - rows.y, rows.y - mu0)
        return changed(rows, y=pseudo, weight=jnp.where(rows.t == side, rows.weight, 0))


class Robinson(AbstractContrast):
    """The R-learner (Nie and Wager, 2021) as a weighted regression.

    The target is (y - m) / (t - e), the weight (t - e)^2, since
    sum (t - e)^2 ((y - m) / (t - e) - tau)^2 is the R-loss sum ((y - m) - (t - e) tau)^2 itself.
    With several arms it is taken for the rows of the first arm and of one other.
    """

    nuisance: Nuisance  # its `mu` are models of y given x alone
    arm: Scalar

    def __call__(self, rows, fitted):
        chance = self.nuisance.propensity(rows, fitted)
        pi0, pi1 = chance[:, 0], jnp.take(chance, self.arm.astype(int), axis=1)
        # not 0, since chances are clipped
        left = (rows.t == self.arm).astype(rows.y.dtype) - pi1 / (pi0 + pi1)
        right = rows.y - self.nuisance.mean(rows, fitted, rows.t)
        both = (rows.t == self.arm) | (rows.t == 0)
        return changed(rows, y=right / left, weight=jnp.where(both, rows.weight * left**2, 0))
