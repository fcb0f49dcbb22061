"""The propensity loss: how well a network tells who was treated how."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from pairnet.losses.base import AbstractLoss, outputs, weighted_mean


class Propensity(AbstractLoss):
    """The cross-entropy of each row's arm under the network's propensity."""

    def __call__(self, network, batch):
        rows = batch.rows
        log_p = outputs(network, rows).log_chance()
        mine = jax.nn.one_hot(rows.t.astype(int), log_p.shape[-1])
        return weighted_mean(-jnp.sum(mine * log_p, axis=-1), rows.weight)
