"""A kind of outcome of one's own, in one file: how often something happened."""

from typing import ClassVar

import jax.numpy as jnp
import numpy as np

from pairnet.core.outcomes import AbstractOutcome, OutcomeWords


class Counts(AbstractOutcome):
    """How often something happened: 0, 1, 2, ...; the score is the logarithm of its mean."""

    name: ClassVar[str] = "counts"
    has_unit: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    needs: ClassVar[str] = "whole numbers, 0 or more"
    words: ClassVar[OutcomeWords] = OutcomeWords(of="the number of ", level="expected number of ")

    def loss(self, score, y):
        """Return half of the deviance of a Poisson distribution."""
        best = jnp.where(y > 0, y * jnp.log(jnp.maximum(y, 1e-12)), 0) - y
        return jnp.exp(score) - y * score + best

    def pair_loss(self, score, y, partner_score, partner_y, alpha):
        r, partner_r = y - jnp.exp(score), partner_y - jnp.exp(partner_score)
        return r**2 + partner_r**2 - alpha * r * partner_r

    def mean_pair_loss(self, score, y, within, alpha):
        r = y - jnp.exp(score)
        return r**2 + within.mean(r**2) - alpha * r * within.mean(r)

    def mean(self, score):
        return jnp.exp(score)

    def location(self, y, weight):
        return jnp.log(jnp.maximum(jnp.sum(weight * y) / jnp.maximum(jnp.sum(weight), 1e-12), 1e-3))

    @classmethod
    def allows(cls, y):
        return bool(np.all((y >= 0) & (y == np.round(y))))
