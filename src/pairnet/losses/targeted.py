"""Targeted regularisation (Shi et al., 2019; Nie et al., 2021)."""

from __future__ import annotations

import jax.numpy as jnp

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.types import Scalar
from pairnet.losses.base import AbstractLoss, outputs, weighted_mean


class Targeted(AbstractLoss):
    """The loss of outcomes whose score is moved by epsilon_t / P(t | x).

    Each arm, or each dose, has a fitted epsilon of its own.

    At its minimum, the residuals of each arm, weighted by inverse propensity, add up to 0. For
    doses P(t | x) is a density and epsilon a spline of the dose. Effects are read off the outcomes
    themselves, without the correction. Deviation: the original has one epsilon with the sign of the
    arm; one for each arm also serves several arms.
    """

    outcome: AbstractOutcome
    clip: Scalar

    def __call__(self, network, batch):
        rows = batch.rows
        plain = outputs(network, rows)
        chance = jnp.exp(plain.log_chance_of(rows.t))
        moved = plain.y + jnp.asarray(plain.epsilon) / jnp.maximum(chance, self.clip)
        return weighted_mean(self.outcome.loss(moved, rows.y), rows.weight)
