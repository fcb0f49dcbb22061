"""The propensity loss: how well a network predicts the treatment of each row."""

from __future__ import annotations

from pairnet.losses.base import AbstractLoss, outputs, weighted_mean


class Propensity(AbstractLoss):
    """The cross-entropy of each row's arm, or of its dose, under the network's propensity."""

    def __call__(self, network, batch):
        rows = batch.rows
        return weighted_mean(-outputs(network, rows).log_chance_of(rows.t), rows.weight)
