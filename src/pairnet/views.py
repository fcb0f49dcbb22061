"""How a stage sees the rows: pseudo-outcomes and weights made with the networks of earlier stages.

A view changes outcomes, treatments or weights, never covariates. Weight 0 takes a row out of the
stage.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.types import Array, Outputs, Rows, Scalar

Networks = Mapping[str, Callable[..., Outputs]]


class AbstractView(eqx.Module):
    """A way to see rows of one replication, given the networks that earlier stages have fitted."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the stages whose networks the view asks."""
        return ()

    @abc.abstractmethod
    def __call__(self, rows: Rows, fitted: Networks) -> Rows:
        """Return the rows as this stage should see them."""


class AsTheyAre(AbstractView):
    """The rows themselves."""

    def __call__(self, rows, fitted):
        return rows


class EqualArms(AbstractView):
    """Weights that make every arm count the same, so that each arm's loss is a mean of its own."""

    arms: int = eqx.field(static=True)

    def __call__(self, rows, fitted):
        mine = jax.nn.one_hot(rows.t.astype(int), self.arms) * rows.weight[:, None]
        share = jnp.sum(mine, axis=0) / jnp.maximum(jnp.sum(rows.weight), 1e-12)
        return _with(
            rows, weight=rows.weight / (self.arms * jnp.maximum(share[rows.t.astype(int)], 1e-12))
        )


class OnlyArms(AbstractView):
    """The rows of two arms, or of one arm where both are the same."""

    first: Scalar
    second: Scalar

    def __call__(self, rows, fitted):
        return _with(
            rows, weight=jnp.where((rows.t == self.first) | (rows.t == self.second), rows.weight, 0)
        )


class LeaveOut(AbstractView):
    """All rows but those of one fold of a cross-fit, after another view has had its turn."""

    view: AbstractView
    fold: Scalar
    folds: int = eqx.field(static=True)

    @property
    def needs(self):
        """Those of the view inside."""
        return self.view.needs

    def __call__(self, rows, fitted):
        rows = self.view(rows, fitted)
        return _with(rows, weight=jnp.where(fold_of(rows, self.folds) == self.fold, 0, rows.weight))


class Nuisance(eqx.Module):
    """Outcome models and propensities of earlier stages, one of each or one for each fold that left
    the row out."""

    outcome: AbstractOutcome
    mu: tuple[str, ...] = eqx.field(static=True)
    pi: tuple[str, ...] = eqx.field(static=True)
    clip: Scalar

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of all their stages."""
        return (*self.mu, *self.pi)

    def mean(self, rows: Rows, fitted: Networks, t: Array | float) -> Float[Array, " n"]:
        """Return mu(x, t) of every row under a treatment, one for all or one a row."""
        under = jnp.broadcast_to(jnp.asarray(t, rows.x.dtype), rows.t.shape)
        ask = lambda network: self.outcome.mean(jax.vmap(network)(rows.x, under).y)
        return self._crossed(rows, [ask(fitted[name]) for name in self.mu])

    def propensity(self, rows: Rows, fitted: Networks) -> Float[Array, "n k"]:
        """Return P(arm | x), away from 0 and 1 by at least `clip`."""
        ask = lambda network: jax.vmap(network)(rows.x, rows.t).chance()
        chance = self._crossed(rows, [ask(fitted[name]) for name in self.pi])
        return jnp.clip(chance, self.clip, 1 - self.clip)

    def _crossed(self, rows: Rows, answers: list) -> Array:
        """Take each row's answer from the network that has not seen it, where there is a choice."""
        fold = fold_of(rows, len(answers))
        result = answers[0]
        for position, answer in enumerate(answers[1:], start=1):
            result = jnp.where(
                (fold == position).reshape(-1, *(1,) * (answer.ndim - 1)), answer, result
            )
        return result


class InversePropensity(AbstractView):
    """Weights P(t) / P(t | x): rows that were unlikely to be treated as they were count more."""

    nuisance: Nuisance

    @property
    def needs(self):
        """The propensities."""
        return self.nuisance.pi

    def __call__(self, rows, fitted):
        chance = self.nuisance.propensity(rows, fitted)
        mine = jax.nn.one_hot(rows.t.astype(int), chance.shape[-1])
        share = jnp.sum(mine * rows.weight[:, None], axis=0) / jnp.maximum(
            jnp.sum(rows.weight), 1e-12
        )
        return _with(rows, weight=rows.weight * jnp.sum(mine * share / chance, axis=1))


class AbstractContrast(AbstractView):
    """A pseudo-outcome whose mean given x is the effect of an arm against the first one."""

    nuisance: eqx.AbstractVar[Nuisance]
    arm: eqx.AbstractVar[Scalar]

    @property
    def needs(self):
        """The outcome models and the propensities."""
        return self.nuisance.needs


class DoublyRobust(AbstractContrast):
    """mu_1 - mu_0 plus inversely weighted residuals: right if either the outcomes or the
    propensities are."""

    nuisance: Nuisance
    arm: Scalar

    def __call__(self, rows, fitted):
        chance = self.nuisance.propensity(rows, fitted)
        mu0, mu1 = (self.nuisance.mean(rows, fitted, arm) for arm in (0.0, self.arm))
        pi0, pi1 = chance[:, 0], jnp.take(chance, self.arm.astype(int), axis=1)
        treated, control = (
            (rows.t == self.arm).astype(rows.y.dtype),
            (rows.t == 0).astype(rows.y.dtype),
        )
        pseudo = mu1 - mu0 + treated * (rows.y - mu1) / pi1 - control * (rows.y - mu0) / pi0
        return _with(rows, y=pseudo)


class RegressionAdjusted(AbstractContrast):
    """The observed outcome against the modelled one of the arm that was not seen."""

    nuisance: Nuisance
    arm: Scalar

    def __call__(self, rows, fitted):
        mu0, mu1 = (self.nuisance.mean(rows, fitted, arm) for arm in (0.0, self.arm))
        pseudo = jnp.where(
            rows.t == self.arm, rows.y - mu0, jnp.where(rows.t == 0, mu1 - rows.y, mu1 - mu0)
        )
        return _with(rows, y=pseudo)


class ImputedEffect(AbstractContrast):
    """The X-learner's imputed effects, of the rows of one side: y - mu_0 of the arm, or mu_arm - y
    of the first one."""

    nuisance: Nuisance
    arm: Scalar
    of_control: Scalar  # 1: the rows of the first arm; 0: those of the arm

    @property
    def needs(self):
        """The outcome models."""
        return self.nuisance.mu

    def __call__(self, rows, fitted):
        mu0, mu1 = (self.nuisance.mean(rows, fitted, arm) for arm in (0.0, self.arm))
        side = jnp.where(self.of_control > 0, 0.0, self.arm)
        pseudo = jnp.where(self.of_control > 0, mu1 - rows.y, rows.y - mu0)
        return _with(rows, y=pseudo, weight=jnp.where(rows.t == side, rows.weight, 0))


class Robinson(AbstractContrast):
    """The R-learner as a weighted regression: target (y - m) / (t - e), weight (t - e)^2 (Nie and
    Wager, 2021).

    sum (t - e)^2 ((y - m) / (t - e) - tau)^2 is the R-loss sum ((y - m) - (t - e) tau)^2 itself.
    With several arms it is taken for the rows of the first arm and of one other.
    """

    nuisance: Nuisance  # its `mu` are models of y given x alone
    arm: Scalar

    def __call__(self, rows, fitted):
        chance = self.nuisance.propensity(rows, fitted)
        pi0, pi1 = chance[:, 0], jnp.take(chance, self.arm.astype(int), axis=1)
        left = (rows.t == self.arm).astype(rows.y.dtype) - pi1 / (
            pi0 + pi1
        )  # never 0, since chances are clipped
        right = rows.y - self.nuisance.mean(rows, fitted, rows.t)
        both = (rows.t == self.arm) | (rows.t == 0)
        return _with(rows, y=right / left, weight=jnp.where(both, rows.weight * left**2, 0))


def fold_of(rows: Rows, folds: int) -> Float[Array, " n"]:
    """Return the fold of every row in a cross-fit: in turn within each arm, so that folds hold arms
    in their shares."""
    order = jnp.argsort(jnp.where(rows.weight > 0, rows.t, jnp.inf))
    place = jnp.zeros(len(order), int).at[order].set(jnp.arange(len(order)))
    return (place % folds).astype(rows.t.dtype)


def _with(rows: Rows, **columns: Array) -> Rows:
    return Rows(**({"x": rows.x, "t": rows.t, "y": rows.y, "weight": rows.weight} | columns))
