"""The factual loss: each observed outcome alone (the paper's Eq. 2)."""

from __future__ import annotations

from pairnet.core.outcomes import AbstractOutcome
from pairnet.losses.base import AbstractLoss, outputs, weighted_mean


class Factual(AbstractLoss):
    """The loss of every row's own outcome: mean of (y - mu(x, t))^2 for numbers."""

    outcome: AbstractOutcome

    def __call__(self, network, batch):
        rows = batch.rows
        return weighted_mean(self.outcome.loss(outputs(network, rows).y, rows.y), rows.weight)
