"""Outcomes that are numbers."""

from __future__ import annotations

from typing import ClassVar

import jax.numpy as jnp

from pairnet.core.outcomes.base import AbstractOutcome


class Gaussian(AbstractOutcome):
    """A number; the score is its mean, and the loss is the squared error."""

    name: ClassVar[str] = "gaussian"
    has_unit: ClassVar[bool] = True

    def loss(self, score, y):
        """(y - mu)^2."""
        return (y - score) ** 2

    def pair_loss(self, score, y, partner_score, partner_y, alpha):
        """r^2 + r'^2 - alpha r r' with r = y - mu.

        At alpha = 2 it is ((y - y') - (mu - mu'))^2 (the paper's Eq. 4).
        """
        r, partner_r = y - score, partner_y - partner_score
        return r**2 + partner_r**2 - alpha * r * partner_r

    def mean_pair_loss(self, score, y, within, alpha):
        """r^2 + E[r'^2] - alpha r E[r']: two means over the partners are enough."""
        r = y - score
        return r**2 + within.mean(r**2) - alpha * r * within.mean(r)

    def mean(self, score):
        return score

    def location(self, y, weight):
        """Return 0: outcomes are centred before training if the plan says so."""
        return jnp.zeros((), y.dtype)
