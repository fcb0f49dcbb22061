"""Targeted regularisation: outcomes corrected by inverse propensity must fit too (Shi, Blei and Veitch, 2019)."""

from __future__ import annotations

import jax.numpy as jnp

from pairnet.losses.base import AbstractLoss, outputs, weighted_mean
from pairnet.outcomes import AbstractOutcome
from pairnet.types import Scalar


class Targeted(AbstractLoss):
    """The loss of outcomes whose score is moved by epsilon_t / P(t | x), with a fitted epsilon for each arm.

    At its minimum the weighted residuals of each arm vanish, which makes the average effect doubly robust.
    Deviation: the original has one epsilon with the sign of the arm; one for each arm also serves several arms.
    """

    outcome: AbstractOutcome
    clip: Scalar

    def __call__(self, network, batch):
        rows = batch.rows
        said = outputs(network, rows)
        mine = rows.t.astype(int)[..., None]
        chance = jnp.take_along_axis(said.chance(), mine, axis=-1)[..., 0]
        moved = said.y + jnp.asarray(said.epsilon) / jnp.maximum(chance, self.clip)
        return weighted_mean(self.outcome.loss(moved, rows.y), rows.weight)
