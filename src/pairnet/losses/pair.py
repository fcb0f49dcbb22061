"""The pair loss on drawn partners (the paper's Eq. 3 and Algorithm 1)."""

from __future__ import annotations

import jax.numpy as jnp

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.types import Rows, Scalar
from pairnet.losses.base import AbstractLoss, outputs, weighted_mean


class Pair(AbstractLoss):
    """The loss of outcome differences between each row and its drawn partners.

    ((y - y') - (mu(x, t) - mu(x', t')))^2, written r^2 + r'^2 - alpha r r' so that `alpha` (2 in
    the paper) can weigh the alignment of the residuals. Rows and partners go through the network
    together, each once.
    """

    outcome: AbstractOutcome
    alpha: Scalar

    def __call__(self, network, batch):
        rows, partner = batch.rows, batch.partner
        count, pairs = partner.t.shape
        both = Rows(
            x=jnp.concatenate([rows.x, partner.x.reshape(count * pairs, -1)]),
            t=jnp.concatenate([rows.t, partner.t.reshape(-1)]),
            y=jnp.concatenate([rows.y, partner.y.reshape(-1)]),
            weight=jnp.concatenate([rows.weight, partner.weight.reshape(-1)]),
        )
        scores = outputs(network, both).y
        score, partner_score = scores[:count, None], scores[count:].reshape(count, pairs)
        losses = self.outcome.pair_loss(
            score, rows.y[:, None], partner_score, partner.y, self.alpha
        )
        return weighted_mean(losses, rows.weight[:, None] * partner.weight)
