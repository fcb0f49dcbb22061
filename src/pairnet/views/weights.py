"""Views by weights: which rows a stage sees, and how much each counts."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from pairnet.core.types import Scalar
from pairnet.views.base import AbstractView, changed
from pairnet.views.nuisance import Nuisance, fold_of


class EqualArms(AbstractView):
    """Weights that make all arms count the same: each arm's loss is a mean over its own rows."""

    arms: int = eqx.field(static=True)

    def __call__(self, rows, fitted):
        mine = jax.nn.one_hot(rows.t.astype(int), self.arms) * rows.weight[:, None]
        share = jnp.sum(mine, axis=0) / jnp.maximum(jnp.sum(rows.weight), 1e-12)
        factor = self.arms * jnp.maximum(share[rows.t.astype(int)], 1e-12)
        return changed(rows, weight=rows.weight / factor)


class OnlyArms(AbstractView):
    """The rows of two arms, or of one arm if both are the same."""

    first: Scalar
    second: Scalar

    def __call__(self, rows, fitted):
        either = (rows.t == self.first) | (rows.t == self.second)
        return changed(rows, weight=jnp.where(either, rows.weight, 0))


class LeaveOut(AbstractView):
    """All rows of another view, without those of one fold of a cross-fit."""

    view: AbstractView
    fold: Scalar
    folds: int = eqx.field(static=True)

    @property
    def needs(self):
        return self.view.needs

    def __call__(self, rows, fitted):
        rows = self.view(rows, fitted)
        left_out = fold_of(rows, self.folds) == self.fold
        return changed(rows, weight=jnp.where(left_out, 0, rows.weight))


class InversePropensity(AbstractView):
    """Weights P(t) / P(t | x): rows whose treatment was unlikely count more."""

    nuisance: Nuisance

    @property
    def needs(self):
        return self.nuisance.pi

    def __call__(self, rows, fitted):
        chance = self.nuisance.propensity(rows, fitted)
        mine = jax.nn.one_hot(rows.t.astype(int), chance.shape[-1])
        total = jnp.maximum(jnp.sum(rows.weight), 1e-12)
        share = jnp.sum(mine * rows.weight[:, None], axis=0) / total
        return changed(rows, weight=rows.weight * jnp.sum(mine * share / chance, axis=1))
