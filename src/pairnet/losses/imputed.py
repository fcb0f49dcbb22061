"""Imputed outcomes: unseen outcomes are copied from near rows of the other arms (kNN)."""

from __future__ import annotations

import jax.numpy as jnp

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.types import Rows
from pairnet.losses.base import AbstractLoss, outputs, weighted_mean


class Imputed(AbstractLoss):
    """The loss under the partner's treatment, with the partner's outcome in place of the row's."""

    outcome: AbstractOutcome

    def __call__(self, network, batch):
        rows, partner = batch.rows, batch.partner
        under_partner = Rows(
            x=jnp.broadcast_to(rows.x[:, None, :], partner.x.shape),
            t=partner.t,
            y=partner.y,
            weight=partner.weight,
        )
        losses = self.outcome.loss(outputs(network, under_partner).y, partner.y)
        return weighted_mean(losses, rows.weight[:, None] * partner.weight)
