"""ESCFR's discrepancy: relaxed transport with outcomes in the cost (Wang et al., 2023)."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.types import Scalar
from pairnet.losses.balance import over_pairs, squared_distances, standardised
from pairnet.losses.base import AbstractLoss


class RelaxedTransport(AbstractLoss):
    """The cost of moving one arm's rows onto another's, where a row may be left behind at a price.

    The marginals may be missed at the price of a Kullback-Leibler divergence with weight
    `relaxation` (infinite: balanced transport), so that chance imbalance of a batch is not forced
    away. The cost of moving i onto j is |z_i - z_j|^2 plus `outcome_weight` times how badly each
    row's predicted outcome under the other's arm fits the other's observed one. The gradient takes
    the plan as fixed.
    """

    outcome: AbstractOutcome
    arms: int = eqx.field(static=True)
    epsilon: float = eqx.field(static=True)
    relaxation: float = eqx.field(static=True)
    outcome_weight: Scalar

    def __call__(self, network, batch):
        from pairnet.core.transport import plan

        rows = batch.rows
        z, shares = standardised(network, batch, self.arms)
        arms = jnp.arange(float(self.arms))
        under_arms = jax.vmap(lambda x: jax.vmap(lambda t: network(x, t).y)(arms))(rows.x)
        scores = under_arms[:, rows.t.astype(int)]  # [i, j]: row i under the arm of row j
        misfit = self.outcome.loss(scores, jnp.broadcast_to(rows.y[None, :], scores.shape))
        cost = squared_distances(z) / z.shape[1] + self.outcome_weight * (misfit + misfit.T)

        def moved(a, b):
            chosen = plan(cost, shares[a], shares[b], self.epsilon, self.relaxation)
            return jnp.sum(jnp.where(chosen > 0, chosen * cost, 0))

        return over_pairs(shares, moved)
