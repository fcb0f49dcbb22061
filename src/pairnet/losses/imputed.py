"""The outcome that was not seen, copied from a near row that was treated so (kNN imputation)."""

from __future__ import annotations

import jax.numpy as jnp

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.types import Rows
from pairnet.losses.base import AbstractLoss, outputs, weighted_mean


class Imputed(AbstractLoss):
    """The loss of each row's outcome under its partner's treatment, where the partner's outcome
    stands in for it."""

    outcome: AbstractOutcome

    def __call__(self, network, batch):
        rows, partner = batch.rows, batch.partner
        asked = Rows(
            x=jnp.broadcast_to(rows.x[:, None, :], partner.x.shape),
            t=partner.t,
            y=partner.y,
            weight=partner.weight,
        )
        losses = self.outcome.loss(outputs(network, asked).y, partner.y)
        return weighted_mean(losses, rows.weight[:, None] * partner.weight)
