"""The pair loss on all pairs of a minibatch, the expectation of the drawn form."""

from __future__ import annotations

import jax.numpy as jnp

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.types import Scalar
from pairnet.losses.base import AbstractLoss, outputs, weighted_mean


class BatchPair(AbstractLoss):
    """The expected loss of outcome differences between each row and a partner from its minibatch.

    sum_i w_i sum_j q(j | i) loss(i, j): every row goes through the network once, whatever the
    number of pairs.
    """

    outcome: AbstractOutcome
    alpha: Scalar

    def __call__(self, network, batch):
        rows, within = batch.rows, batch.within
        losses = self.outcome.mean_pair_loss(outputs(network, rows).y, rows.y, within, self.alpha)
        return weighted_mean(losses, jnp.where(within.has_partner(), rows.weight, 0))
