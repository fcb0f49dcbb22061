"""Nuisance models: the outcomes and propensities of earlier stages that a view uses."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.types import Array, Rows, Scalar
from pairnet.views.base import Networks


class Nuisance(eqx.Module):
    """Outcome models and propensities of earlier stages, by the names of these stages.

    There is one of each, or one for each fold of a cross-fit, trained without the fold's rows.
    """

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
        """Take each row's answer from the network that has not seen it, if there are several."""
        fold = fold_of(rows, len(answers))
        result = answers[0]
        for position, answer in enumerate(answers[1:], start=1):
            is_left_out = (fold == position).reshape(-1, *(1,) * (answer.ndim - 1))
            result = jnp.where(is_left_out, answer, result)
        return result


def fold_of(rows: Rows, folds: int) -> Float[Array, " n"]:
    """Return each row's fold in a cross-fit: rows take turns, so folds have each arm's share."""
    order = jnp.argsort(jnp.where(rows.weight > 0, rows.t, jnp.inf))
    place = jnp.zeros(len(order), int).at[order].set(jnp.arange(len(order)))
    return (place % folds).astype(rows.t.dtype)
